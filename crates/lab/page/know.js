// The facts that the checker knows: of the present configuration if the system is small, of the whole algorithm on demand.

import { Refused, call, work } from "./api.js";
import { curves } from "./curves.js";
import { download, grouped, h, number } from "./dom.js";
import { decides, verdict } from "./judge.js";

/** The schedulers that a check can be about. */
const SCHEDULERS = {
  population: ["random", "globally-fair", "locally-fair", "fair", "unfair", "random-partner", "fair-random-partner"],
  ring: ["random", "globally-fair", "locally-fair", "fair", "unfair", "alternating", "synchronous", "distributed", "locally-central"],
  graph: ["random", "globally-fair", "locally-fair", "fair", "unfair", "synchronous", "distributed", "locally-central"],
  message: ["every run"],
};

/** The words that begin a claim, with the verdict if it holds and if it fails. */
const CLAIMS = {
  always: ["holds, it is true in every configuration", "fails, it is false in some configuration"],
  closed: ["holds, no step makes it false", "fails, some step makes it false"],
  eventually: ["holds, every execution reaches it", "fails, some execution never reaches it"],
  recurring: ["holds, infinitely often in every execution", "fails, in some execution it no longer happens"],
  response: ["holds, the second always follows the first", "fails, in some execution the second does not follow"],
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
    this.told = null;
    this.list.replaceChildren();
    this.worst.disabled = this.best.disabled = true;
    this.map.close();
  }

  /** Another configuration is shown: the facts are not about it. */
  seen(frame) {
    if (this.of === frame) return;
    this.known = null;
    this.list.classList.add("old");
    // Neither facts nor possible steps of an earlier configuration stand beside this one.
    if (!this.player.playing || this.off || !this.subject) return;
    this.choices = [];
    this.scene.choose_from([]);
    this.enabled?.wait();
    const counts = { leader: ["leaders", frame.leaders], token: ["tokens", frame.tokens] }[this.subject.about];
    this.list.classList.remove("old");
    this.list.replaceChildren(...(counts ? [h("dt", {}, counts[0]), h("dd", {}, String(counts[1]))] : []), h("dd", { class: "hint wide" }, "The other facts come when the run pauses."));
    this.worst.disabled = this.best.disabled = true;
  }

  /** Whether no step changes the configuration of this frame: it is the last one. */
  final(frame) { return this.of === frame && this.subject.graph.steps === "process" && frame.states.length <= 256 && !this.choices.some((choice) => choice.active); }

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
    try { told = await call("choices", { story, step: at, told: this.told ?? null }); } catch { return; }
    if (story !== player.story || at !== player.at) return;
    if (!player.frame) return this.later();
    this.choices = told.choices;
    this.scene.choose_from(told.choices);
    this.enabled?.show(told.choices, this.subject);
    this.of = player.frame;
    this.list.classList.remove("old");
    this.show(told.here, player.frame, told.measures);
    this.on.known();
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
    if (subject.about === "leader") row("leaders", String(frame?.leaders ?? "?"));
    if (subject.about === "token") row("tokens", String(frame?.tokens ?? "?"));
    if (here.state === "known" && here.safe !== undefined) {
      const lies = subject.oracle && (this.told || !subject.truthful), sure = subject.oracle ? (lies ? "once the oracle tells the truth" : "as long as the oracle tells the truth") : "yes, for ever";
      row(decides(subject, here) ? "safe" : "safe under every schedule", here.safe ? sure : "not yet", here.safe && !lies ? "good" : "");
      if (frame && frame.safe !== here.safe && subject.safety !== "unknown") row(`by the ${subject.own ? "text" : "proof"}${decides(subject, here) ? "" : `, ${subject.scheduler}`}`, frame.safe ? `in ${subject.safe_set}` : `not in ${subject.safe_set}`);
      if (!here.safe) for (const fact of this.outlook(here)) row(...fact);
    } else {
      if (subject.safety !== "unknown") row(subject.own ? "in the text's safe set" : "in the proof's safe set", frame?.safe ? "yes" : "no", frame?.safe ? "good" : "");
      rows.push(h("dd", { class: "hint wide" }, here.state === "soon" ? "The checker is computing …" : `Unknown: ${grouped(here.why ?? "")}`));
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
    const { at_once } = here, expected = here.expected === null ? "a safe configuration is reachable" : `${number(here.expected)} steps expected${at_once === "all" ? "" : ", idle ones included"}`;
    const chance = [{ all: "all at once", any: "any set at once" }[at_once] ?? "random scheduler", here.can_heal ? expected : "can never heal", here.can_heal ? "" : "bad"];
    const ever = here.worst === "ever", luck = at_once === "all";
    // A schedule that the claim excludes is no fault of the algorithm.
    const excluded = !luck && !["unfair", "distributed", "locally-central"].includes(this.subject.claimed);
    const worst = [luck ? "worst case" : excluded ? "worst schedule, also unfair ones" : "worst schedule", ever ? (luck ? (here.expected === null ? "never" : "unbounded, with probability 0") : excluded ? "can stay unsafe for ever; the claim excludes this" : "stays unsafe for ever") : `at most ${number(here.worst)} step${here.worst === 1 ? " that changes" : "s that change"} something`, ever && !excluded && !(luck && here.expected !== null) ? "bad" : ""];
    // The table is about a perfect oracle, whichever the run has.
    if (this.subject.oracle) for (const fact of [chance, worst]) fact[0] += ", perfect oracle";
    return [chance, worst];
  }

  /** The worst-case steps after a choice. */
  static cost = (choice) => (choice.there?.worst === "ever" ? Infinity : choice.there?.worst ?? -1);

  play_worst() {
    const expected = ({ there }) => there.expected ?? 0;
    return this.play((b, a) => Facts.cost(b) > Facts.cost(a) || (Facts.cost(b) === Facts.cost(a) && expected(b) > expected(a)));
  }

  play_best() {
    const far = (choice) => (choice.there.safe ? -1 : choice.there.expected ?? Facts.cost(choice));
    return this.play((b, a) => far(b) < far(a));
  }

  /** Takes the first step that no other one beats. */
  async play(beats) {
    if (this.worst.disabled) return;
    const moves = this.choices.filter((choice) => choice.active && choice.there), best = moves.reduce((a, b) => (beats(b, a) ? b : a), moves[0]);
    if (best) { await this.on.choose(best.step); await this.ask(); }
  }
}

/** A check of every configuration, and the run that shows a failure. */
export class Check {
  /** `on.story(story)` plays a run, `on.claimed()` is called when the claims change. */
  constructor(player, on) {
    Object.assign(this, { player, on });
    this.scheduler = h("select", { "aria-label": "Scheduler" });
    this.button = h("button", { class: "primary", onclick: () => this.press().then(() => this.outcome.scrollIntoView({ block: "nearest" })) }, "Check");
    this.progress = h("div", { hidden: true });
    this.outcome = h("div", { "aria-live": "polite" });
    this.memory = h("input", { type: "number", min: 64, "aria-label": "Memory of the check in MiB", title: "The most memory of a check, in MiB" });
    this.claims = h("textarea", { rows: 2, class: "claims", spellcheck: "false", "aria-label": "Claims to check", placeholder: "always EXPRESSION\nclosed EXPRESSION\neventually EXPRESSION\nrecurring EXPRESSION\nresponse EXPRESSION leads to EXPRESSION" });
    this.claims.addEventListener("keydown", (event) => event.stopPropagation());
    this.claims.addEventListener("input", () => on.claimed());
    const asks = (name, properties, before, after) => { this.asks[name] = h("input", { ...properties, onchange: () => on.claimed() }); return h("label", {}, before, this.asks[name], after); };
    this.asks = {};
    this.examples = [0, 1, 2].map(() => h("code", {}));
    this.coins = h("select", { "aria-label": "Coins", onchange: () => on.claimed() }, h("option", { value: "fair" }, "fair coins"), h("option", { value: "adversarial" }, "adversarial coins"));
    this.counting = h("span", {}, asks("rounds", { type: "checkbox" }, "", "count rounds"), asks("moves", { type: "checkbox" }, "", "count moves"));
    const asking = h("div", { class: "asks" }, this.counting, asks("within", { type: "number", min: 0, max: 100000, placeholder: "steps" }, "probability within ", " steps"), asks("quantile", { inputmode: "decimal", size: 5, placeholder: "0.99" }, "steps for probability ", ""),
      asks("start", { size: 18, placeholder: "every configuration", spellcheck: "false" }, "starts ", ""), h("label", {}, this.coins));
    for (const input of Object.values(this.asks)) input.addEventListener("keydown", (event) => event.stopPropagation());
    this.more = h("details", { class: "more" }, h("summary", {}, "rounds, probabilities, starts, own claims, memory"), asking,
      h("p", { class: "hint" }, "A round ends when every process that was enabled at its start has moved or has become disabled. Starts: a condition such as ", this.examples[0], " or counts of states such as ", this.examples[1], "; executions from these starts are checked, not from every configuration. Adversarial coins: the daemon chooses their outcomes, too."), this.claims, h("p", { class: "hint" }, "One claim on a line, for example ", this.examples[2], ". With claims, only they are checked. always: true in every configuration, since every configuration can be the first. closed: no step leads from a configuration where it is true to another one where it is not. eventually: every execution reaches a configuration where it is true. recurring: it holds infinitely often, for every process i. response: the first condition is always followed by the second."),
      h("label", { class: "hint" }, "memory, MiB ", this.memory, this.limit = h("span", {})));
    this.box = h("section", { class: "panel check" }, this.heading = h("h2", {}), h("div", { class: "row" }, this.scheduler, this.button), this.progress, this.outcome, this.more);
  }

  open(subject, { text, graph, channels, parameters }) {
    const key = JSON.stringify([subject.name, subject.size, subject.rules, text, graph, channels, Object.entries(parameters ?? {}).sort()]), known = this.key === key;
    Object.assign(this, { subject, key });
    // The verdict stays as long as it is about the algorithm and the parameters that are shown.
    if (known) return;
    const names = SCHEDULERS[subject.kind] ?? [];
    this.box.hidden = !names.length;
    // Claims about messages are checked on the command line.
    this.more.hidden = subject.kind === "message";
    this.counting.hidden = subject.kind === "population";
    const { name, low, words } = subject.variables[0] ?? { name: "x", low: 0, words: [] }, least = words[0] ?? low, about = { leader: "leader[i]", token: "token[i]" }[subject.about] ?? `${name}[i] = ${least}`;
    [`all i : ${about}`, `${name}=${least}: ${subject.size}`, `eventually ${subject.about === "leader" || subject.about === "token" ? "one" : "all"} i : ${about}`].forEach((words, i) => { this.examples[i].textContent = words; });
    this.asks.start.placeholder = subject.own_start ?? "every configuration";
    this.scheduler.replaceChildren(...names.map((name) => h("option", { value: name }, name === subject.claimed ? `${name} (as claimed)` : name)));
    this.scheduler.value = names.includes(subject.claimed) ? subject.claimed : names[0];
    this.outcome.replaceChildren();
    if (this.cancel) this.cancel.now = true;
  }

  /** The memory that the lab was given, in MiB. */
  within(usual, most) {
    this.memory.value = String(usual);
    this.memory.max = String(most);
    this.limit.textContent = ` of ${number(most)}`;
  }

  /** Shows the claims and the other questions of a link. */
  claim(text, asked = {}) {
    this.claims.value = text;
    const { coins = "fair", ...others } = asked;
    this.coins.value = coins;
    for (const [name, input] of Object.entries(this.asks)) if (input.type === "checkbox") input.checked = Boolean(others[name]); else input.value = others[name] ?? "";
    if (text || Object.keys(asked).length) this.more.open = true;
  }

  /** The questions besides the goal and the claims. */
  get asked() {
    if (this.subject?.kind === "message") return {};
    const { rounds, moves, within, quantile, start } = this.asks, asked = {};
    if (!this.counting.hidden && rounds.checked) asked.rounds = true;
    if (!this.counting.hidden && moves.checked) asked.moves = true;
    if (within.value !== "") asked.within = Math.floor(Number(within.value));
    if (quantile.value.trim()) asked.quantile = Number(quantile.value.replace(",", "."));
    if (start.value.trim()) asked.start = start.value.trim();
    if (this.coins.value !== "fair") asked.coins = this.coins.value;
    return asked;
  }

  /** The claims of the viewer: one on each line. */
  get stated() {
    const lines = this.claims.value.split("\n").map((line) => line.trim()).filter(Boolean);
    return lines.map((line) => {
      const [word, text] = line.split(/\s+(.*)/s);
      if (!Object.hasOwn(CLAIMS, word)) throw new Refused(`“${line}”: a claim begins with ${Object.keys(CLAIMS).join(", ")}.`);
      return { [word]: text ?? "" };
    });
  }

  /** A text with errors is not checked and has no verdict. */
  forbid(stale) {
    this.button.disabled = stale && !this.cancel;
    if (!stale) return;
    if (this.cancel) this.cancel.now = true;
    this.outcome.replaceChildren(h("p", { class: "hint" }, "The text has errors. Correct them before you check it."));
  }

  /** `coins` are fair or adversarial, under a daemon that chooses; `lies` says that the oracle is right only eventually. */
  async press(coins = this.coins.value, lies = this.lies) {
    if (this.button.disabled) return;
    if (this.cancel && !this.cancel.now) { this.cancel.now = true; return; }
    // A check that is being cancelled ends first.
    await this.working;
    if (!this.player.story || this.cancel) return;
    await (this.working = this.check(coins, lies));
  }

  /** Whether the run's oracle may give wrong answers for some time. */
  get lies() { return Boolean(this.subject.oracle) && !this.subject.truthful; }

  async check(coins, lies) {
    const cancel = (this.cancel = { now: false }), { key } = this;
    const { setup } = this.player.story;
    this.button.textContent = "Cancel";
    this.outcome.replaceChildren();
    this.progress.hidden = false;
    try {
      const { asked } = this;
      if (Number.isNaN(asked.quantile)) throw new Refused("The probability is no number: write one such as 0.99.");
      this.request = { setup: { ...setup, start: "usual" }, scheduler: this.scheduler.value, ...asked, coins, lies, memory: Number(this.memory.value) || null, claims: this.subject.kind === "message" ? [] : this.stated };
      const found = await work("check", this.request, (told) => this.show_progress(told), cancel);
      // A verdict on what is no longer shown is dropped.
      if (key === this.key) this.show(found);
    } catch (refused) {
      if (key === this.key) this.outcome.replaceChildren(h("p", { class: refused.message.includes("\n") ? "hint compiled" : "hint" }, grouped(refused.message)));
    } finally {
      this.progress.hidden = true;
      this.button.textContent = "Check";
      this.cancel = null;
    }
  }

  /** Shows the run of a failure, or the configuration in which a claim is false. */
  follow({ shows, story, prefix, cycle }) {
    if (prefix || cycle) return this.on.story(story);
    const { script, ...there } = story, [[word, claim]] = Object.entries(script?.claim ?? { "": "" });
    return this.on.open(there, word === "always" ? `The claim “always ${claim}” is false in this configuration.` : `${shows[0].toUpperCase()}${shows.slice(1)}, already in this configuration.`);
  }

  /** Looks for a counterexample to one of several claims, and shows it. The verdict on all of them stays. */
  async show_claim(index, button) {
    button.disabled = true;
    try {
      const { run } = await work("check", { ...this.request, claims: [this.request.claims[index]] }, () => {}, {});
      if (run) await this.follow(run);
    } catch (refused) { button.after(` ${refused.message}`); } finally { button.disabled = false; }
  }

  show_progress({ phase, done, total, found }) {
    const share = total ? Math.min(100, (100 * done) / total) : null;
    this.progress.replaceChildren(h("div", { class: "bar" }, h("i", { class: share === null ? "unknown" : "", style: share === null ? "" : `width:${share}%` })),
      h("p", { class: "hint" }, `${phase || "starting"}${total ? `: ${number(done)} of ${number(total)}` : ""}`), found.length ? h("p", { class: "hint" }, found.at(-1)) : null);
  }

  show(found) {
    const rows = found.figures.map(([name, value]) => h("tr", {}, h("td", {}, name), h("td", {}, Number.isNaN(Number(value)) ? value : number(Number(value), 2))));
    const more = h("details", {}, h("summary", {}, "full report"), h("pre", { tabindex: "0" }, found.report));
    const claims = found.claims ?? [], box = h("div", { class: `outcome ${!found.holds ? "bad" : found.unchecked?.length ? "" : "good"}` }, h("b", {}, found.only_claims ? (found.holds ? "Every claim holds." : "Not every claim holds.") : verdict(found)));
    // The run below belongs to the first claim that fails; the others have a button of their own.
    const failing = claims.findIndex(([, , holds]) => !holds), other = (i) => (found.only_claims && !claims[i][2] && i !== failing ? h("button", { title: "Show a counterexample to this claim", onclick: ({ currentTarget }) => this.show_claim(i, currentTarget) }, "show") : "");
    if (claims.length) box.append(h("ul", { class: "claimed" }, claims.map(([word, name, holds, numbers], i) => h("li", { class: holds ? "good" : "bad" }, `${holds ? "✓" : "✗"} ${word} ${name.replaceAll("`", "")}: ${CLAIMS[word][holds ? 0 : 1]}${numbers ? `; ${numbers.replaceAll(/in \[(\S+), (\S+)\]/g, (all, low, high) => (Number(low).toFixed(3) === Number(high).toFixed(3) ? Number(low).toFixed(3) : all))}` : ""} `, other(i)))));
    if (found.starts) box.append(h("p", { class: "hint" }, "About executions that start where ", h("code", {}, found.starts), "."));
    if (found.run) {
      const { shows, story, prefix, cycle, trace } = found.run, still = !prefix && !cycle;
      this.play = () => this.follow(found.run);
      // Without steps there is nothing to play: the failure is in the first configuration.
      const play = still && !Array.isArray(story.setup.start) ? null : h("button", { class: "primary", id: "play-run", onclick: this.play }, still ? "Show the configuration" : cycle ? `Play it: a cycle of ${cycle === 1 ? "one step" : `${cycle} steps`}` : "Play it");
      box.append(h("p", {}, `${shows[0].toUpperCase()}${shows.slice(1)}${still ? ", already in the first configuration" : ""}.`),
        h("div", { class: "row" }, play,
          trace ? h("button", { title: "For `ringleader elect --replay`", onclick: () => download(`${this.subject.name}.trace`, trace, "text/plain") }, "Save the trace") : null));
    }
    if (found.oracle) {
      const perfect = found.oracle === "perfect";
      box.append(h("p", { class: "hint" }, h("button", { id: "other-oracle", onclick: () => this.press(found.coins ?? "fair", perfect) }, perfect ? "Check with an oracle that is right only eventually" : "Check with a perfect oracle")));
    }
    if (found.coins) {
      const other = found.coins === "fair" ? "adversarial" : "fair";
      box.append(h("p", { class: "hint" }, found.coins === "fair" ? "The daemon chooses the steps; coins are fair. " : "The daemon chooses the steps and the outcomes of the coins. ",
        h("button", { onclick: () => this.press(other) }, `Check with ${other} coins`)));
    }
    box.append(h("table", {}, rows), found.curves ? curves(found.curves, this.subject.name) : "", more);
    this.outcome.replaceChildren(box);
  }
}
