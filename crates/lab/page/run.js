// The view of one run: the agents, the diagram, the rules, the facts that the checker knows, and the playback buttons.

import { call, work } from "./api.js";
import { Diagram } from "./diagram.js";
import { download, folds, h, number } from "./dom.js";
import { decides, judged, told_of } from "./judge.js";
import { Check, Facts } from "./know.js";
import { ConfigurationMap } from "./map.js";
import { Chart, MessageScene, Transit } from "./messages.js";
import { has } from "./marks.js";
import { in_words } from "./network.js";
import { Player } from "./player.js";
import { Editor, Rules } from "./rules.js";
import { Scene } from "./scene.js";
import { Enabled, Watch } from "./steps.js";

/** The number of steps in the log. */
const LOGGED = 24;
/** Steps a second. */
const RATES = [0.5, 1, 2, 4, 8, 15, 30, 60, 150, 500, 2000, 10000, 50000];

export class Run {
  /** `on.text(text)` is called with another text of a protocol, `on.moved()` whenever the address changes. */
  constructor(on) {
    this.on = on;
    // A recorded run has its own source and cannot be steered.
    this.recorded = Boolean(on.source);
    this.player = new Player(on.source ?? { frames: (story, from, to, every) => call("frames", { story, from, to, every }) });
    this.player.pauses = true;
    const touch = this.recorded ? {} : { step: (move) => this.take(move), agent: (index, element) => this.agent(index, element) };
    this.scenes = { agents: new Scene(touch), messages: new MessageScene(touch) };
    this.scene = this.scenes.agents;
    this.transit = new Transit(touch);
    this.map = new ConfigurationMap();
    this.facts = new Facts(this.player, this.scene, this.map, { choose: (move) => this.take(move), known: () => this.judge(this.player.frame) });
    this.enabled = new Enabled({ choose: (move) => this.take(move) });
    this.facts.enabled = this.enabled;
    this.watch = new Watch(this.player);
    this.check = new Check(this.player, { story: (story) => this.play_story(story), open: (story, words) => this.show_still(story, words), claimed: () => on.moved() });
    this.diagrams = { agents: new Diagram(this.player), messages: new Chart(this.player) };
    this.diagram = this.diagrams.agents;
    this.rules = new Rules();
    this.editor = new Editor({ use: (text) => { this.typed = text; on.text(text); }, judged: (fine) => this.set_stale(!fine), notice: on.notice });
    this.about = h("div", { class: "about" });
    this.build();
    this.listen();
  }

  build() {
    this.verdict = h("div", { class: "verdict", "aria-live": "polite" });
    this.banner = h("p", { class: "banner", id: "banner", "aria-live": "polite", hidden: true });
    this.jumping = h("div", { class: "jumping", id: "jumping", hidden: true, "aria-live": "polite" });
    this.undoing = h("button", { id: "undo", disabled: true, title: "Take back your last step or edit (Ctrl+Z)", onclick: () => this.player.undo() }, "undo");
    this.mine = h("button", { "aria-pressed": "false", title: "The run waits until you click an arc or a process (m)", onclick: () => this.be_scheduler() }, "be the scheduler");
    this.told = h("select", { id: "told", hidden: true, title: "The answer of the leader detector to the two agents of the next step that you choose", "aria-label": "The oracle's answer to your next step", onchange: () => { this.facts.told = this.answers; this.facts.later(0); this.judge(this.player.frame); } },
      [["", "oracle: the truth"], ["1,1", "oracle says: a leader"], ["0,0", "oracle says: no leader"], ["1,0", "a leader to the first, none to the second"], ["0,1", "none to the first, a leader to the second"]].map(([value, words]) => h("option", { value }, words)));
    this.break = h("button", { title: "A random agent gets an arbitrary state (c)", onclick: () => this.corrupt() }, "corrupt an agent");
    this.stage = h("section", { class: "panel stage", "aria-label": "The agents" }, this.banner, this.jumping, this.field = h("div", { class: "field" }, h("div", { class: "over" }, this.verdict, h("div", { class: "tools" }, this.undoing, this.told, this.mine, this.break)), this.scene.svg, this.scene.legend));
    new ResizeObserver(() => this.settle()).observe(this.field);
    this.rulesPanel = h("section", { class: "panel rules-panel" }, h("h2", {}, "Rules"), this.rules.box);
    this.editorPanel = h("section", { class: "panel editor-panel", style: "display:flex;flex-direction:column;flex:1 1 26rem" }, h("h2", {}, "Your protocol"), this.editor.box);
    this.log = h("ol", { class: "log" });
    this.box = h("div", { class: "run" },
      this.column = h("div", { class: "left" }, this.rulesPanel, this.editorPanel, folds(h("section", { class: "panel" }, h("h2", {}, "About"), this.about), "about")),
      this.centre = h("div", { class: "centre" }, this.stage, this.diagram.box),
      h("div", { class: "right" }, this.transit.box, this.facts.box, this.check.box, this.enabled.box, this.watch.box, folds(h("section", { class: "panel" }, h("h2", {}, "The last steps"), this.log), "steps"), this.map.box),
      this.transport());
    for (const [panel, name] of [[this.rulesPanel, "rules"], [this.facts.box, "facts"], [this.check.box, "check"], [this.map.box, "map"], [this.transit.box, "transit"], [this.enabled.box, "enabled"], [this.watch.box, "watch"], ...Object.values(this.diagrams).map((diagram) => [diagram.box, "diagram"])]) folds(panel, name);
  }

  transport() {
    const { player } = this;
    const key = (sign, title, act, id) => h("button", { title, "aria-label": title, onclick: act, id }, sign);
    this.play = h("button", { class: "primary play", id: "play", title: "Play or pause (space)", onclick: () => player.toggle() }, "▶ Play");
    this.scrub = h("input", { type: "range", id: "scrub", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => { player.pause(); player.go(Number(this.scrub.value)); } });
    this.count = h("span", { class: "count", id: "count", role: "button", tabindex: "0", title: "Go to a step: click, and write its number", onclick: () => this.ask_step(), onkeydown: (event) => { if (event.key === "Enter") { event.stopPropagation(); this.ask_step(); } } });
    this.wanted = h("input", { type: "number", id: "go-to", min: 0, hidden: true, "aria-label": "The step to go to", onblur: () => this.ask_step(false) });
    this.wanted.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.ask_step(false);
      if (event.key !== "Enter" || this.wanted.value === "") return;
      const step = Math.max(0, Math.floor(Number(this.wanted.value)));
      this.ask_step(false);
      player.pause();
      player.go(step);
    });
    this.speed = h("input", { type: "range", id: "speed", min: 0, max: RATES.length - 1, value: RATES.indexOf(player.rate), "aria-label": "Speed", oninput: () => this.set_speed(Number(this.speed.value)) });
    this.speedWords = h("span", { style: "min-width:6.2rem" }, "8 steps/s");
    this.command = h("code", {});
    this.share = h("button", { id: "share", title: "Copy the address, which holds the whole run", onclick: () => this.copy(location.href, this.share) }, "share");
    this.record = h("button", { id: "record", title: "Save one file with the run and its player; it needs no server", onclick: () => this.save() }, "save page");
    this.jump = h("button", { title: "Run to the next safe configuration (s)", id: "to-safe", onclick: () => this.to_safe() }, "until safe");
    return h("section", { class: "panel transport", "aria-label": "Time" },
      h("div", { class: "buttons" }, key("«", "To the start (Home)", () => player.go(0), "first"), key("◂", "One step back (←)", () => { player.pause(); player.back(); }, "back"), this.play,
        key("▸", "One step (→)", () => { player.pause(); player.step(); }, "forth"), key("»", "To the last step seen (End)", () => player.go(player.last), "last")),
      this.jump, this.scrub, this.count, this.wanted, h("label", {}, "speed", this.speed, this.speedWords), this.tail = h("span", { class: "row", style: "margin:0", hidden: this.recorded }, this.share, this.record),
      h("div", { class: "command" }, this.commandWords = h("span", {}), this.command, h("button", { class: "quiet", onclick: (event) => this.copy(this.command.textContent, event.currentTarget) }, "copy")));
  }

  /** Asks for the number of a step, or no longer. */
  ask_step(asking = true) {
    this.count.hidden = asking;
    this.wanted.hidden = !asking;
    if (!asking) return;
    this.wanted.value = String(this.player.at);
    this.wanted.focus();
    this.wanted.select();
  }

  /** The run up to the last step seen, as a page of its own. */
  async save() {
    const { story, last } = this.player;
    const lap = this.lasso ? story.script.steps.length : 0;
    try {
      const { page } = await work("record", { story, step: Math.max(last, lap) });
      download(`${this.subject.name}.html`, page, "text/html");
    } catch (refused) { this.on.notice(refused.message, true); }
  }

  async copy(text, button) {
    const words = button.textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { button.textContent = "not copied: use the address bar"; }
    setTimeout(() => { button.textContent = words; }, 1400);
  }

  set_speed(index) {
    this.player.rate = RATES[index];
    this.speed.value = String(index);
    this.speedWords.textContent = `${number(this.player.rate)} step${this.player.rate === 1 ? "" : "s"}/s`;
    const every = this.player.rate > 1000 ? 100 : this.player.rate > 200 ? 10 : 1;
    if (every > this.diagram.every || every === 1) this.diagram.zoom(every);
  }

  listen() {
    const { player } = this;
    player.addEventListener("frame", ({ detail: { frame } }) => this.show(frame));
    player.addEventListener("playing", () => { this.play.textContent = player.playing ? "❚❚ Pause" : "▶ Play"; if (!player.playing) { this.facts.later(); this.write_log(); } this.on.moved(); });
    player.addEventListener("story", () => { this.undoing.disabled = !player.story.acts.length; this.facts.later(); this.tell_command(); this.tell_script(); });
    player.addEventListener("acting", () => this.on.leaving?.());
    player.addEventListener("progress", ({ detail }) => this.tell_progress(detail));
    player.addEventListener("refused", ({ detail }) => this.on.notice(detail, true));
    // A badge says that a run of messages has ended with a leader.
    player.addEventListener("stopped", ({ detail }) => { const { frame } = this.player; if (!(frame?.traffic && frame.safe)) this.on.notice(detail, !frame?.safe); });
  }

  /** A long jump shows how far it is, and can be stopped. */
  tell_progress(jump) {
    this.jumping.hidden = !jump;
    if (!jump) return;
    const share = Math.min(100, (100 * jump.done) / jump.total);
    this.jumping.replaceChildren(h("div", { class: "bar" }, h("i", { style: `width:${share}%` })), h("div", { class: "row" }, h("span", {}, `Computing: step ${number(jump.done)} of ${number(jump.total)}`), h("button", { id: "halt", onclick: () => this.player.halt() }, "Stop here")));
  }

  get lasso() { return this.player.lasso; }

  /** Opens a run; `subject` describes its algorithm, `verified` says what its recorded steps show. */
  async open(subject, story, step, verified) {
    this.subject = subject;
    this.box.classList.remove("empty");
    // The text of a recorded run cannot be edited: the verdict beside it is about this text.
    const own = Boolean(story.setup.text) && !this.recorded;
    if (!own && this.stale) this.set_stale(false);
    this.rulesPanel.hidden = own;
    this.editorPanel.hidden = !own;
    // A text that comes from the editor is not written back: its author may have typed on.
    if (own && this.typed !== story.setup.text && this.editor.text !== story.setup.text) this.editor.set(story.setup.text);
    this.typed = null;
    this.rules.show(this.recorded ? story.setup.text ?? subject.rules : subject.rules);
    this.describe(subject);
    this.set_stage(subject.kind === "message" ? "messages" : "agents");
    this.stage.classList.toggle("network", Boolean(subject.graph.places));
    this.stage.classList.remove("crowded");
    this.shading(subject);
    this.scene.open(subject);
    this.facts.open(subject);
    this.watch.open(subject);
    this.told.hidden = !subject.oracle || this.recorded;
    this.told.value = "";
    if (this.recorded) this.enabled.box.hidden = this.watch.box.hidden = true;
    if (!this.recorded) this.check.open(subject, story.setup);
    this.check.box.hidden ||= this.recorded;
    this.jump.hidden = this.recorded;
    this.log.replaceChildren();
    await this.player.load(story, step, verified);
  }

  /** Shows a text with errors in the editor; the errors are marked. */
  async draft(text) {
    this.rulesPanel.hidden = true;
    this.editorPanel.hidden = false;
    this.box.classList.toggle("empty", !this.player.story);
    if (this.editor.text !== text) await this.editor.set(text); else await this.editor.lint(false);
    this.tell_script();
  }

  /** Messages have a stage and a diagram of their own. */
  set_stage(kind) {
    const [scene, diagram] = [this.scenes[kind], this.diagrams[kind]];
    if (scene !== this.scene) {
      this.scene.svg.replaceWith(scene.svg);
      this.scene.legend.replaceWith(scene.legend);
      this.diagram.box.replaceWith(diagram.box);
    }
    Object.assign(this, { scene, diagram });
    this.facts.scene = scene;
    const passing = kind === "messages";
    this.facts.box.hidden = this.mine.hidden = this.break.hidden = passing || this.recorded;
    this.undoing.hidden = this.recorded;
    this.facts.off = passing || this.recorded;
    this.enabled.box.hidden = passing || this.recorded;
    this.jump.textContent = passing ? "to the end" : "until safe";
    this.check.heading.textContent = passing ? "Every run" : "Every configuration, every schedule";
  }

  /** The command that shows the same run in a terminal, or its part before the first choice of the viewer. */
  tell_command() {
    const { story } = this.player, first = story.acts[0]?.at;
    this.commandWords.textContent = story.script ? "in a terminal, with a saved trace:" : first === undefined ? "the same in a terminal:" : `the same in a terminal, up to step ${number(first)}:`;
    this.command.textContent = story.script ? "ringleader elect --replay FILE" : this.subject.command;
  }

  /** While the text in the editor has errors, the run is of the last text without errors. It is not checked, and a banner says so. */
  set_stale(stale) {
    this.stale = stale;
    this.stage.classList.toggle("stale", stale);
    this.check.forbid(stale);
    this.tell_script();
  }

  /** The banner says that a run is a counterexample, as long as it is one. */
  tell_script() {
    const { story, verified } = this.player;
    const errors = { words: story ? "Your text has errors. The run below is of the last text without errors." : "Your text has errors, so there is no run of it yet. They are marked in the editor." };
    const still = this.still && story?.setup.start === this.still.start && !story.acts.length && !this.player.at ? { failure: true, words: this.still.words } : null;
    const told = this.stale ? errors : story ? told_of(story, verified, this.on.found, number) ?? still : null;
    this.banner.hidden = !told;
    this.banner.textContent = told?.words ?? "";
    this.banner.classList.toggle("left", !told?.failure);
    if (story) this.on.scripted?.(story);
  }

  describe(subject) {
    const line = (name, words) => (words ? h("p", {}, h("b", {}, `${name}: `), words) : null);
    this.about.replaceChildren(...[subject.own && h("p", { class: "hint" }, "The author of the text says this; the lab has not checked it:"), h("p", {}, h("b", {}, subject.summary)), line("promises", subject.claim || subject.goal), line("needs", [subject.oracle, subject.knowledge !== "nothing" && subject.knowledge].filter(Boolean).join("; ")),
      line("correct under", subject.assumes), line("sizes", subject.sizes), subject.states && line("states", `${number(subject.states)} per agent`),
      subject.flaw && h("p", { class: "flaw" }, h("b", {}, "flawed: "), subject.flaw), subject.citation !== "none given" && h("p", {}, subject.citation)].filter(Boolean));
  }

  /** The variable that shades plain agents, as a share of its greatest value. */
  shading(subject) {
    const variable = subject.variables.find(({ name }) => name === subject.shade);
    const read = (state, name = subject.shade) => {
      const pair = this.player.texts.get(state)?.split(" ").find((pair) => pair.startsWith(`${name}=`));
      return pair?.slice(name.length + 1) ?? null;
    };
    const known = new Map();
    const share = (state) => {
      if (!known.has(state)) known.set(state, variable ? (Number(read(state)) - variable.low) / Math.max(1, variable.high - variable.low) : null);
      return known.get(state);
    };
    this.diagram.shade = this.scene.shade = variable && !variable.words.length ? share : null;
    // A single variable stands in the disc, too.
    const only = subject.shade || (subject.variables.length === 1 && subject.variables[0].high < 1000 && !subject.graph.pointers?.length ? subject.variables[0].name : null);
    this.scene.value = only ? (state) => read(state, only) ?? "" : null;
  }

  show(frame) {
    const { player } = this;
    this.scene.show(frame, (state) => player.texts.get(state) ?? String(state));
    this.diagram.draw();
    if (!player.playing || player.rate <= 30) this.transit.show(frame);
    this.scrub.max = String(Math.max(player.last, 1));
    this.scrub.value = String(player.at);
    this.count.replaceChildren("step ", h("b", {}, number(player.at)), player.last > player.at ? ` of ${number(player.last)}` : "");
    const rules = frame.taken?.rules ?? [];
    this.rules.light(rules);
    if (this.subject.rules && !this.editorPanel.hidden) this.editor.light(rules);
    this.facts.seen(frame);
    this.judge(frame);
    if (this.still) this.tell_script();
    if (!player.playing || player.rate <= 30) this.write_log();
    this.facts.later();
    if (!player.playing) { this.watch.later(); this.on.moved(); }
    if (!player.playing || this.subject.size <= 64) this.clear_corners();
  }

  judge(frame) {
    const badges = [];
    if (frame.traffic) badges.push(h("span", { class: `badge ${frame.safe ? "good" : ""}` }, frame.safe ? `✓ ended after ${number(frame.step)} steps with one leader` : `${number(frame.traffic.waiting.length)} message${frame.traffic.waiting.length === 1 ? "" : "s"} in transit${this.scene.unseen ? `, ${number(this.scene.unseen)} of them not drawn: see the list` : ""}`));
    else {
      const said = judged(this.subject, frame, this.facts.known, Boolean(this.answers), this.facts.final(frame));
      badges.push(h("span", { class: `badge ${said.kind}`, id: "judged" }, said.badge));
      this.scene.judge(said);
    }
    // Beside a projector's stage the panel with these figures is below the screen.
    const { expected, worst, safe } = this.facts.known ?? {};
    if (safe === false && this.facts.of === frame && !this.player.story.script) badges.push(h("span", { class: "badge outlook" }, [typeof expected === "number" && `${number(expected)} steps expected`, typeof worst === "number" && `at most ${number(worst)} that change something`].filter(Boolean).join(", ")));
    const { lasso } = this;
    if (lasso && this.player.at > lasso.prefix) {
      const lap = Math.floor((this.player.at - lasso.prefix - 1) / lasso.cycle) + 1, where = ((this.player.at - lasso.prefix - 1) % lasso.cycle) + 1;
      badges.push(h("span", { class: "badge warm", id: "lap" }, `lap ${lap}, step ${where} of ${lasso.cycle}`));
      if (where === lasso.cycle) badges.push(h("span", { class: "badge bad", id: "closed" }, "back at the start of the cycle"));
    }
    if (this.scheduling) badges.push(h("span", { class: "badge" }, this.picked === undefined ? (this.picks ? "your move: click the first agent, then the second" : "your move") : `${this.picked} meets …`));
    this.verdict.replaceChildren(...badges);
  }

  /** Lays the stage out anew. */
  settle() {
    this.stage.classList.remove("crowded");
    this.scene.layout();
    this.clear_corners();
  }

  /** On a low screen badges, buttons and legend stand in the corners of the stage. Where they would cover a process they get rows of their own, until the stage changes. */
  clear_corners() {
    if (this.stage.matches(".network, .crowded")) return;
    const box = (element) => element.getBoundingClientRect(), corners = [...this.verdict.children, ...this.stage.querySelectorAll(".tools > :not([hidden]), .legend > span")].map(box).filter(({ width }) => width);
    const covers = (a) => corners.some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom);
    if ([...this.scene.svg.querySelectorAll(".disc, .label, .step circle, .pill rect")].map(box).some((a) => a.width && covers(a))) this.stage.classList.add("crowded");
  }

  /** The last steps, newest first; during a pause also the steps that playing skipped. */
  write_log() {
    const { player } = this, { stride } = player, lines = [], first = Math.max(0, player.at - (LOGGED - 1) * stride);
    let missing = null;
    for (let step = player.at; step >= first; step -= stride) {
      const frame = player.frames.get(step), before = player.frames.get(step - stride);
      if (!frame || (frame.taken && !before)) missing ??= Math.max(0, step - stride);
      if (!frame) break;
      if (frame.edited?.length) lines.push(this.line(step, h("span", { class: "fault" }, `fault: ${frame.edited.map((i) => `${i} becomes ${in_words(this.subject, i, player.texts.get(frame.states[i]))}`).join("; ")}`)));
      // Between two moments of a thinned recording more than one step was taken.
      if (frame.taken && before) lines.push(this.line(step, this.words(frame, stride === 1 ? before : null)));
    }
    lines[0]?.classList.add("now");
    this.log.replaceChildren(...lines);
    if (missing !== null && !player.playing && !this.logging) {
      this.logging = true;
      player.ask(Math.max(0, first - stride), missing, stride).catch(() => false).then((told) => { this.logging = false; if (told && !player.playing) this.write_log(); });
    }
  }

  line(step, words) {
    return h("li", { onclick: () => this.player.go(step) }, h("b", {}, number(step)), h("span", {}, words));
  }

  words({ taken, states, edited }, before) {
    const { texts } = this.player;
    if (taken.message || this.subject.kind === "message") return this.message_words(taken, states, before);
    const who = taken.arc ? `${taken.arc[0]} → ${taken.arc[1]}` : taken.all ? "all" : `process${taken.processes.length > 1 ? "es" : ""} ${taken.processes.join(", ")}`;
    const rules = taken.rules.length ? `rule ${taken.rules.join(", ")}` : "";
    const said = taken.inputs && this.subject.oracle ? (taken.inputs[0] === taken.inputs[1] ? `oracle: ${taken.inputs[0] ? "a leader" : "no leader"}` : `oracle: ${taken.inputs.map((yes) => (yes ? "a leader" : "none")).join(" and ")}`) : "";
    if (!before) return h("span", {}, [who, rules, said].filter(Boolean).join(", "));
    const changed = states.map((state, i) => (state !== before.states[i] && !edited?.includes(i) ? [i, this.difference(in_words(this.subject, i, texts.get(before.states[i])), in_words(this.subject, i, texts.get(state)))] : null)).filter(Boolean);
    const what = changed.length ? changed.slice(0, 6).map(([i, pairs]) => [" · ", h("code", {}, `${i}: ${pairs}`)]) : h("span", { class: "none" }, " nothing changes");
    return [h("span", {}, [who, rules, said].filter(Boolean).join(", ")), what];
  }

  message_words({ processes: [process], coin = [] }, states, before) {
    const { texts, frames } = this.player, frame = [...frames.values()].find((f) => f.states === states), { received } = frame.traffic;
    const sent = frame.traffic.waiting.filter((message) => message.sent === frame.step && message.from === process);
    const change = before ? this.difference(texts.get(before.states[process]), texts.get(states[process])) : "";
    return [`${process} ${received ? `takes ${received.text} from ${received.from}` : "steps"}`, coin.length ? `, draws ${coin.map((c) => c + 1).join(", ")}` : "", sent.length ? `, sends ${sent.map((m) => m.text).join(", ")}` : "", change ? [" ", h("code", {}, change)] : ""];
  }

  difference(before = "", after = "") {
    const old = new Set(before.split(" "));
    return after.split(" ").filter((pair) => !old.has(pair)).join(" ");
  }

  /** The oracle's answers to the viewer's next step; null if the run's own oracle tells the truth, and the viewer, too. */
  get answers() {
    if (this.told.hidden) return null;
    if (this.told.value) return this.told.value.split(",").map((said) => said === "1");
    return this.subject.truthful ? null : Array(2).fill(this.player.frame.leaders > 0);
  }

  /** A step that the viewer chose. */
  take(move) {
    const inputs = move.arc && this.answers;
    return this.player.act(inputs ? { ...move, inputs } : move);
  }

  be_scheduler(on = !this.scheduling) {
    this.scheduling = on;
    this.picked = undefined;
    this.player.pause();
    this.mine.setAttribute("aria-pressed", String(on));
    this.scene.svg.classList.toggle("mine", on);
    if (this.player.frame) this.judge(this.player.frame);
  }

  corrupt(agents = [Math.floor(Math.random() * this.subject.size)]) {
    return this.player.act({ corrupt: agents });
  }

  /** Whether the viewer chooses an arc by clicking its two agents: there are more arcs than can be drawn as buttons. */
  get picks() {
    return this.subject.graph.steps === "arc" && !this.scene.arcs?.size;
  }

  /** Handles a click on an agent: it is edited or, on a graph without drawn arcs, chosen for the next step. */
  agent(index, element) {
    if (this.scheduling && this.subject.graph.steps === "process") return this.take({ processes: [index] });
    if (this.scheduling && this.picks) {
      if (this.picked === undefined) { this.picked = index; element.classList.add("chosen"); this.judge(this.player.frame); return; }
      const from = this.picked;
      this.picked = undefined;
      this.scene.agents[from].group.classList.remove("chosen");
      if (from !== index) this.take({ arc: [from, index] });
      else this.judge(this.player.frame);
      return;
    }
    this.edit(index, element);
  }

  edit(index, element) {
    this.popover?.remove();
    this.player.pause();
    const words = this.player.texts.get(this.player.frame.states[index]) ?? "";
    const values = new Map(words.split(" ").map((pair) => pair.split(/=(.*)/s)));
    const controls = this.subject.variables.map(({ name, low, high, words }) => {
      const options = words.length ? words : high - low <= 64 ? Array.from({ length: high - low + 1 }, (_, i) => String(low + i)) : null;
      const { pointers = [], neighbours } = this.subject.graph;
      // A pointer is a port; the viewer chooses a process.
      const process = (port) => (port === "0" ? "none" : neighbours[index][port - 1]);
      const shown = pointers.includes(name) ? options.filter((port) => process(port) !== undefined).map((port) => h("option", { value: port }, process(port))) : options?.map((option) => h("option", {}, option));
      const control = options ? h("select", { name }, shown) : h("input", { name, type: "number", min: low, max: high });
      control.value = values.get(name);
      return control;
    });
    const close = () => { this.popover?.remove(); this.popover = null; element.focus?.(); };
    const put = () => { const state = controls.map((control) => `${control.name}=${control.value}`).join(" "); close(); this.player.act({ agent: index, state }); };
    const noun = this.subject.graph.steps === "process" ? "process" : "agent";
    const box = (this.popover = h("form", { class: "popover", role: "dialog", "aria-label": `The state of ${noun} ${index}`, onsubmit: (event) => { event.preventDefault(); put(); } },
      h("b", {}, `${noun} ${index}`), h("div", { class: "fields" }, controls.map((control) => [h("label", {}, control.name), control])),
      h("div", { class: "row" }, h("button", { class: "primary" }, "Change"), h("button", { type: "button", onclick: () => { close(); this.corrupt([index]); } }, "Arbitrary state"), h("button", { type: "button", class: "quiet", onclick: close }, "Cancel"))));
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") close();
      if (event.key === "Enter" && event.target.matches("select")) { event.preventDefault(); put(); }
    });
    controls.forEach((control) => control.setAttribute("aria-label", control.name));
    document.body.append(box);
    const { right, top } = element.getBoundingClientRect(), { width, height } = box.getBoundingClientRect();
    // On a phone the form leaves the agent in sight.
    if (innerWidth <= 700) { box.style.left = "8px"; box.style[top < innerHeight / 2 ? "bottom" : "top"] = "8px"; controls[0]?.focus({ preventScroll: true }); return; }
    box.style.left = `${Math.max(8, Math.min(right + 12, innerWidth - width - 8))}px`;
    box.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
    controls[0]?.focus();
  }

  /** Checks, and brings the verdict into view. */
  async check_here() {
    const show = () => this.check.box.scrollIntoView({ block: "nearest" });
    show();
    await this.check.press();
    show();
  }

  /** Checks and faults for the tours, whose card shows the verdict. */
  async check_under(scheduler) {
    this.check.scheduler.value = scheduler;
    await this.check.press();
  }

  rewrite(agent, change) {
    const words = this.player.texts.get(this.player.frame.states[agent]);
    return this.player.act({ agent, state: words.split(" ").map((pair) => change[pair.split("=")[0]] ?? pair).join(" ") });
  }

  demote() {
    const leader = this.player.frame.marks.findIndex((bits) => has(bits, "leader"));
    return leader < 0 ? null : this.rewrite(leader, { leader: "leader=0", bullet: "bullet=0", shield: "shield=0" });
  }

  promote() {
    const { marks } = this.player.frame, leader = marks.findIndex((bits) => has(bits, "leader"));
    return this.rewrite((leader + Math.floor(marks.length / 2)) % marks.length, { leader: "leader=1", shield: "shield=1" });
  }

  /** Runs until the configuration is safe: the engine searches ahead, part by part. A second call stops the search. */
  async to_safe() {
    if (this.looking) { this.looking.stop = true; return; }
    const { known } = this.facts;
    if (decides(this.subject, known) && !known.safe && !known.can_heal && !this.lasso) { this.on.notice("Never: from here no schedule leads to a safe configuration.", true); return; }
    const looking = (this.looking = { stop: false }), words = this.jump.textContent;
    this.player.pause();
    this.jump.textContent = "stop";
    try { await this.look_ahead(looking); } catch (refused) { this.on.notice(refused.message, true); } finally {
      this.looking = null;
      this.jump.textContent = words;
    }
  }

  async look_ahead(looking) {
    const { player, lasso } = this, { story } = player;
    // A run that repeats is searched for one lap only.
    const end = lasso ? Math.max(player.at, lasso.prefix) + lasso.cycle : Infinity;
    let from = player.at, every = 1;
    for (let looks = 0; looks < 400 && from < end; looks++) {
      const told = await player.source.frames(story, from + 1, Math.min(end, from + every * 500), every);
      if (story !== player.story) return;
      const found = told.frames.find((frame) => frame.safe);
      if (found && every === 1) { this.on.notice(null); await player.go(found.step); return; }
      if (found) { from = Math.max(player.at, found.step - every); every = 1; continue; }
      if (told.frames.length) from = Math.max(from, told.frames.at(-1).step);
      if (told.stopped) { await player.go(from); return; }
      if (looking.stop) break;
      if (player.last < from && !lasso) player.last = from;
      if (looks > 8) this.on.notice(`Searching: no safe configuration within ${number(from)} steps so far.`);
      if (!lasso) every = Math.min(every * 2, 64);
    }
    if (lasso && from >= end) { this.on.notice(`Never: this run repeats after ${lasso.cycle === 1 ? "every step" : `every ${number(lasso.cycle)} steps`} and is never safe.`, true); return; }
    await player.go(from);
    this.on.notice(`Not safe within ${number(from)} steps.`);
  }

  /** Plays a run that a check found. */
  async play_story(story) {
    await this.on.story(story);
    // The space bar then pauses the run, whichever button was pressed before.
    this.play.focus({ focusVisible: false });
    this.stage.scrollIntoView({ block: "nearest" });
    this.play_at(2);
  }

  /** Shows the configuration in which a check found a failure; the banner says which, as long as it is shown. */
  show_still(story, words) {
    this.still = { start: story.setup.start, words };
    this.stage.scrollIntoView({ block: "nearest" });
    return this.on.story(story);
  }

  /** Plays at this number of steps a second. */
  play_at(rate) {
    this.set_speed(RATES.indexOf(rate));
    this.player.play();
  }

  /** Handles a key; returns whether it means anything here. */
  key(event) {
    const { player } = this;
    if (this.recorded && "mcwbkrs".includes(event.key)) return false;
    const act = {
      " ": () => player.toggle(), ArrowRight: () => { player.pause(); player.step(); }, ArrowLeft: () => { player.pause(); player.back(); },
      Home: () => { player.pause(); player.go(0); }, End: () => { player.pause(); player.go(player.last); }, m: () => this.be_scheduler(), c: () => this.corrupt(), s: () => this.to_safe(),
      w: () => this.facts.play_worst(), b: () => this.facts.play_best(), k: () => this.check_here(), r: () => document.getElementById("dice")?.click(),
      "+": () => this.faster(1), "=": () => this.faster(1), "-": () => this.faster(-1),
    }[event.key];
    if (!act) return false;
    act();
    return true;
  }

  faster(by) {
    const index = Math.max(0, Math.min(RATES.length - 1, Number(this.speed.value) + by));
    this.set_speed(index);
  }
}
