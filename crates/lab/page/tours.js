// Guided tours: some sentences at a time, with something to do on the page and something to look at. They are Markdown, as those of a lecturer are.

import { h, remembered } from "./dom.js";

/** Plays the counterexample of the last check, or the recorded run that is shown. */
async function play(run) {
  if (run.check.outcome.querySelector("#play-run")) await run.check.play();
  else if (run.player.story.script) { await run.player.go(0); run.player.play(); } else throw new Error("There is no counterexample here: check first.");
}

/** The files of the short tours and of the long ones, beside this page. */
const SHORT = ["self-stabilization", "two-agents", "why-prime", "bullets-and-shields", "missing-bit", "not-a-lock"];
const LONG = ["self-stabilization", "oracles", "messages"];
/** The name of the lecturer's tour in an address. */
const OWN = "own";

/** The actions that a tour in Markdown can have, by the target of their link: a word, perhaps a colon and an argument. */
const ACTIONS = {
  "until-safe": (run) => run.to_safe(),
  steps: async (run, count, signal) => { for (let i = 0; i < (Number(count) || 1) && !signal?.aborted; i++) await run.player.step(); },
  play: (run, count, signal) => new Promise((done) => {
    const { player } = run, last = player.at + (Number(count) || 1), hears = ["frame", "playing"];
    const look = () => {
      if (player.at < last && player.playing && !signal?.aborted) return;
      for (const name of hears) player.removeEventListener(name, look);
      if (player.at >= last) player.pause();
      done();
    };
    run.play_at(4);
    for (const name of hears) player.addEventListener(name, look);
  }),
  "to-step": (run, step) => run.player.go(Number(step) || 0),
  corrupt: (run, agents) => run.corrupt((agents || "0").split(",").map(Number)),
  check: (run, scheduler) => { if (run.scheduling) run.be_scheduler(false); return scheduler ? run.check_under(scheduler) : run.check.press(); },
  "play-counterexample": play,
  "remove-leader": (run) => run.demote(),
  "second-leader": (run) => run.promote(),
  "be-scheduler": (run, on) => run.be_scheduler(on !== "off"),
  take: (run, who) => { const [a, b] = who.split(",").map(Number); return run.take(b === undefined ? { processes: [a] } : { arc: [a, b] }); },
  // Each press is the turn of the next list of processes.
  "take-turns": async (run, lists, _, memory) => {
    const turns = lists.split(";"), now = (memory.turn = ((memory.turn ?? -1) + 1) % turns.length);
    for (const process of turns[now].split(",")) await run.take({ processes: [Number(process)] });
  },
  oracle: (run, said) => { run.told.value = { truth: "", leader: "1,1", none: "0,0" }[said] ?? ""; run.told.dispatchEvent(new Event("change")); },
  "worst-step": (run) => run.facts.play_worst(),
  "worst-until-safe": async (run, _, signal) => { for (let i = 0; i < 500 && !signal?.aborted && !run.facts.known?.safe && run.facts.known?.worst !== "ever"; i++) { if (i > 30 && !run.facts.known) throw new Error("The worst step is unknown here: there are too many configurations."); await run.facts.play_worst(); await new Promise((resume) => setTimeout(resume, 300)); } },
  view: (run, name) => document.querySelector(`nav [data-view="${name}"]`)?.click(),
};

const whole = (text) => /^\d{1,7}$/.test(text ?? "");
/** Why an action cannot have this argument, if it cannot. */
const ARGUMENTS = {
  ...Object.fromEntries(["steps", "play"].map((name) => [name, (count) => !count || (whole(count) && Number(count) > 0) || `${name}:N takes a number of steps from 1 to 9999999`])),
  "to-step": (step) => /^\d{1,9}$/.test(step ?? "") || "to-step:N takes a step",
  corrupt: (agents) => !agents || agents.split(",").every(whole) || "corrupt:AGENT,AGENT takes numbers of agents",
  take: (who) => (who ?? "").split(",").every(whole) || "take:PROCESS or take:AGENT,AGENT takes numbers",
  "take-turns": (lists) => (lists ?? "").split(/[,;]/).every(whole) || "take-turns:PROCESSES;PROCESSES takes numbers",
  oracle: (said) => ["truth", "leader", "none"].includes(said) || "oracle: is truth, leader or none",
  view: (name) => ["run", "measure", "cluster", "tours"].includes(name) || "view: is run, measure, cluster or tours",
};
/** The number of the agent that does not exist, if an action names one. */
const stray = (name, argument, size) => ["corrupt", "take", "take-turns"].includes(name) && argument?.split(/[,;]/).find((agent) => Number(agent) >= size);

/** The pieces of a line: code, emphasis and plain words. */
function inline(text) {
  return text.split(/(`[^`]*`|\*\*[^*]+\*\*|\*[^*]+\*)/).filter(Boolean).map((piece) => (piece.startsWith("`") ? h("code", {}, piece.slice(1, -1)) : piece.startsWith("**") ? h("b", {}, piece.slice(2, -2)) : piece.startsWith("*") && piece.length > 2 ? h("i", {}, piece.slice(1, -1)) : piece));
}

/** Reads a tour: `# name`, a paragraph about it, and for each stop `## title (5 min)` or `##` alone, paragraphs, lists, notes for the lecturer as quotations, a link
 * `[open](#run?...)` to the run that it opens, and a link `[label](action)` that becomes its button. What cannot be used is named in `wrong`. */
export function parse(text, file) {
  const tour = { name: file, about: "", stops: [], wrong: [] };
  let stop = null;
  text.split(/\r?\n/).forEach((line, index) => {
    const link = line.match(/^\s*\[([^\]]+)\]\(([^)\s]+)\)\s*$/), place = `line ${index + 1}`;
    if (/^# /.test(line)) tour.name = line.slice(2).trim();
    else if (/^##( |$)/.test(line)) tour.stops.push((stop = { title: line.slice(3).replace(/\(\d+ min\)/, "").trim(), minutes: Number(line.match(/\((\d+) min\)/)?.[1] ?? 0), blocks: [], notes: [], actions: [] }));
    else if (!stop) tour.about += `${tour.about && line.trim() ? " " : ""}${line.trim()}`;
    else if (link?.[2].startsWith("#")) { if (link[2].startsWith("#run?")) { stop.address = link[2]; stop.line = index + 1; } else tour.wrong.push(`${place}: a stop opens a link that begins with #run?`); }
    else if (link) {
      const [name, argument] = link[2].split(/:(.*)/s), memory = {}, fits = ARGUMENTS[name]?.(argument) ?? true;
      if (!Object.hasOwn(ACTIONS, name)) tour.wrong.push(`${place}: there is no action “${name}”; there are ${Object.keys(ACTIONS).join(", ")}`);
      else if (fits !== true) tour.wrong.push(`${place}: ${fits}`);
      else stop.actions.push({ words: link[1], act: (run, signal) => { const none = stray(name, argument, run.subject.size); if (none) throw new Error(`${place} of the tour: there is no agent ${none}; there are ${run.subject.size}`); return ACTIONS[name](run, argument, signal, memory); } });
    } else if (/^\s*(\||\d+\. )/.test(line) || /\[[^\]]+\]\([^)]+\)/.test(line)) { tour.wrong.push(`${place}: a tour has no tables, numbered lists or links within a line`); stop.blocks.push({ words: line.trim() }); }
    else if (/^\s*>/.test(line)) stop.notes.push(line.replace(/^\s*> ?/, ""));
    else if (/^\s*- /.test(line)) stop.blocks.push({ item: line.replace(/^\s*- /, "") });
    else if (!line.trim()) stop.blocks.push({});
    else { const last = stop.blocks.at(-1); if (last?.words || last?.item) last[last.item ? "item" : "words"] += ` ${line.trim()}`; else stop.blocks.push({ words: line.trim() }); }
  });
  if (!tour.stops.length) tour.wrong.push("it has no stops: a stop begins with ##");
  return tour;
}

/** The minutes of some stops together. */
const minutes = (stops) => stops.reduce((sum, stop) => sum + stop.minutes, 0);

/** The words of a stop as elements. */
function blocks(stop) {
  const made = [];
  for (const { words, item } of stop.blocks) {
    if (words) made.push(h("p", {}, inline(words)));
    if (item) { if (made.at(-1)?.tagName !== "UL") made.push(h("ul", {})); made.at(-1).append(h("li", {}, inline(item))); }
  }
  return made;
}

export class Tours {
  /** `run` is the view of a run. `on.open(story, step)` opens one, `on.show()` brings it to the front, `on.visit(address)` shows an address, `on.moved()` is
   * called when another stop is shown. `cards.tour` is the tour of a lecturer, if there is one. */
  constructor(run, on, cards, read) {
    Object.assign(this, { run, on, cards, read, notice: on.notice });
    this.tours = [];
    this.box = h("div", { class: "tours" });
    this.guide = h("aside", { class: "guide panel", hidden: true, "aria-live": "polite", "aria-label": "Tour" });
  }

  /** Reads the tours, once. */
  load() {
    this.draw_cards();
    return (this.loaded ??= this.read_all().catch((failed) => { this.loaded = null; throw failed; }));
  }

  async read_all() {
    const texts = (folder, names) => Promise.all(names.map(async (name) => (await fetch(`${folder}/${name}.md`)).text()));
    const [short, long] = await Promise.all([texts("short-tours", SHORT), texts("tours", LONG)]);
    this.tours = short.map((text) => parse(text)).map((tour) => ({ ...tour, id: tour.name.toLowerCase().replaceAll(/[^a-z]+/g, "-") }));
    this.tours.push(...long.map((text, i) => ({ ...parse(text, LONG[i]), id: LONG[i], long: true })));
    // The lab may have been opened with one of the long tours.
    this.own = LONG[long.indexOf(this.cards.tour)] ?? OWN;
    if (this.cards.tour && this.own === OWN) this.tours.push({ ...parse(this.cards.tour, "your tour"), id: OWN, long: true });
    this.draw_cards();
  }

  /** The tour and the stop, for the address. */
  get address() { return this.tour ? { name: this.tour.id, stop: this.at + 1 } : null; }

  /** Shows the card of an address, or none; without a `story` in the address, the stop opens its own. Says what is wrong with it, if something is. */
  async follow(place, story) {
    if (!place) { if (this.tour) this.end(); return null; }
    await this.load().catch(() => {});
    const tour = this.tours.find(({ id }) => id === place.name), at = place.stop - 1;
    if (!tour?.stops[at]) return tour ? `the tour has ${tour.stops.length} stops, and no stop ${place.stop}` : place.name === OWN ? "it belongs to a tour that this lab was not opened with" : `there is no tour “${place.name.slice(0, 40)}”`;
    if (tour !== this.tour) this.enter(tour);
    if (!story) {
      // A stop without a run of its own goes on with that of a stop before.
      this.on.show();
      await this.stop(Math.max(0, tour.stops.findLastIndex((stop, index) => index <= at && stop.address)));
    }
    this.at = at;
    this.draw();
    return null;
  }

  async begin_own() {
    await this.load();
    await this.begin(this.tours.findIndex(({ id }) => id === this.own));
  }

  /** Handles a key, also of a presenter; returns whether it means anything here. */
  key({ key }) {
    if (!this.tour || !["PageDown", "PageUp"].includes(key)) return false;
    this.guide.querySelector(key === "PageDown" ? ".next" : ".before")?.click();
    return true;
  }

  draw_cards() {
    const card = (tour, index) => h("button", { class: "panel card", onclick: () => this.begin(index) }, h("b", {}, tour.name), h("span", {}, inline(tour.about)), h("small", {}, `${tour.stops.length} stops${tour.long ? `, ${minutes(tour.stops)} minutes` : ""}`));
    const cards = this.tours.map(card), short = this.tours.filter(({ long }) => !long).length;
    this.box.replaceChildren(h("p", { class: "hint" }, "Five minutes each. A tour opens runs and says what to look at; all controls of the page stay usable."), h("div", { class: "cards" }, cards.slice(0, short)),
      h("p", { class: "hint" }, "For a lecture: stops with minutes, and notes for the lecturer. ", h("code", {}, "ringleader lab --tour FILE"), " opens a tour of your own."), h("div", { class: "cards" }, cards.slice(short)));
  }

  async begin(index) {
    const tour = this.tours[index];
    this.on.show();
    this.end();
    this.enter(tour);
    if (tour.stops.length) await this.stop(0);
  }

  /** Shows the card of a tour, before its stop is known. */
  enter(tour) {
    this.tour = tour;
    Object.assign(this, { at: 0, places: [], begun: Date.now() });
    this.wrong = [...this.tour.wrong];
    if (!this.tour.stops.length) { this.tour = null; this.notice(`Something is wrong with this tour: ${this.wrong.join("; ")}.`, true); return; }
    // The algorithms of all stops are known before the lecture begins.
    for (const { address, line } of this.tour.stops) {
      const { story, wrong } = address ? this.read(address) : { wrong: [] };
      if (story?.setup.algorithm && !this.cards.cards.some(({ name }) => name === story.setup.algorithm)) wrong.push(`no algorithm is called “${story.setup.algorithm}”`);
      if (wrong.length) this.wrong.push(`line ${line}: ${wrong.join(", ")}`);
    }
    this.guide.hidden = false;
    document.body.classList.add("touring");
  }

  end() { this.guide.hidden = true; this.tour = null; document.body.classList.remove("touring"); this.notes?.close(); this.notes = null; }

  /** The card covers nothing: it stands above the rules of the run, and above the other views. */
  place(view) {
    if (view === "run") this.run.column.prepend(this.guide); else document.getElementById("main").before(this.guide);
  }

  async stop(index) {
    // Steps of the stop before do not go on in this one.
    this.run.player.pause();
    this.leave?.abort();
    if (this.run.looking) this.run.looking.stop = true;
    if (index !== this.at) this.places[this.at] = location.hash;
    this.at = index;
    const { tour } = this, stop = tour.stops[index];
    this.draw();
    scrollTo({ top: 0 });
    await (this.opened = this.open_run(stop));
  }

  /** Opens the run of a stop. */
  async open_run(stop) {
    if (stop.address) {
      const { story, step, claims, wrong } = this.read(stop.address);
      this.run.check.claim(claims);
      if (story) await this.on.open(story, step);
      if (wrong.length) this.notice(`Something is wrong with the link of this stop: ${wrong.join("; ")}.`, true);
    } else this.on.moved();
  }

  /** The stop before, as it was left. */
  before() {
    const place = this.places[this.at - 1];
    scrollTo({ top: 0 });
    return place ? this.on.visit(place) : this.stop(this.at - 1);
  }

  draw() {
    const { tour, at } = this, stop = tour.stops[at], leave = (this.leave = new AbortController()), { signal } = leave;
    const { actions } = stop, done = new Set();
    const act_once = async (button, action) => {
      button.disabled = true;
      done.add(action);
      next.textContent = words();
      const verdict = this.run.check.outcome.firstChild;
      // An action is about the run of this stop, which may still be opening.
      try { await this.opened; await action.act(this.run, signal); } catch (refused) { this.notice(refused.message, true); } finally { button.disabled = false; }
      // The panel of the check may be out of sight.
      const told = this.run.check.outcome.firstChild;
      if (told && told !== verdict) said.replaceChildren(h("p", { class: told.className.replace("outcome", "told") }, (told.querySelector("b") ?? told).textContent));
    };
    const said = h("div", { "aria-live": "polite" });
    const buttons = actions.map((action) => h("button", { class: "primary", onclick: ({ currentTarget }) => act_once(currentTarget, action) }, action.words));
    // The next stop refers to the outcome of this one: an action that was not pressed happens first, and the button says so.
    const words = () => (done.size || !actions.length ? "Next" : "Do it, next");
    const go_on = async () => {
      if (!done.size) for (const [i, action] of actions.entries()) { if (this.tour === tour && this.at === at) await act_once(buttons[i], action); }
      if (this.tour === tour && this.at === at) await this.stop(at + 1);
    };
    const next = h("button", { class: "next", onclick: go_on }, words());
    const other = h("button", { class: "quiet", title: "The notes, a clock and the next stop in a window of their own, for the screen that only you see", onclick: () => this.open_notes() }, "in another window");
    const notes = stop.notes.length && !this.notes ? h("details", { class: "notes", open: Boolean(remembered.get("notes")), ontoggle: ({ currentTarget }) => remembered.set("notes", currentTarget.open || null) }, h("summary", {}, "notes for the lecturer"), stop.notes.map((note) => h("p", {}, inline(note))), other) : null;
    const length = stop.minutes ? h("small", {}, `${stop.minutes} min`) : null;
    const wrong = this.wrong.length ? h("details", { class: "complaint", open: at === 0 && this.wrong.length < 4 }, h("summary", {}, `${this.wrong.length} line${this.wrong.length === 1 ? "" : "s"} of this tour cannot be used`), h("ul", {}, this.wrong.map((line) => h("li", {}, line)))) : null;
    this.guide.replaceChildren(h("div", { class: "head" }, h("h2", {}, tour.name), h("span", { class: "gap" }), length ?? "", h("small", { class: "where" }, `${at + 1} of ${tour.stops.length}`), h("button", { class: "quiet", "aria-label": "End the tour", onclick: () => this.end() }, "×")),
      wrong ?? "", stop.title ? h("b", {}, stop.title) : "", ...blocks(stop), said, notes ?? "", h("div", { class: "row" }, buttons, h("span", { class: "gap" }), h("button", { class: "before", disabled: at === 0, onclick: () => this.before() }, "Back"),
        at + 1 < tour.stops.length ? next : h("button", { class: "next", onclick: () => this.end() }, "Done")));
    this.guide.scrollTop = 0;
    this.write_notes();
  }

  /** Notes, clock and next stop in a window for the lecturer's own screen. */
  open_notes() {
    this.notes = open("", "ringleader-notes", "width=620,height=720");
    if (!this.notes) { this.notice("The browser does not allow another window: allow windows of this page.", true); return; }
    const { notes } = this;
    const tick = setInterval(() => {
      const clock = notes.closed ? null : notes.document.getElementById("clock");
      if (notes.closed) { clearInterval(tick); if (this.notes === notes) { this.notes = null; if (this.tour) this.draw(); } } else if (clock) { const seconds = Math.floor((Date.now() - this.begun) / 1000); clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`; }
    }, 500);
    this.draw();
  }

  write_notes() {
    if (!this.notes || this.notes.closed || !this.tour) return;
    const { tour, at } = this, stop = tour.stops[at], next = tour.stops[at + 1], { document: page } = this.notes;
    page.title = `Notes: ${tour.name}`;
    page.body.style.cssText = "font: 1.3rem/1.5 system-ui, sans-serif; margin: 1.5rem; color-scheme: light dark";
    page.body.replaceChildren(h("p", {}, h("b", { id: "clock" }, "0:00"), ` of ${minutes(tour.stops)} minutes; stop ${at + 1} of ${tour.stops.length}${stop.minutes ? `: from minute ${minutes(tour.stops.slice(0, at))} to ${minutes(tour.stops.slice(0, at + 1))}` : ""}`),
      h("h2", {}, stop.title), ...stop.notes.map((note) => h("p", {}, inline(note))), h("p", { style: "opacity: 0.7" }, next ? `Next: ${next.title}` : "This is the last stop."));
  }
}
