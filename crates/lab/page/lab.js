// The lab: one page with four views. The address holds the run that is shown.

import { read, written } from "./address.js";
import { call } from "./api.js";
import { Cluster, ACTIONS } from "./cluster.js";
import { h, let_go } from "./dom.js";
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

/** Opens a story: the server describes its algorithm, and the views show it. */
async function open(next, step = 0) {
  next = { acts: [], script: null, ...next };
  try {
    const subject = await call("open", { setup: next.setup });
    form.show(next.setup, subject);
    notice(subject.beyond_claim ? `No paper claims that this is correct: ${subject.beyond_claim}` : null);
    await run.open(subject, next, step);
    remember();
    return true;
  } catch (refused) {
    if (!next.setup.text || !form.subject) form.show(form.setup ?? next.setup, form.subject ?? { parameters: [], schedulers: [], variables: [], kind: "message", size: 0 });
    notice(refused.message, true);
    return false;
  }
}

/** Writes what is shown into the address. A choice of the viewer is a new entry of the history, so that Back undoes it. */
function remember(chosen = false) {
  if (!run.player.story) return;
  const hash = written({ view, story: run.player.story, step: run.player.at, measured: view === "measure" ? measure.asked : null });
  if (hash === location.hash) return;
  if (chosen === true && !going) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

function changed(setup) {
  // The current address stays in the history; the next one overwrites this copy.
  history.pushState(null, "", location.href);
  return open({ setup: { seed: 0, ...setup } });
}

/** Shows what an address describes. */
async function go(next) {
  going = true;
  if (VIEWS.some(([name]) => name === next.view) && next.view !== view) show(next.view, false);
  if (next.story) await open(next.story, next.step);
  going = false;
}

function show(name, keep = true) {
  const chosen = view !== name;
  view = name;
  for (const button of $("views").children) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  $("setup").hidden = name !== "run";
  $("main").replaceChildren({ run, measure, cluster, tours }[name].box);
  if (name === "measure") measure.open();
  if (name === "cluster") cluster.open();
  else cluster.close();
  if (name !== "run") run.player.pause();
  if (keep) remember(chosen);
}

function help() {
  const cluster_rows = [["0 … 9", "select a node"], ...ACTIONS.map(([, words, key]) => [key, words]), ["Tab, Enter", "move between nodes and links; select a node, cut a link"]];
  const rows = view === "cluster" ? cluster_rows : [["space", "play, pause"], ["← →", "one step back, one step forward"], ["Home End", "to the start, to the last step seen"], ["+ −", "faster, slower"], ["s", "run until the configuration is safe"], ["m", "be the scheduler: click an arc, or a process, to take the next step"],
    ["c", "corrupt a random agent: it gets an arbitrary state"], ["w b", "the worst step, the best step, where the checker knows all configurations"], ["k", "check every configuration"], ["r", "another seed"], ["Tab, Enter", "move between agents and arcs; act on one"]];
  $("help").replaceChildren(h("h3", {}, "Keys and mouse"), h("table", {}, rows.map(([keys, words]) => h("tr", {}, h("td", {}, keys.split(" ").map((key) => [h("kbd", {}, key), " "])), h("td", {}, words)))),
    h("p", { class: "hint" }, "Click an agent to edit its state. Click an arc, or the button of a process, to choose the next step. Click into the diagram to go to that step. ringleader's engines compute everything on this page. The address holds the whole run."),
    h("form", { method: "dialog" }, h("button", { class: "primary", autofocus: true }, "Close")));
  $("help").showModal();
}

function keys(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const { target } = event;
  if (target.matches("input:not([type=range]), select, textarea")) return;
  if (target.matches("button, summary, a, [role=button]") && (event.key === " " || event.key === "Enter")) return;
  if (target.matches("input[type=range]") && event.key.startsWith("Arrow")) return;
  if (event.key === "?") { help(); return; }
  if ((view === "run" && run.key(event)) || (view === "cluster" && cluster.key(event))) event.preventDefault();
}

function looks() {
  const root = document.documentElement;
  $("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    run.diagram.repaint();
    run.map.draw();
  });
  $("large").addEventListener("click", () => {
    const large = root.toggleAttribute("data-large");
    $("large").setAttribute("aria-pressed", String(large));
  });
}

async function begin() {
  cards = await call("cards");
  run = new Run({ text: (text) => open({ setup: { seed: 0, ...form.setup, text } }), moved: remember, notice, story: (next) => open(next), scripted: (told) => form.scripted(told) });
  form = new SetupForm($("setup"), cards, changed);
  measure = new Measure(cards, () => run.player.story?.setup, remember);
  cluster = new Cluster(cards, notice);
  tours = new Tours(run, open, () => show("run"));
  document.body.append(tours.guide);
  $("views").replaceChildren(...VIEWS.map(([name, words]) => h("button", { "data-view": name, onclick: () => show(name) }, words)));
  $("help-button").addEventListener("click", help);
  addEventListener("keydown", keys);
  let_go();
  looks();
  const given = read(location.hash);
  show(VIEWS.some(([name]) => name === given.view) ? given.view : "run");
  const usual = cards.text ? { text: cards.text.text } : { algorithm: "yokota-ring", size: 8 };
  const first = given.story ?? { setup: { ...usual, seed: 3 } };
  first.setup.seed ??= 0;
  await open(first, given.step);
  show(view);
  if (given.measured) measure.restore(given.measured);
  addEventListener("hashchange", () => go(read(location.hash)));
  document.documentElement.dataset.ready = "yes";
}

begin().catch((error) => notice(error.message, true));
