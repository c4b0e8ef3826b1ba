// The lab: one page with four views. The address holds the run that is shown.

import { read, written } from "./address.js";
import { call } from "./api.js";
import { Cluster, NoCluster, ACTIONS } from "./cluster.js";
import { h, let_go, looks } from "./dom.js";
import { Measure } from "./measure.js";
import { Run } from "./run.js";
import { SetupForm } from "./setup.js";
import { Tours } from "./tours.js";

const $ = (id) => document.getElementById(id);
const VIEWS = [["run", "Run"], ["measure", "Measure"], ["cluster", "Cluster"], ["tours", "Tours"]];

let cards, form, run, measure, cluster, tours, view = "run", going = false;

function notice(words, bad = false) {
  const box = $("notice");
  box.hidden = !words;
  box.replaceChildren(...(words ?? "").split("`").map((piece, i) => (i % 2 ? h("code", {}, piece) : piece)));
  box.classList.toggle("bad", bad);
}

/** The number of the latest story to be opened. An answer for an earlier one is dropped. */
let latest = 0;

/** Opens a story: the server describes its algorithm, and the views show it. Returns whether it is shown, or null where a later story overtook it. */
async function open(next, step = 0) {
  next = { acts: [], script: null, ...next };
  next.setup.seed ??= 0;
  const mine = ++latest;
  try {
    const subject = await call("open", { setup: next.setup });
    const { verified } = next.script ? await call("verify", { story: next }) : { verified: null };
    if (mine !== latest) return null;
    form.show(next.setup, subject);
    notice(subject.beyond_claim ? `No paper claims that this is correct: ${subject.beyond_claim}` : null);
    if (task && next.setup.text) tell_task();
    await run.open(subject, next, step, verified);
    remember();
    return Boolean(run.player.frame);
  } catch (refused) {
    if (mine !== latest) return null;
    if (next.setup.text && (await call("lint", { text: next.setup.text }).catch(() => null))?.fine === false) return draft(next.setup);
    if (!next.setup.text || !form.subject) form.show(form.setup ?? next.setup, form.subject);
    notice(refused.message, true);
    return false;
  }
}

/** The claims of a link to a text: an exercise. */
let task = "";

function tell_task() {
  notice(`Exercise: change the text until these claims hold: ${task.split("\n").map((claim) => `\`${claim.trim()}\``).join(", ")}. `);
  $("notice").append(h("button", { onclick: () => run.check_here() }, "Check"));
}

/** A text with errors is shown in the editor, with its errors marked. The run before stays on the stage, dimmed. */
async function draft(setup) {
  form.show(setup, null);
  notice(null);
  await run.draft(setup.text);
  return true;
}

/** Writes what is shown into the address. A choice of the viewer is a new entry of the history, so that Back undoes it. */
function remember(chosen = false) {
  if (!run.player.story || run.stale) return;
  const hash = written({ view, story: run.player.story, step: run.player.at, claims: run.check.claims.value.trim(), asked: run.check.asked, measured: view === "measure" ? measure.asked : null, tour: tours.address });
  if (hash === location.hash) return;
  if (chosen === true) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

/** Keeps the current address in the history: Back returns to it. The next address overwrites this copy. */
function leaving() {
  if (document.documentElement.dataset.ready) history.pushState(null, "", location.href);
}

function changed(setup) {
  if (!setup.text) task = "";
  leaving();
  return open({ setup: { seed: 0, ...setup } });
}

/** Runs the text that was typed. It leaves a counterexample of the text before, and Back returns to that. */
async function retyped(text) {
  const { script, ...before } = run.player.story ?? {}, left = script?.steps.length && before.setup.text !== text;
  if (left) leaving();
  const shown = await open({ setup: { seed: 0, ...form.setup, text } });
  if (left && shown) notice("The text has changed, so its counterexample is left. Back returns to it; Check looks for another one.");
  return shown;
}

/** Opens another story; Back returns from it. */
function turn_to(story, step) {
  leaving();
  return open(story, step);
}

/** Shows what an address describes. A link that cannot be shown leaves the page as it was, and says why. */
async function go(next) {
  going = true;
  const before = run.player.frame && { story: run.player.story, step: run.player.at };
  if (next.view !== view) show(next.view, false);
  if (next.story) task = next.story.setup.text ? next.claims.trim() : "";
  const shown = !next.story || await open(next.story, next.step);
  if (shown === null) { going = false; return false; }
  const lost = await tours.follow(next.tour, next.story);
  if (lost) next.wrong.push(lost);
  if (shown && next.story) run.check.claim(next.claims, next.asked);
  if (!shown) {
    const { textContent: why } = $("notice");
    await open(before?.story ?? usual(), before?.step);
    notice(`This ${next.source ?? "link"} cannot be shown: ${why}`, true);
  } else if (next.wrong.length) notice(`Something is wrong with this ${next.source ?? "link"}: ${next.wrong.join("; ")}.`, true);
  remember();
  going = false;
  return shown;
}

/** The run that the lab opens with: small enough for the checker to know everything about it. */
const usual = () => ({ setup: cards.text ? { text: cards.text.text, seed: 3 } : { algorithm: "dijkstra-k-state", size: 4, seed: 1, parameters: {} } });

/** A link of any lab: the part after # holds everything. */
function paste(text) {
  const at = text.indexOf("#");
  if (at < 0) { notice("This is no link of a lab: it has no part after #.", true); return; }
  leaving();
  go(read(text.slice(at).trim()));
}

function show(name, keep = true) {
  const chosen = view !== name;
  view = name;
  for (const button of $("views").children) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  $("setup").hidden = $("setup-button").hidden = name !== "run";
  $("main").replaceChildren({ run, measure, cluster, tours }[name].box);
  if (name === "measure") measure.open();
  if (name === "tours") tours.load();
  if (name === "cluster") cluster.open();
  else cluster.close();
  tours.place(name);
  if (name !== "run") run.player.pause();
  if (keep) remember(chosen);
}

function help() {
  const cluster_rows = [["0 … 9", "select a node"], ...ACTIONS.map(([, words, key]) => [key, words]), ["Tab, Enter", "move between nodes and links; select a node, cut a link"]];
  const rows = view === "cluster" && cards.cluster ? cluster_rows : [["space", "play, pause"], ["← →", "one step back, one step forward"], ["Home End", "to the start, to the last step seen"], ["+ −", "faster, slower"], ["s", "run until the configuration is safe"], ["m", "be the scheduler: click an arc, or a process, to take the next step"],
    ["c", "corrupt a random agent: it gets an arbitrary state"], ["w b", "the worst step, the best step, where the checker knows all configurations"], ["k", "check every configuration"], ["r", "another seed"], ["Ctrl+Z", "take back your last step or edit"], ["Ctrl+V", "open a link of any lab"], ["PageDown PageUp", "the next stop of a tour, the stop before"], ["Ctrl+S", "in the editor: save to the file that the lab was opened with"], ["Tab", "in the editor: complete the name"], ["Tab, Enter", "move between agents and arcs; act on one"]];
  $("help").replaceChildren(h("h3", {}, "Keys and mouse"), h("table", {}, rows.map(([keys, words]) => h("tr", {}, h("td", {}, keys.split(" ").map((key) => [h("kbd", {}, key), " "])), h("td", {}, words)))),
    h("p", { class: "hint" }, "Click an agent to edit its state. Click an arc, or the button of a process, to choose the next step. Click into the diagram to go to that step. ringleader's engines compute everything on this page. The address holds the whole run."),
    h("form", { method: "dialog" }, h("button", { class: "primary", autofocus: true }, "Close")));
  $("help").showModal();
}

function keys(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && view === "run" && !event.target.matches("input, textarea, select")) { event.preventDefault(); run.player.undo(); return; }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const { target } = event;
  if (target.matches("input:not([type=range]), select, textarea")) return;
  if (target.matches("button, summary, a, [role=button]") && (event.key === " " || event.key === "Enter")) return;
  if (target.matches("input[type=range]") && event.key.startsWith("Arrow")) return;
  if (tours.key(event)) { event.preventDefault(); return; }
  if (event.key === "?") { help(); return; }
  if ((view === "run" && run.key(event)) || (view === "cluster" && cluster.key(event))) event.preventDefault();
}

async function begin() {
  cards = await call("cards");
  // The theme comes first: the diagram takes its colours from it.
  looks(() => { run.diagram.repaint(); run.map.draw(); run.settle(); });
  run = new Run({ text: retyped, moved: remember, leaving, notice, story: turn_to, scripted: (told) => form.scripted(told) });
  run.check.within(cards.usual_memory, cards.memory);
  if (cards.file) run.editor.follow_file(cards.text.text);
  form = new SetupForm($("setup"), cards, changed);
  measure = new Measure(cards, () => run.player.story?.setup, remember);
  cluster = cards.cluster ? new Cluster(cards, notice) : new NoCluster();
  tours = new Tours(run, { open: turn_to, show: () => show("run", !going), moved: () => { leaving(); remember(); }, visit: (hash) => { leaving(); return go(read(hash)); }, notice }, cards, read);
  $("views").replaceChildren(...VIEWS.map(([name, words]) => h("button", { "data-view": name, onclick: () => show(name) }, words)));
  $("help-button").addEventListener("click", help);
  $("setup-button").addEventListener("click", () => $("setup-button").setAttribute("aria-expanded", String(document.body.classList.toggle("setting"))));
  addEventListener("keydown", keys);
  let_go();
  const given = read(location.hash);
  show(given.view);
  if (!given.story && !given.tour && (cards.story || cards.text)) given.source = "file";
  if (!given.tour) { if (given.story || !cards.story) given.story ??= usual(); else given.story = cards.story; }
  const arrived = !location.hash, bare = arrived && !cards.text && !cards.story;
  // The page can be used while a far step is computed.
  const jumps = new Promise((resume) => run.player.addEventListener("progress", ({ detail }) => { if (detail) resume(); }));
  await Promise.race([go(given), jumps]);
  show(view);
  if (given.measured) measure.restore(given.measured);
  addEventListener("hashchange", () => go(read(location.hash)));
  addEventListener("paste", (event) => { const text = event.clipboardData?.getData("text") ?? ""; if (!event.target.matches("input, textarea") && /#(run|measure|cluster|tours)\b/.test(text)) { event.preventDefault(); paste(text); } });
  // The first thing to see has a verdict beside it.
  if (bare) run.check.press();
  // A link counts more than the tour of the lecturer.
  if (cards.tour && arrived) await tours.begin_own();
  document.documentElement.dataset.ready = "yes";
  // The first screen does not need the lectures; later the server may be out of reach.
  tours.load().catch(() => {});
}

begin().catch((error) => notice(error.message, true));
