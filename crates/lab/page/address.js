// The address of what is shown: it, and the command made from it, show the same run to everybody.

const FIELDS = ["algorithm", "text", "size", "scheduler", "oracle", "channels", "graph", "seed"];
const OTHERS = ["start", "acts", "script", "step", "measured", "claims", "ask", "tour", "stop"];
/** The parts of an act of the viewer. */
const ACT = ["at", "arc", "processes", "all", "message", "inputs", "coin", "agent", "state", "corrupt"];
/** The last step of a run that the lab follows. */
const LAST = 1_000_000_000;
const VIEWS = ["run", "measure", "cluster", "tours"];

/** The address of a moment of a run. */
export function written({ view, story, step, measured, claims, asked = {}, tour }) {
  const words = new URLSearchParams();
  if (story) {
    for (const name of FIELDS) { const value = story.setup[name]; if (value !== undefined && value !== null && value !== "" && !(name === "size" && value === 0)) words.set(name, value); }
    for (const [name, value] of Object.entries(story.setup.parameters ?? {})) words.set(`.${name}`, value);
    const { start } = story.setup;
    if (Array.isArray(start)) words.set("start", JSON.stringify(start));
    else if (start && start !== "usual") words.set("start", start);
    if (story.acts.length) words.set("acts", JSON.stringify(story.acts));
    if (story.script) words.set("script", JSON.stringify(story.script));
    if (step) words.set("step", step);
    if (claims) words.set("claims", claims);
    if (Object.keys(asked).length) words.set("ask", JSON.stringify(asked));
  }
  if (measured) words.set("measured", JSON.stringify(measured));
  if (tour) { words.set("tour", tour.name); words.set("stop", tour.stop); }
  return `#${view}${words.size ? `?${words}` : ""}`;
}

/** The recorded steps of an address with their assumptions. Words are left out: the lab says only what it has verified. */
function script_of(script, wrong) {
  if (script === null) return null;
  if (!Array.isArray(script.steps)) { wrong.push("script has no steps"); return null; }
  if (!whole(script.cycle ?? 0)) { wrong.push(`the cycle of the script begins at ${JSON.stringify(script.cycle)}, which is no step`); return null; }
  const { steps, cycle = null, scheduler, fairness, oracle, coins, strategy, claim } = script;
  return { steps, cycle, scheduler, fairness, oracle, coins, strategy, claim };
}

const whole = (value) => Number.isSafeInteger(value) && value >= 0;

/** The acts of an address; unknown ones are named and left out. */
function acts_of(acts, wrong) {
  return acts.filter((act) => {
    const strange = act && typeof act === "object" ? Object.keys(act).find((name) => !ACT.includes(name)) : "";
    if (strange === undefined && whole(act.at)) return true;
    wrong.push(strange ? `the lab has no act “${strange}”` : "an act has no step at which it happens");
    return false;
  });
}

/** The story and the view that an address describes, and what is wrong with it, in words. */
export function read(hash) {
  const [view, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const words = new URLSearchParams(query), setup = { parameters: {} }, wrong = [];
  const short = (value) => (value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (view && !VIEWS.includes(view)) wrong.push(`there is no view “${short(view)}”: the views are ${VIEWS.join(", ")}`);
  for (const name of words.keys()) if (!FIELDS.includes(name) && !OTHERS.includes(name) && !name.startsWith(".")) wrong.push(`“${short(name)}” means nothing here; a parameter of the algorithm is written .${short(name)}`);
  const count = (name, otherwise) => {
    if (!words.has(name)) return otherwise;
    const value = Number(words.get(name));
    if (words.get(name).trim() !== "" && Number.isSafeInteger(value) && value >= 0) return value;
    wrong.push(`${name} is “${short(words.get(name))}”; it must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
    return otherwise;
  };
  for (const name of FIELDS) {
    const value = name === "size" || name === "seed" ? count(name) : words.get(name) ?? undefined;
    if (value !== undefined) setup[name] = value;
  }
  for (const [name, value] of words) if (name.startsWith(".")) setup.parameters[name.slice(1)] = value;
  const parsed = (name, otherwise, fine) => {
    if (!words.has(name)) return otherwise;
    try { const value = JSON.parse(words.get(name)); if (fine(value)) return value; } catch { /* Told below. */ }
    wrong.push(`${name} cannot be read; the link may be cut off`);
    return otherwise;
  };
  const object = (value) => value !== null && typeof value === "object";
  const start = words.get("start");
  if (start) setup.start = start.startsWith("[") ? parsed("start", "usual", Array.isArray) : start;
  if (setup.size === 0) { wrong.push("size is 0; the page shows the usual size"); delete setup.size; }
  if (setup.algorithm && setup.text) { wrong.push("it has an algorithm and a text; the page shows the text"); delete setup.algorithm; }
  const acts = acts_of(parsed("acts", [], Array.isArray), wrong), script = script_of(parsed("script", null, object), wrong);
  const story = setup.algorithm || setup.text ? { setup, acts, script } : null;
  if (!story && query && !words.has("tour") && (view === "run" || !view)) wrong.push("it names neither an algorithm nor a text");
  let step = count("step", 0);
  if (step > LAST) { wrong.push(`step ${step} is too far: the lab follows a run to step ${LAST}`); step = 0; }
  const tour = words.has("tour") ? { name: words.get("tour"), stop: count("stop", 1) } : null;
  return { view: VIEWS.includes(view) ? view : "run", tour, story, step, measured: parsed("measured", null, object), claims: words.get("claims") ?? "", asked: parsed("ask", {}, object), wrong };
}
