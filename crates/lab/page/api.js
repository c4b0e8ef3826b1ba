// The engines, asked over the address that the page was opened with.

/** What the lab cannot or will not do; its message is for the reader. */
export class Refused extends Error {}

export async function call(verb, body = {}) {
  let response;
  try {
    response = await fetch(`api/${verb}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw new Refused("The lab does not answer: was it closed?");
  }
  if (response.ok) return response.json();
  const text = await response.text();
  let words = text;
  try { words = JSON.parse(text).refused ?? text; } catch { /* it was words already */ }
  throw new Refused(words);
}

/** Begins work, tells how far it is, and returns what came out. `cancelled` is a promise-like flag {now: boolean}. */
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
