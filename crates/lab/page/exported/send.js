// How a request reaches the engines on a page without a server: they are WebAssembly in workers of the browser.

async function file(name) {
  const response = await fetch(new URL(name, import.meta.url)).catch(() => null);
  if (!response?.ok) throw new Error(`This page lacks its file ${name}: copy the whole folder to the server.`);
  return response;
}

/** The engines, compiled. The page says how much of them is loaded, since a slow phone waits long. */
async function compiled() {
  const response = await file("engine.wasm"), reader = response.body.getReader(), parts = [];
  const mega = (bytes) => (bytes / 1e6).toFixed(1), packed = response.headers.get("content-encoding");
  const total = packed ? "" : ` of ${mega(Number(response.headers.get("content-length")))}`, notice = document.getElementById("notice");
  for (let bytes = 0; ;) {
    const { value, done } = await reader.read();
    if (done) break;
    parts.push(value);
    bytes += value.length;
    Object.assign(notice, { hidden: false, textContent: `Loading the engines: ${mega(bytes)}${total} MB` });
  }
  notice.textContent = "Starting the engines";
  return WebAssembly.compile(await new Blob(parts).arrayBuffer());
}

/** The compiled engines, and the lab's opening. */
const loaded = Promise.all([compiled(), file("opening.json").then((response) => response.text())]);
loaded.catch(() => {});

/** A worker with engines of its own. */
class Engines {
  constructor() {
    this.waiting = new Map();
    this.count = 0;
  }

  /** The answer to a request. With `stay`, the worker then does the work that the request has left behind. */
  async ask(message, progress) {
    await this.start();
    const id = this.count++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, progress });
      this.worker.postMessage({ id, ...message });
    });
  }

  /** Starts the worker, if there is none. */
  async start() {
    const [module, opening] = await loaded;
    if (this.worker) return;
    this.worker = new Worker(new URL("worker.js", import.meta.url));
    this.worker.postMessage({ module, opening });
    this.ready = new Promise((resolve) => { this.opened = resolve; });
    this.worker.onmessage = ({ data: { id, told, progress, soon, rested, ready, failed } }) => {
      if (ready) { this.opened(true); return; }
      if (rested) { this.busy = false; return; }
      const waits = this.waiting.get(id);
      if (progress) { waits?.progress?.(progress); return; }
      if (failed) { this.fail(failed); return; }
      this.busy = soon;
      this.waiting.delete(id);
      waits?.done(JSON.parse(told));
    };
    // An error without words: the file of the worker could not be loaded.
    this.worker.onerror = ({ message }) => (message === undefined ? this.end({ refused: "The page cannot reach its server, and this work needs a file from it." }) : this.fail(message));
  }

  /** Ends the worker; the next request starts another. */
  end(told) {
    this.worker?.terminate();
    this.opened?.(false);
    for (const { done } of this.waiting.values()) done(told);
    Object.assign(this, { worker: null, busy: false, waiting: new Map() });
  }

  fail(why) {
    this.end({ refused: `The engines of this page have failed: ${why}. They need more memory than the browser gives, or this is a bug. They start again with the next request.` });
  }
}

/** The worker that answers at once, and the one that computes facts about all configurations. */
const quick = new Engines(), facts = new Engines();

/** The system whose configurations the second worker knows, or computes. */
let known = null;

/** The choices at a step. The worker of the facts gets the configuration of that step, not the run: it need not compute the run again. */
async function choices(body) {
  const { story, step } = body, key = JSON.stringify({ ...story.setup, seed: null, start: null });
  const { frames = [], texts } = await quick.ask({ verb: "frames", body: JSON.stringify({ story, from: step, to: step }) });
  if (!frames.length || frames[0].traffic) return quick.ask({ verb: "choices", body: JSON.stringify(body) });
  if (facts.busy && known !== key) facts.end({ refused: "cancelled" });
  const here = { setup: { ...story.setup, start: frames[0].states.map((state) => texts[state]) } };
  const asked = { verb: "choices", body: JSON.stringify({ ...body, story: here, step: 0 }) };
  // While the facts are computed, the other worker says that they come soon.
  if (facts.busy) return quick.ask(asked);
  known = key;
  return facts.ask({ ...asked, stay: true });
}

/** The answer to a request. */
export function request(verb, body) {
  if (verb === "choices") return choices(body);
  const asked = { verb, body: JSON.stringify(body) };
  return verb === "graph" && !facts.busy ? facts.ask({ ...asked, stay: true }) : quick.ask(asked);
}

/** The worker of the next job. It is started before it is needed, since later the server may be out of reach. */
let spare = new Engines();
spare.start().catch(() => {});

/** After a job a fresh worker, with little memory, takes the place of the used one, if it can be had. */
async function replace(used) {
  const fresh = new Engines();
  await fresh.start();
  const kept = (await fresh.ready) ? fresh : used;
  if (kept !== used) used.end({ refused: "cancelled" });
  if (spare) kept.end({ refused: "cancelled" }); else spare = kept;
}

/** The answer of a job, or the refusal to start it. It has a worker of its own. Setting `cancel.now` cancels the job. */
export async function perform(verb, body, progress, cancel) {
  const engines = spare ?? new Engines(), cancelled = { refused: "cancelled" };
  spare = null;
  const look = setInterval(() => { if (cancel?.now) engines.end(cancelled); }, 50);
  try {
    const told = await engines.ask({ verb, body: JSON.stringify(body), job: true }, progress);
    return cancel?.now ? cancelled : told;
  } finally {
    clearInterval(look);
    replace(engines);
  }
}
