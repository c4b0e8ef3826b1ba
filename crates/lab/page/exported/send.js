// How a request reaches the engines on a page without a server: they are WebAssembly in workers of the browser.

async function file(name) {
  const response = await fetch(new URL(name, import.meta.url)).catch(() => null);
  if (!response?.ok) throw new Error(`This page lacks its file ${name}: copy the whole folder to the server.`);
  return response;
}

/** The compiled engines, and the lab's opening. */
const loaded = Promise.all([file("engine.wasm").then((response) => response.arrayBuffer()).then((bytes) => WebAssembly.compile(bytes)), file("opening.json").then((response) => response.text())]);
loaded.catch(() => {});

/** A worker with engines of its own. */
class Engines {
  constructor() {
    this.waiting = new Map();
    this.count = 0;
  }

  /** The answer to a request. With `stay`, the worker then does the work that the request has left behind. */
  async ask(message, progress) {
    const [module, opening] = await loaded;
    if (!this.worker) this.start(module, opening);
    const id = this.count++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, progress });
      this.worker.postMessage({ id, ...message });
    });
  }

  start(module, opening) {
    this.worker = new Worker(new URL("worker.js", import.meta.url));
    this.worker.postMessage({ module, opening });
    this.worker.onmessage = ({ data: { id, told, progress, soon, rested, failed } }) => {
      if (rested) { this.busy = false; return; }
      const waits = this.waiting.get(id);
      if (progress) { waits?.progress?.(progress); return; }
      if (failed) { this.fail(failed); return; }
      this.busy = soon;
      this.waiting.delete(id);
      waits?.done(JSON.parse(told));
    };
    this.worker.onerror = ({ message }) => this.fail(message);
  }

  /** Ends the worker; the next request starts another. */
  end(told) {
    this.worker?.terminate();
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

/** The answer of a job, or the refusal to start it. It has a worker of its own, which ends with it. Setting `cancel.now` cancels the job. */
export async function perform(verb, body, progress, cancel) {
  const engines = new Engines(), cancelled = { refused: "cancelled" };
  const look = setInterval(() => { if (cancel?.now) engines.end(cancelled); }, 50);
  try {
    const told = await engines.ask({ verb, body: JSON.stringify(body), job: true }, progress);
    return cancel?.now ? cancelled : told;
  } finally {
    clearInterval(look);
    engines.end(cancelled);
  }
}
