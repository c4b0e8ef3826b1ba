// A recorded run: the page holds all its frames.

import { h, let_go, looks } from "./dom.js";
import { Run } from "./run.js";

const recording = JSON.parse(document.getElementById("recording").textContent);
const { subject, story, every, moments, texts, stopped, verified, found } = recording;

/** All frames, each made from the changes since the one before. */
const frames = [];
for (const { n, c, l, k, f, t, e, x } of moments) {
  const before = frames.at(-1);
  const states = before ? before.states.slice() : [], marks = before ? before.marks.slice() : [];
  for (const [agent, state, mark] of c) { states[agent] = state; marks[agent] = mark; }
  frames.push({ step: n, states, marks, leaders: l, tokens: k, correct: Boolean(f & 1), safe: Boolean(f & 2), taken: t, edited: e, traffic: x });
}

const closes = Boolean(verified?.closes && !verified.wrong), cycle = closes ? story.script.cycle : null, length = story.script?.steps.length ?? 0;

/** The frame of a step; a cycle goes on for ever. */
function at(step) {
  const index = Math.round(step / every);
  if (index < frames.length && frames[index].step === step) return frames[index];
  if (cycle === null || step < length || frames.length <= length) return null;
  const there = frames[cycle + 1 + ((step - cycle - 1) % (length - cycle))];
  return { ...there, step };
}

const source = {
  every,
  async frames(_, from, to, stride) {
    const found = [];
    for (let step = Math.ceil(from / every) * every; step <= to && found.length < 4000; step += Math.max(stride, every)) { const frame = at(step); if (frame) found.push(frame); else break; }
    const ends = cycle === null && to > frames.at(-1).step;
    return { frames: found.length ? found : [frames.at(-1)], texts, stopped: ends ? stopped ?? "The recording ends here." : null };
  },
};

const notice = (words) => { const box = document.getElementById("notice"); box.hidden = !words; box.textContent = words ?? ""; };
const run = new Run({ source, found, moved() {}, notice, text() {} });
document.getElementById("setup").replaceWith(h("p", { id: "setup" }, h("b", {}, subject.name), ` ${subject.graph.size} ${subject.graph.steps === "arc" ? "agents" : "processes"}, ${subject.topology}, ${story.script ? "a recorded run" : `seed ${story.setup.seed}`}, recorded with ringleader`));
document.querySelector("nav").remove();
document.getElementById("help-button").remove();
document.getElementById("setup-button").remove();
document.getElementById("main").append(run.box);
addEventListener("keydown", (event) => { if (!event.target.matches("button, input, select") && run.key(event)) event.preventDefault(); });
let_go();
const root = document.documentElement;
looks(() => { run.diagram.repaint(); run.settle(); });
await run.open(subject, story, 0, verified);
run.player.last = frames.at(-1).step;
run.show(run.player.frame);
root.dataset.ready = "yes";
