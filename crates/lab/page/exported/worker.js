// The engines in a worker. `crates/lab-engine` describes the functions of the module.

let engine, current, panic;
const encoder = new TextEncoder(), decoder = new TextDecoder();

const read = (address, bytes) => decoder.decode(new Uint8Array(engine.memory.buffer, address >>> 0, bytes >>> 0));

/** Writes texts one behind the other into the buffer of the module. */
function write(...texts) {
  const parts = texts.map((text) => encoder.encode(text)), bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const address = engine.room(bytes) >>> 0, buffer = new Uint8Array(engine.memory.buffer, address, bytes);
  parts.reduce((at, part) => { buffer.set(part, at); return at + part.length; }, 0);
  return parts.map((part) => part.length);
}

function answer(verb, body) {
  const [length] = write(verb, body), bytes = engine.answer(length);
  return read(engine.buffer(), bytes);
}

const page = {
  now: () => performance.now(),
  tell: (address, bytes) => { const progress = JSON.parse(read(address, bytes)); if (progress.panic) ({ panic } = progress); else postMessage({ id: current, progress }); },
};

function open({ module, opening }) {
  engine = new WebAssembly.Instance(module, { page }).exports;
  write(opening);
  if (!engine.open()) throw new Error("opening.json was written by another version");
  postMessage({ ready: true });
}

function asked({ id, verb, body, job, stay }) {
  current = id;
  let told = answer(verb, body);
  if (job && engine.work()) told = answer("job", told);
  const soon = Boolean(stay && engine.left());
  postMessage({ id, told, soon });
  if (soon) { engine.work(); postMessage({ rested: true }); }
}

addEventListener("message", ({ data }) => {
  try {
    if (data.module) open(data); else asked(data);
  } catch (error) { postMessage({ id: current, failed: panic ?? error.message }); }
});
