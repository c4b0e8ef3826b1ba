// Requests to the engines, below the address that the page was opened with.

/** A refusal of the lab; its message is for the reader. */
export class Refused extends Error {}

export async function call(verb, body = {}) {
  let response;
  try {
    response = await fetch(`api/${verb}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw new Refused("The lab does not answer. Is it still running?");
  }
  if (!response.ok) throw new Refused(await response.text());
  const told = await response.json();
  if (told.refused !== undefined && verb !== "job") throw new Refused(told.refused);
  return told;
}

/** Starts a job, reports its progress, and returns its result. Setting `cancel.now` cancels it. */
export async function work(verb, body, progress, cancel) {
  const { job } = await call(verb, body);
  let asked = false;
  for (let wait = 60; ; wait = Math.min(wait * 1.3, 400)) {
    if (cancel?.now && !asked) { asked = true; await call("cancel", { job }); }
    const told = await call("job", { job });
    if ("done" in told) return told.done;
    if ("refused" in told) throw new Refused(told.refused);
    progress?.(told.progress);
    await new Promise((resume) => setTimeout(resume, wait));
  }
}
