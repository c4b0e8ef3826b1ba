// The view of one run: the agents, space and time, the rules, what is known, and the buttons of time.

import { call } from "./api.js";
import { Diagram } from "./diagram.js";
import { download, h, number } from "./dom.js";
import { Check, Facts } from "./know.js";
import { ConfigurationMap } from "./map.js";
import { Chart, MessageScene } from "./messages.js";
import { has } from "./marks.js";
import { Player } from "./player.js";
import { Editor, Rules } from "./rules.js";
import { Scene } from "./scene.js";

/** Steps a second, from a step in two seconds to as many as the engine gives. */
const RATES = [0.5, 1, 2, 4, 8, 15, 30, 60, 150, 500, 2000, 10000, 50000];

export class Run {
  /** `on.text(text)` is called with another text of a protocol, `on.moved()` whenever the address changes. */
  constructor(on) {
    this.on = on;
    // A recorded run has its own source, and nobody can steer it.
    this.recorded = Boolean(on.source);
    this.player = new Player(on.source ?? { frames: (story, from, to, every) => call("frames", { story, from, to, every }) });
    this.player.pauses = true;
    const touch = this.recorded ? {} : { step: (move) => this.take(move), agent: (index, element) => this.agent(index, element) };
    this.scenes = { agents: new Scene(touch), messages: new MessageScene(touch) };
    this.scene = this.scenes.agents;
    this.map = new ConfigurationMap();
    this.facts = new Facts(this.player, this.scene, this.map, { choose: (move) => this.player.act(move) });
    this.check = new Check(this.player, { story: (story, about) => this.play_story(story, about) });
    this.diagrams = { agents: new Diagram(this.player), messages: new Chart(this.player) };
    this.diagram = this.diagrams.agents;
    this.rules = new Rules();
    this.editor = new Editor((text) => on.text(text));
    this.about = h("div", { class: "about" });
    this.build();
    this.listen();
  }

  build() {
    this.verdict = h("div", { class: "verdict", "aria-live": "polite" });
    this.mine = h("button", { "aria-pressed": "false", title: "Time stands still until you click an arc or a process (m)", onclick: () => this.be_scheduler() }, "be the scheduler");
    this.break = h("button", { title: "One agent gets an arbitrary state (c)", onclick: () => this.corrupt() }, "break one");
    this.stage = h("section", { class: "panel stage", "aria-label": "The agents" }, h("div", { class: "over" }, this.verdict, h("div", { class: "tools" }, this.mine, this.break)), this.scene.svg, this.scene.legend);
    this.rulesPanel = h("section", { class: "panel" }, h("h2", {}, "Rules"), this.rules.box);
    this.editorPanel = h("section", { class: "panel", style: "display:flex;flex-direction:column;flex:1 1 26rem" }, h("h2", {}, "Your protocol"), this.editor.box);
    this.log = h("ol", { class: "log" });
    this.box = h("div", { class: "run" },
      h("div", { class: "left" }, this.rulesPanel, this.editorPanel, h("section", { class: "panel" }, h("h2", {}, "About"), this.about)),
      this.centre = h("div", { class: "centre" }, this.stage, this.diagram.box),
      h("div", { class: "right" }, this.facts.box, this.check.box, h("section", { class: "panel" }, h("h2", {}, "The last steps"), this.log), this.map.box),
      this.transport());
  }

  transport() {
    const { player } = this;
    const key = (sign, title, act, id) => h("button", { title, "aria-label": title, onclick: act, id }, sign);
    this.play = h("button", { class: "primary play", id: "play", title: "Play or pause (space)", onclick: () => player.toggle() }, "▶ Play");
    this.scrub = h("input", { type: "range", id: "scrub", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => { player.pause(); player.go(Number(this.scrub.value)); } });
    this.count = h("span", { class: "count", id: "count" });
    this.speed = h("input", { type: "range", id: "speed", min: 0, max: RATES.length - 1, value: RATES.indexOf(player.rate), "aria-label": "Speed", oninput: () => this.set_speed(Number(this.speed.value)) });
    this.speedWords = h("span", { style: "min-width:6.2rem" }, "8 steps/s");
    this.command = h("code", {});
    this.share = h("button", { id: "share", title: "Copies the address: it holds all that is shown", onclick: () => this.copy(location.href, this.share) }, "share");
    this.record = h("button", { id: "record", title: "One file with the run and its player, that needs no lab", onclick: () => this.save() }, "save page");
    this.jump = h("button", { title: "On to the next safe moment (s)", id: "to-safe", onclick: () => this.to_safe() }, "until safe");
    return h("section", { class: "panel transport", "aria-label": "Time" },
      h("div", { class: "buttons" }, key("«", "To the start (Home)", () => player.go(0), "first"), key("◂", "One step back (←)", () => { player.pause(); player.back(); }, "back"), this.play,
        key("▸", "One step (→)", () => { player.pause(); player.step(); }, "forth"), key("»", "To the last step seen (End)", () => player.go(player.last), "last")),
      this.jump, this.scrub, this.count, h("label", {}, "speed", this.speed, this.speedWords), this.tail = h("span", { class: "row", style: "margin:0", hidden: this.recorded }, this.share, this.record),
      h("div", { class: "command" }, this.commandWords = h("span", {}), this.command, h("button", { class: "quiet", onclick: (event) => this.copy(this.command.textContent, event.currentTarget) }, "copy")));
  }

  /** The run up to the last step seen, as a page of its own. */
  async save() {
    const { story, last } = this.player;
    const lap = story.script?.cycle === null || !story.script ? 0 : story.script.steps.length;
    try {
      const { page } = await call("record", { story, step: Math.max(last, lap) });
      download(`${this.subject.name}.html`, page, "text/html");
    } catch (refused) { this.on.notice(refused.message, true); }
  }

  async copy(text, button) {
    const words = button.textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { button.textContent = "copy it from the address bar"; }
    setTimeout(() => { button.textContent = words; }, 1400);
  }

  set_speed(index) {
    this.player.rate = RATES[index];
    this.speedWords.textContent = `${number(this.player.rate)} step${this.player.rate === 1 ? "" : "s"}/s`;
    const every = this.player.rate > 1000 ? 100 : this.player.rate > 200 ? 10 : 1;
    if (every > this.diagram.every || every === 1) this.diagram.zoom(every);
  }

  listen() {
    const { player } = this;
    player.addEventListener("frame", ({ detail: { frame } }) => this.show(frame));
    player.addEventListener("playing", () => { this.play.textContent = player.playing ? "❚❚ Pause" : "▶ Play"; if (!player.playing) this.facts.later(); this.on.moved(); });
    player.addEventListener("story", () => { this.facts.later(); this.tell_command(); });
    player.addEventListener("refused", ({ detail }) => this.on.notice(detail, true));
    player.addEventListener("stopped", ({ detail }) => this.on.notice(detail, !this.player.frame?.safe));
  }

  /** Opens a run of an algorithm of which the lab has told everything. */
  async open(subject, story, step) {
    this.subject = subject;
    this.lasso = story.script ? { prefix: story.script.cycle ?? story.script.steps.length, cycle: story.script.cycle === null ? 0 : story.script.steps.length - story.script.cycle } : null;
    const own = Boolean(story.setup.text);
    this.rulesPanel.hidden = own;
    this.editorPanel.hidden = !own;
    if (own && this.editor.text !== story.setup.text) this.editor.set(story.setup.text);
    this.rules.show(subject.rules);
    this.describe(subject);
    this.set_stage(subject.kind === "message" ? "messages" : "agents");
    this.shading(subject);
    this.scene.open(subject);
    this.facts.open(subject);
    if (!this.recorded) this.check.open(subject);
    this.check.box.hidden ||= this.recorded;
    this.jump.hidden = this.recorded;
    this.log.replaceChildren();
    await this.player.load(story, step);
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
    this.facts.off = passing || this.recorded;
    this.jump.textContent = passing ? "to the end" : "until safe";
    this.check.heading.textContent = passing ? "Every run" : "Every configuration, every schedule";
  }

  /** What shows the same in a terminal: all of it, or up to where the viewer stepped in. */
  tell_command() {
    const { story } = this.player, first = story.acts[0]?.at;
    this.commandWords.textContent = story.script ? "to play it in a terminal, save it from the check and" : first === undefined ? "the same in a terminal:" : `the same in a terminal, up to step ${number(first)}:`;
    this.command.textContent = story.script ? "ringleader elect --replay FILE" : this.subject.command;
  }

  describe(subject) {
    const line = (name, words) => (words ? h("p", {}, h("b", {}, `${name}: `), words) : null);
    this.about.replaceChildren(...[h("p", {}, h("b", {}, subject.summary)), line("promises", subject.claim || subject.goal), line("needs", [subject.oracle, subject.knowledge !== "nothing" && subject.knowledge].filter(Boolean).join("; ")),
      line("right under", subject.assumes), line("sizes", subject.sizes), subject.states && line("states", `${number(subject.states)} an agent`),
      subject.flaw && h("p", { class: "flaw" }, h("b", {}, "flawed: "), subject.flaw), subject.citation !== "none given" && h("p", {}, subject.citation)].filter(Boolean));
  }

  /** The variable that shades plain agents, as a share of its greatest value. */
  shading(subject) {
    const variable = subject.variables.find(({ name }) => name === subject.shade);
    const read = (state) => {
      const pair = this.player.texts.get(state)?.split(" ").find((pair) => pair.startsWith(`${subject.shade}=`));
      return pair?.slice(subject.shade.length + 1) ?? null;
    };
    const known = new Map();
    const share = (state) => {
      if (!known.has(state)) known.set(state, variable ? (Number(read(state)) - variable.low) / Math.max(1, variable.high - variable.low) : null);
      return known.get(state);
    };
    this.diagram.shade = this.scene.shade = variable && !variable.words.length ? share : null;
    this.scene.value = subject.shade ? (state) => read(state) ?? "" : null;
  }

  show(frame) {
    const { player } = this;
    this.scene.show(frame, (state) => player.texts.get(state) ?? String(state));
    this.diagram.draw();
    this.scrub.max = String(Math.max(player.last, 1));
    this.scrub.value = String(player.at);
    this.count.replaceChildren("step ", h("b", {}, number(player.at)), player.last > player.at ? ` of ${number(player.last)}` : "");
    const rules = frame.taken?.rules ?? [];
    this.rules.light(rules);
    if (this.subject.rules && !this.editorPanel.hidden) this.editor.light(rules);
    this.judge(frame);
    if (!player.playing || player.rate <= 30) this.write_log();
    this.facts.later();
    if (!player.playing) this.on.moved();
  }

  judge(frame) {
    const badges = [];
    if (frame.traffic) badges.push(h("span", { class: `badge ${frame.safe ? "good" : ""}` }, frame.safe ? "✓ ended with one leader" : `${frame.traffic.waiting.length} messages under way`));
    else if (frame.safe) badges.push(h("span", { class: "badge good" }, this.subject.safety === "ever" ? "✓ safe" : "✓ safe for long"));
    else badges.push(h("span", { class: `badge ${frame.correct ? "warm" : "bad"}` }, frame.correct ? "right, not yet safe" : "not safe"));
    if (this.lasso?.cycle && this.player.at > this.lasso.prefix) {
      const lap = Math.floor((this.player.at - this.lasso.prefix - 1) / this.lasso.cycle) + 1, where = ((this.player.at - this.lasso.prefix - 1) % this.lasso.cycle) + 1;
      badges.push(h("span", { class: "badge warm", id: "lap" }, `lap ${lap}, step ${where} of ${this.lasso.cycle}`));
      if (where === this.lasso.cycle) badges.push(h("span", { class: "badge bad", id: "closed" }, "back where the cycle began"));
    }
    if (this.scheduling) badges.push(h("span", { class: "badge" }, this.picked === undefined ? "your move" : `${this.picked} meets …`));
    this.verdict.replaceChildren(...badges);
  }

  write_log() {
    const { player } = this, lines = [];
    for (let step = player.at; step >= 0 && lines.length < 24; step--) {
      const frame = player.frames.get(step), before = player.frames.get(step - 1);
      if (!frame) break;
      if (frame.edited?.length) lines.push(this.line(step, h("span", { class: "fault" }, `fault: ${frame.edited.map((i) => `${i} becomes ${player.texts.get(frame.states[i])}`).join("; ")}`)));
      if (frame.taken && before) lines.push(this.line(step, this.words(frame, before)));
    }
    lines[0]?.classList.add("now");
    this.log.replaceChildren(...lines);
  }

  line(step, words) {
    return h("li", { onclick: () => this.player.go(step) }, h("b", {}, number(step)), h("span", {}, words));
  }

  words({ taken, states, edited }, before) {
    const { texts } = this.player;
    if (taken.message || this.subject.kind === "message") return this.message_words(taken, states, before);
    const who = taken.arc ? `${taken.arc[0]} → ${taken.arc[1]}` : taken.all ? "all" : `process${taken.processes.length > 1 ? "es" : ""} ${taken.processes.join(", ")}`;
    const rules = taken.rules.length ? `rule ${taken.rules.join(", ")}` : "";
    const changed = states.map((state, i) => (state !== before.states[i] && !edited?.includes(i) ? [i, this.difference(texts.get(before.states[i]), texts.get(state))] : null)).filter(Boolean);
    const what = changed.length ? changed.slice(0, 6).map(([i, pairs]) => [" ", h("code", {}, `${i}: ${pairs}`)]) : h("span", { class: "none" }, " nothing changes");
    return [h("span", {}, [who, rules].filter(Boolean).join(", ")), what];
  }

  message_words({ processes: [process], coin = [] }, states, before) {
    const { texts, frames } = this.player, frame = [...frames.values()].find((f) => f.states === states), { received } = frame.traffic;
    const sent = frame.traffic.waiting.filter((message) => message.sent === frame.step && message.from === process);
    const change = this.difference(texts.get(before.states[process]), texts.get(states[process]));
    return [`${process} ${received ? `takes ${received.text} from ${received.from}` : "steps"}`, coin.length ? `, draws ${coin.map((c) => c + 1).join(", ")}` : "", sent.length ? `, sends ${sent.map((m) => m.text).join(", ")}` : "", change ? [" ", h("code", {}, change)] : ""];
  }

  difference(before = "", after = "") {
    const old = new Set(before.split(" "));
    return after.split(" ").filter((pair) => !old.has(pair)).join(" ");
  }

  /** A step that the viewer chose. */
  take(move) {
    return this.player.act(move);
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

  /** An agent was clicked: the viewer edits it or, on a graph without drawn arcs, chooses who meets whom. */
  agent(index, element) {
    if (this.scheduling && this.subject.graph.steps === "process") return this.take({ processes: [index] });
    if (this.scheduling && this.subject.graph.arcs === null) {
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
      const control = options ? h("select", { name }, options.map((option) => h("option", {}, option))) : h("input", { name, type: "number", min: low, max: high });
      control.value = values.get(name);
      return control;
    });
    const close = () => { this.popover?.remove(); this.popover = null; element.focus?.(); };
    const put = () => { const state = controls.map((control) => `${control.name}=${control.value}`).join(" "); close(); this.player.act({ agent: index, state }); };
    const noun = this.subject.graph.steps === "process" ? "process" : "agent";
    const box = (this.popover = h("form", { class: "popover", role: "dialog", "aria-label": `The state of ${noun} ${index}`, onsubmit: (event) => { event.preventDefault(); put(); } },
      h("b", {}, `${noun} ${index}`), h("div", { class: "fields" }, controls.map((control) => [h("label", {}, control.name), control])),
      h("div", { class: "row" }, h("button", { class: "primary" }, "Change it"), h("button", { type: "button", onclick: () => { close(); this.corrupt([index]); } }, "Arbitrary"), h("button", { type: "button", class: "quiet", onclick: close }, "Leave it"))));
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") close();
      if (event.key === "Enter" && event.target.matches("select")) { event.preventDefault(); put(); }
    });
    controls.forEach((control) => control.setAttribute("aria-label", control.name));
    document.body.append(box);
    const { right, top } = element.getBoundingClientRect(), { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(8, Math.min(right + 12, innerWidth - width - 8))}px`;
    box.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
    controls[0]?.focus();
  }

  /** What the tours do: checks, and faults of a certain kind. */
  async check_under(scheduler) {
    this.check.scheduler.value = scheduler;
    await this.check.press();
    this.check.box.scrollIntoView({ block: "nearest" });
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

  /** On until the configuration is safe: the engine looks ahead, a stretch at a time. */
  async to_safe() {
    const { player } = this;
    player.pause();
    this.jump.disabled = true;
    try {
      let from = player.at, every = 1;
      for (let looks = 0; looks < 400; looks++) {
        const story = player.story;
        const told = await player.source.frames(story, from + 1, from + every * 500, every);
        if (story !== player.story) return;
        const found = told.frames.find((frame) => frame.safe);
        if (found && every === 1) { await player.go(found.step); return; }
        if (found) { from = Math.max(player.at, found.step - every); every = 1; continue; }
        if (told.stopped || !told.frames.length) break;
        from = told.frames.at(-1).step;
        if (this.player.last < from) this.player.last = from;
        every = Math.min(every * 2, 64);
      }
      await player.go(from);
      this.on.notice(`Not safe within ${number(from)} steps.`);
    } catch (refused) {
      this.on.notice(refused.message, true);
    } finally {
      this.jump.disabled = false;
    }
  }

  /** Plays a run that a check found. */
  async play_story(story, about) {
    await this.on.story(story);
    this.on.notice(about.cycle ? `Counterexample: ${about.shows}. It repeats every ${about.cycle} steps, for ever.` : `Counterexample: ${about.shows}.`);
    this.set_speed(RATES.indexOf(2));
    this.speed.value = String(RATES.indexOf(2));
    this.player.play();
  }

  /** Keys; whether one was for us. */
  key(event) {
    const { player } = this;
    if (this.recorded && "mcwbkrs".includes(event.key)) return false;
    const act = {
      " ": () => player.toggle(), ArrowRight: () => { player.pause(); player.step(); }, ArrowLeft: () => { player.pause(); player.back(); },
      Home: () => { player.pause(); player.go(0); }, End: () => { player.pause(); player.go(player.last); }, m: () => this.be_scheduler(), c: () => this.corrupt(), s: () => this.to_safe(),
      w: () => this.facts.play_worst(), b: () => this.facts.play_best(), k: () => this.check.press(), r: () => document.getElementById("dice")?.click(),
      "+": () => this.faster(1), "=": () => this.faster(1), "-": () => this.faster(-1),
    }[event.key];
    if (!act) return false;
    act();
    return true;
  }

  faster(by) {
    const index = Math.max(0, Math.min(RATES.length - 1, Number(this.speed.value) + by));
    this.speed.value = String(index);
    this.set_speed(index);
  }
}
