// The facts that the checker knows: of the present configuration if the system is small, of the whole algorithm on demand.

import { call, work } from "./api.js";
import { download, h, number } from "./dom.js";
import { decides, verdict } from "./judge.js";

/** The schedulers that a check can be about. */
const SCHEDULERS = {
  population: ["random", "globally-fair", "locally-fair", "fair", "unfair"],
  ring: ["random", "globally-fair", "fair", "unfair", "alternating", "synchronous", "distributed"],
  message: ["every run"],
};

/** The facts about the configuration that is shown. */
export class Facts {
  /** `on.choose(move)` takes a step, `on.known()` is called when the checker knows the configuration. */
  constructor(player, scene, map, on) {
    Object.assign(this, { player, scene, map, on });
    this.list = h("dl", { class: "facts" });
    this.worst = h("button", { title: "The step after which the worst schedule takes longest to a safe configuration (w)", onclick: () => this.play_worst() }, "worst step");
    this.best = h("button", { title: "The step after which a safe configuration is nearest (b)", onclick: () => this.play_best() }, "best step");
    this.box = h("section", { class: "panel" }, h("h2", {}, "This configuration"), this.list, h("div", { class: "row" }, this.worst, this.best));
    this.choices = [];
  }

  open(subject) {
    this.subject = subject;
    this.known = null;
    this.choices = [];
    this.list.replaceChildren();
    this.worst.disabled = this.best.disabled = true;
    this.map.close();
  }

  /** Another configuration is shown: the facts are not about it. */
  seen(frame) {
    if (this.of === frame) return;
    this.known = null;
    this.list.classList.add("old");
  }

  /** Asks again after a short pause. */
  later(wait = 90) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), wait);
  }

  async ask() {
    const { player } = this, { story, at } = player;
    if (!story || this.off) return;
    if (player.playing && (player.rate > 12 || this.subject.size > 64)) return this.later(300);
    let told;
    try { told = await call("choices", { story, step: at }); } catch { return; }
    if (story !== player.story || at !== player.at) return;
    this.choices = told.choices;
    this.scene.choose_from(told.choices);
    this.of = player.frame;
    this.list.classList.remove("old");
    this.show(told.here, player.frame, told.measures);
    if (this.known) this.on.known();
    if (told.here.state === "soon") this.later(350);
    if (told.here.state === "known" && told.here.drawn) {
      await this.map.open(story.setup);
      if (story === player.story && at === player.at) this.map.here(told.here.node, at);
    }
  }

  show(here, frame, measures) {
    this.known = here.state === "known" ? here : null;
    const rows = [];
    const row = (name, value, kind) => rows.push(h("dt", {}, name), h("dd", { class: kind ?? "" }, value));
    const { subject } = this;
    if (subject.goal.includes("leader")) row("leaders", String(frame?.leaders ?? "?"));
    if (subject.goal.includes("token")) row("tokens", String(frame?.tokens ?? "?"));
    if (here.state === "known" && here.safe !== undefined) {
      row(decides(subject, here) ? "safe" : "safe under every schedule", here.safe ? "yes, for ever" : "not yet", here.safe ? "good" : "");
      if (frame && frame.safe !== here.safe && subject.safety !== "unknown") row(`by the proof${decides(subject, here) ? "" : `, ${subject.scheduler}`}`, frame.safe ? `in ${subject.safe_set}` : `not in ${subject.safe_set}`);
      if (!here.safe) for (const fact of this.outlook(here)) row(...fact);
    } else {
      if (subject.safety !== "unknown") row("in the proof's safe set", frame?.safe ? "yes" : "no", frame?.safe ? "good" : "");
      rows.push(h("dd", { class: "hint wide" }, here.state === "soon" ? "The checker is computing …" : `Unknown: ${here.why ?? ""}`));
    }
    const moves = this.choices.filter((choice) => choice.active);
    const actors = new Set(moves.map((choice) => JSON.stringify(choice.step.arc ?? choice.step.processes)));
    row("steps that change something", String(actors.size));
    if (measures) {
      const lowering = new Set(moves.filter((choice) => choice.lowers).map((choice) => JSON.stringify(choice.step.arc ?? choice.step.processes)));
      row("steps that lower the proof’s measure", String(lowering.size), lowering.size ? "good" : "");
      rows.push(h("dd", { class: "wide" }, h("table", { class: "figures measures", "aria-label": "The measures of the proof, the most important first" }, measures.map(([measure, value]) => h("tr", {}, h("td", {}, h("code", {}, measure)), h("td", {}, value))))));
    }
    this.list.replaceChildren(...rows);
    // Where all step at once the scheduler has no choice.
    this.worst.disabled = this.best.disabled = !this.known || !moves.length || here.at_once === "all";
  }

  /** The steps to a safe configuration, expected and in the worst case; where all step at once only coins decide. */
  outlook(here) {
    const { at_once } = here, expected = here.expected === null ? "can heal" : `${number(here.expected)} steps expected`;
    const chance = [{ all: "all at once", any: "any set at once" }[at_once] ?? "random scheduler", here.can_heal ? expected : "can never heal", here.can_heal ? "" : "bad"];
    const ever = here.worst === "ever", luck = at_once === "all";
    const worst = [luck ? "worst case" : "worst schedule", ever ? (luck ? (here.expected === null ? "never" : "unbounded, with probability 0") : "stays unsafe for ever") : `at most ${number(here.worst)} change${here.worst === 1 ? "" : "s"}`, ever && !(luck && here.expected !== null) ? "bad" : ""];
    return [chance, worst];
  }

  /** The worst-case steps after a choice. */
  static cost = (choice) => (choice.there?.worst === "ever" ? Infinity : choice.there?.worst ?? -1);

  async play_worst() {
    if (this.worst.disabled) return;
    const moves = this.choices.filter((choice) => choice.active && choice.there);
    const worst = moves.reduce((a, b) => {
      const x = Facts.cost(a), y = Facts.cost(b);
      return y > x || (y === x && (b.there.expected ?? 0) > (a.there.expected ?? 0)) ? b : a;
    }, moves[0]);
    if (worst) { await this.on.choose(worst.step); await this.ask(); }
  }

  async play_best() {
    if (this.worst.disabled) return;
    const moves = this.choices.filter((choice) => choice.active && choice.there);
    const far = (choice) => (choice.there.safe ? -1 : choice.there.expected ?? Facts.cost(choice));
    const best = moves.reduce((a, b) => (far(b) < far(a) ? b : a), moves[0]);
    if (best) { await this.on.choose(best.step); await this.ask(); }
  }
}

/** A check of every configuration, and the run that shows a failure. */
export class Check {
  /** `on.story(story)` plays a run. */
  constructor(player, on) {
    Object.assign(this, { player, on });
    this.scheduler = h("select", { "aria-label": "Scheduler" });
    this.button = h("button", { class: "primary", onclick: () => this.press() }, "Check");
    this.progress = h("div", { hidden: true });
    this.outcome = h("div", { "aria-live": "polite" });
    this.box = h("section", { class: "panel check" }, this.heading = h("h2", {}), h("div", { class: "row" }, this.scheduler, this.button), this.progress, this.outcome);
  }

  open(subject) {
    const known = (subject && this.subject) && [subject.name, subject.size, subject.rules].join() === [this.subject.name, this.subject.size, this.subject.rules].join();
    this.subject = subject;
    // The verdict stays as long as it is about the algorithm that is shown.
    if (known) return;
    const names = SCHEDULERS[subject.kind] ?? [];
    this.box.hidden = !names.length;
    this.scheduler.replaceChildren(...names.map((name) => h("option", { value: name }, name === subject.claimed ? `${name} (as claimed)` : name)));
    this.scheduler.value = names.includes(subject.claimed) ? subject.claimed : names[0];
    this.outcome.replaceChildren();
    if (this.cancel) this.cancel.now = true;
  }

  /** A text with errors is not checked and has no verdict. */
  forbid(stale) {
    this.button.disabled = stale && !this.cancel;
    if (!stale) return;
    if (this.cancel) this.cancel.now = true;
    this.outcome.replaceChildren(h("p", { class: "hint" }, "The text has errors. Correct them before you check it."));
  }

  async press() {
    if (this.button.disabled) return;
    if (this.cancel) { this.cancel.now = true; return; }
    if (!this.player.story) return;
    const cancel = (this.cancel = { now: false });
    const { setup } = this.player.story;
    this.button.textContent = "Cancel";
    this.outcome.replaceChildren();
    this.progress.hidden = false;
    try {
      const found = await work("check", { setup: { ...setup, start: "arbitrary" }, scheduler: this.scheduler.value }, (told) => this.show_progress(told), cancel);
      this.show(found);
    } catch (refused) {
      this.outcome.replaceChildren(h("p", { class: "hint" }, refused.message));
    } finally {
      this.progress.hidden = true;
      this.button.textContent = "Check";
      this.cancel = null;
    }
  }

  show_progress({ phase, done, total, found }) {
    const share = total ? Math.min(100, (100 * done) / total) : null;
    this.progress.replaceChildren(h("div", { class: "bar" }, h("i", { class: share === null ? "unknown" : "", style: share === null ? "" : `width:${share}%` })),
      h("p", { class: "hint" }, `${phase || "starting"}${total ? `: ${number(done)} of ${number(total)}` : ""}`), found.length ? h("p", { class: "hint" }, found.at(-1)) : null);
  }

  show(found) {
    const rows = found.figures.map(([name, value]) => h("tr", {}, h("td", {}, name), h("td", {}, number(Number(value), 2))));
    const more = h("details", {}, h("summary", {}, "full report"), h("pre", { tabindex: "0" }, found.report));
    const box = h("div", { class: `outcome ${found.holds ? "good" : "bad"}` }, h("b", {}, verdict(found)));
    if (found.run) {
      const { shows, story, cycle, trace } = found.run;
      box.append(h("p", {}, `${shows[0].toUpperCase()}${shows.slice(1)}.`),
        h("div", { class: "row" }, h("button", { class: "primary", id: "play-run", onclick: () => this.on.story(story) }, cycle ? `Play it: a cycle of ${cycle} steps` : "Play it"),
          trace ? h("button", { title: "For `ringleader elect --replay`", onclick: () => download(`${this.subject.name}.trace`, trace, "text/plain") }, "Save the trace") : null));
    }
    box.append(h("table", {}, rows), more);
    this.outcome.replaceChildren(box);
  }
}
