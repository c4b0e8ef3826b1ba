// The address of what is shown: it, and the command made from it, show the same run to everybody.

const FIELDS = ["algorithm", "text", "size", "scheduler", "oracle", "channels", "graph", "seed"];

/** The address of a moment of a run. */
export function written({ view, story, step, measured }) {
  const words = new URLSearchParams();
  if (story) {
    for (const name of FIELDS) { const value = story.setup[name]; if (value !== undefined && value !== null && value !== "") words.set(name, value); }
    for (const [name, value] of Object.entries(story.setup.parameters ?? {})) words.set(`.${name}`, value);
    const { start } = story.setup;
    if (Array.isArray(start)) words.set("start", JSON.stringify(start));
    else if (start && start !== "arbitrary") words.set("start", start);
    if (story.acts.length) words.set("acts", JSON.stringify(story.acts));
    if (story.script) words.set("script", JSON.stringify(story.script));
    if (step) words.set("step", step);
  }
  if (measured) words.set("measured", JSON.stringify(measured));
  return `#${view}${words.size ? `?${words}` : ""}`;
}

/** The story and the view that an address describes. */
export function read(hash) {
  const [view, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const words = new URLSearchParams(query), setup = { parameters: {} };
  for (const name of FIELDS) {
    if (!words.has(name)) continue;
    const counts = name === "size" || name === "seed", value = counts ? Number(words.get(name)) : words.get(name);
    // A value that is not a number is left out: the size is then the algorithm's own, the seed 0.
    if (!counts || Number.isSafeInteger(value) && value >= 0) setup[name] = value;
  }
  for (const [name, value] of words) if (name.startsWith(".")) setup.parameters[name.slice(1)] = value;
  const parsed = (name, otherwise) => { try { return JSON.parse(words.get(name)) ?? otherwise; } catch { return otherwise; } };
  const start = words.get("start");
  if (start) setup.start = start.startsWith("[") ? parsed("start", "arbitrary") : start;
  const story = setup.algorithm || setup.text ? { setup, acts: parsed("acts", []), script: parsed("script", null) } : null;
  return { view: view || "run", story, step: Number(words.get("step") ?? 0) || 0, measured: parsed("measured", null) };
}
