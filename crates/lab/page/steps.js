// The possible next steps with the states that they lead to, and expressions that are watched along the run.

import { call } from "./api.js";
import { h, number, remembered } from "./dom.js";
import { in_words } from "./network.js";

/** The most steps in the list, and the most moments of a watched expression. */
const LISTED = 40, MOMENTS = 48;

/** Every enabled step with the states it leads to; a click takes it. */
export class Enabled {
  constructor(on) {
    this.on = on;
    this.list = h("ol", { class: "enabled" });
    this.box = h("section", { class: "panel" }, h("h2", {}, "Enabled steps"), this.list);
  }

  /** While a run plays, its steps are not listed. */
  wait() { this.list.replaceChildren(h("li", { class: "hint" }, "They are listed when the run pauses.")); }

  show(choices, subject) {
    const active = choices.filter((choice) => choice.active);
    const item = (choice) => {
      const { step, rules, changes, odds, there } = choice;
      const who = step.arc ? `${step.arc[0]} → ${step.arc[1]}` : `process ${step.processes.join(", ")}`;
      const after = !there ? null : there.safe ? h("span", { class: "good" }, "safe") : there.worst === "ever" ? h("span", { class: "bad" }, "can stay unsafe") : `worst case ${number(there.worst)} more`;
      return h("li", {}, h("button", { onclick: () => this.on.choose(step) }, h("b", {}, who), rules.length ? h("span", {}, `rule ${rules.join(", ")}`) : null, odds > 1 ? h("span", {}, `1 in ${odds}`) : null,
        h("code", {}, changes.map(([agent, , text]) => `${agent}: ${in_words(subject, agent, text)}`).join("  ")), after));
    };
    const rest = active.length - LISTED;
    this.list.replaceChildren(...active.slice(0, LISTED).map(item), ...(rest > 0 ? [h("li", { class: "hint" }, `and ${number(rest)} more`)] : []), ...(active.length ? [] : [h("li", { class: "hint" }, "No step changes anything.")]));
  }
}

/** Expressions of the language of the texts, evaluated by the engines along the last steps. */
export class Watch {
  constructor(player) {
    this.player = player;
    this.input = h("input", { placeholder: "a condition or a number", "aria-label": "An expression to watch", size: 18 });
    this.list = h("ul", { class: "watched" });
    this.told = h("p", { class: "hint compiled" });
    const form = h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); this.add(this.input.value.trim()); } }, this.input, h("button", {}, "Watch"));
    this.box = h("section", { class: "panel" }, h("h2", {}, "Watched expressions"), form, this.told, this.list);
    this.expressions = [];
  }

  open(subject) {
    this.name = subject.name;
    this.expressions = remembered.get(`watch.${this.name}`, []);
    this.box.hidden = subject.kind === "message";
    this.input.placeholder = subject.about === "token" ? "one i : token[i]" : subject.about === "leader" ? "one i : leader[i]" : subject.graph.pointers?.length ? "some i : enabled[i]" : `all i : ${subject.variables[0]?.name ?? "x"}[i] = 0`;
    this.told.textContent = "";
    this.list.replaceChildren();
  }

  async add(text) {
    if (!text) return;
    try { await call("expression", { setup: this.player.story.setup, text }); } catch (refused) { this.told.textContent = refused.message; return; }
    this.told.textContent = "";
    this.input.value = "";
    if (!this.expressions.includes(text)) this.expressions = [...this.expressions, text];
    remembered.set(`watch.${this.name}`, this.expressions);
    await this.show();
  }

  remove(text) {
    this.expressions = this.expressions.filter((other) => other !== text);
    remembered.set(`watch.${this.name}`, this.expressions.length ? this.expressions : null);
    this.show();
  }

  /** The button that ends the watching of an expression. */
  stop(text) {
    return h("button", { class: "quiet", "aria-label": `Stop watching ${text}`, onclick: () => this.remove(text) }, "×");
  }

  /** A number along the last steps: bars between its least and its greatest value. */
  numbers(text, values, frames) {
    const known = values.filter((value) => value !== null), least = Math.min(0, ...known), most = Math.max(1, ...known), now = values.at(-1);
    const words = (value) => (value === null ? "undefined" : number(value));
    const strip = h("span", { class: "strip high", role: "img", "aria-label": `from ${words(known.length ? Math.min(...known) : null)} to ${words(known.length ? Math.max(...known) : null)} in the last ${values.length} configurations` },
      values.map((value, i) => h("i", { class: "bar-of", style: `height:${value === null ? 0 : Math.max(6, (100 * (value - least)) / (most - least))}%`, title: `step ${number(frames[i].step)}: ${words(value)}` })));
    return h("li", {}, h("code", {}, text), h("b", {}, words(now)), this.stop(text), strip);
  }

  later() {
    clearTimeout(this.timer);
    if (this.expressions.length && !this.box.hidden) this.timer = setTimeout(() => this.show(), 130);
  }

  async show() {
    const { story, at } = this.player, { expressions } = this;
    if (!story || !expressions.length) { this.list.replaceChildren(); return; }
    let told;
    try { told = await call("frames", { story, from: Math.max(0, at - MOMENTS + 1), to: at, every: 1, watch: expressions }); } catch (refused) {
      // An expression may be about another version of the text: each can be taken away.
      this.told.textContent = refused.message;
      this.list.replaceChildren(...expressions.map((text) => h("li", {}, h("code", {}, text), this.stop(text))));
      return;
    }
    if (story !== this.player.story || at !== this.player.at || expressions !== this.expressions) return;
    const line = (text, index) => {
      const held = told.watched.map((values) => values[index]), now = held.at(-1);
      if (typeof now !== "boolean") return this.numbers(text, held, told.frames);
      const strip = h("span", { class: "strip", role: "img", "aria-label": `true in ${held.filter(Boolean).length} of the last ${held.length} configurations` }, held.map((value, i) => h("i", { class: value ? "yes" : "no", title: `step ${number(told.frames[i].step)}: ${value}` })));
      return h("li", {}, h("code", {}, text), h("b", { class: now ? "good" : "bad" }, String(now)), this.stop(text), strip);
    };
    this.list.replaceChildren(...expressions.map(line));
  }
}
