// Requests to the engines, below the address that the page was opened with.

/** A refusal of the lab; its message is for the reader. */
export class Refused extends Error {}

const asked = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export async function call(verb, body = {}) {
  let response;
  try {
    response = await fetch(`api/${verb}`, asked(body));
  } catch {
    throw new Refused("The lab does not answer. Is it still running?");
  }
  if (!response.ok) throw new Refused(response.status === 404 ? "The lab does not answer this address. Was it opened again? It prints its new address." : await response.text());
  const told = await response.json();
  if (told.refused !== undefined && verb !== "job") throw new Refused(told.refused);
  return told;
}

/** The jobs that this page waits for; they end with the page. */
const waited = new Set();
globalThis.addEventListener?.("pagehide", () => { for (const job of waited) fetch("api/cancel", { ...asked({ job }), keepalive: true }).catch(() => {}); });

/** Starts a job, reports its progress, and returns its result. Setting `cancel.now` cancels it. */
export async function work(verb, body, progress, cancel) {
  const { job } = await call(verb, body);
  waited.add(job);
  try {
    let stopped = false;
    for (let wait = 60; ; wait = Math.min(wait * 1.3, 400)) {
      if (cancel?.now && !stopped) { stopped = true; await call("cancel", { job }); }
      const told = await call("job", { job });
      if ("done" in told) return told.done;
      if ("refused" in told) throw new Refused(told.refused);
      progress?.(told.progress);
      await new Promise((resume) => setTimeout(resume, wait));
    }
  } finally { waited.delete(job); }
}
