// How a request reaches the engines: over HTTP, below the address that the page was opened with. A page without a server has `exported/send.js` instead.

const asked = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** The answer to a request. */
export async function request(verb, body) {
  let response;
  try {
    response = await fetch(`api/${verb}`, asked(body));
  } catch {
    throw new Error("The lab does not answer. Is it still running?");
  }
  if (!response.ok) throw new Error(response.status === 404 ? "The lab does not answer this address. Was it opened again? It prints its new address." : await response.text());
  return response.json();
}

/** The jobs that this page waits for; they end with the page. */
const waited = new Set();
globalThis.addEventListener?.("pagehide", () => { for (const job of waited) fetch("api/cancel", { ...asked({ job }), keepalive: true }).catch(() => {}); });

/** The answer of a job, or the refusal to start it. Setting `cancel.now` cancels the job. */
export async function perform(verb, body, progress, cancel) {
  const begun = await request(verb, body), { job } = begun;
  if (job === undefined) return begun;
  waited.add(job);
  try {
    let stopped = false;
    for (let wait = 60; ; wait = Math.min(wait * 1.3, 400)) {
      if (cancel?.now && !stopped) { stopped = true; await request("cancel", { job }); }
      const told = await request("job", { job });
      if (!("progress" in told)) return told;
      progress?.(told.progress);
      await new Promise((resume) => setTimeout(resume, wait));
    }
  } finally { waited.delete(job); }
}
