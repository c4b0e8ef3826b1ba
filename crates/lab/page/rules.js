// The rules of an algorithm, with those that fired lit; for a text, its editor, which marks errors while one types.

import { call } from "./api.js";
import { h } from "./dom.js";

const NUMBERED = /^\s*(\d+)[.:]/;

/** The rule of each line: a number begins a rule, and the indented lines below belong to it. */
function ruled(text) {
  let rule = null;
  return text.split("\n").map((line) => {
    const begins = line.match(NUMBERED);
    if (begins) rule = Number(begins[1]);
    else if (!/^\s+\S/.test(line)) rule = null;
    return { line, rule };
  });
}

/** A table of rules with columns as narrow as their contents. */
function closer(text) {
  const cells = (line) => line.trim().split(/ {2,}/), lines = text.split("\n"), widths = [];
  for (const line of lines) if (NUMBERED.test(line)) cells(line).forEach((cell, i) => { widths[i] = Math.max(widths[i] ?? 0, cell.length); });
  // The headings stand above the columns; the first column also has the number.
  const names = (line) => { const [first, second, ...others] = cells(line); return first === "#" && others.length + 1 === widths.length ? [`#  ${second}`, ...others] : null; };
  const narrow = (line) => {
    const row = NUMBERED.test(line) ? cells(line) : names(line);
    return row ? row.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd() : line.replace(/(\S) {3,}(?=\S)/g, "$1  ");
  };
  return lines.map(narrow).join("\n");
}

export class Rules {
  constructor() {
    this.box = h("div", { class: "rules", tabindex: "0", role: "region", "aria-label": "The rules" });
  }

  show(text) {
    // Columns stand closer than in a terminal; sentences are wrapped at the width of the panel.
    const table = /\S {3,}\S/.test(text);
    this.box.classList.toggle("table", table);
    this.lines = ruled(table ? closer(text) : text).map(({ line, rule }) => Object.assign(h("div", {}, line || " "), { rule }));
    this.box.replaceChildren(...this.lines);
  }

  light(rules) {
    for (const line of this.lines ?? []) line.classList.toggle("fired", line.rule !== null && rules.includes(line.rule));
  }
}

export class Editor {
  /** `use(text)` is called with a text without errors, `judged(fine)` with whether there are none. */
  constructor(use, judged) {
    Object.assign(this, { use, judged });
    this.fired = [];
    this.found = { marks: [], fine: true };
    this.area = h("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "The protocol's text", wrap: "off" });
    this.under = h("pre", { class: "under", "aria-hidden": "true" });
    this.numbers = h("div", { class: "numbers", "aria-hidden": "true" });
    this.list = h("ul", { class: "complaints", "aria-live": "polite" });
    this.box = h("div", { class: "editor" }, h("div", { class: "pad" }, this.numbers, this.under, this.area), this.list);
    this.area.addEventListener("input", () => { this.found = { marks: [], fine: true }; this.paint(); this.later(); });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.area.blur();
    });
  }

  get text() { return this.area.value; }

  set(text) {
    this.area.value = text;
    this.paint();
    return this.lint(false);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lint(true), 220);
  }

  async lint(use) {
    const text = this.text;
    let found;
    try { found = await call("lint", { text }); } catch { return; }
    if (text !== this.text) return;
    this.found = found;
    this.paint();
    this.complain();
    this.judged(found.fine);
    if (found.fine && use) this.use(text);
  }

  complain() {
    const item = (mark) => {
      const go = () => { this.area.focus(); this.area.setSelectionRange(mark.from, Math.max(mark.to, mark.from)); };
      return h("li", { class: mark.error ? "" : "doubt", onclick: go }, `line ${mark.line}: ${mark.message}`, mark.label && h("i", {}, mark.label), mark.help && h("i", {}, mark.help));
    };
    this.list.replaceChildren(...this.found.marks.map(item));
  }

  light(rules) {
    if (this.fired.join() === rules.join()) return;
    this.fired = rules;
    this.paint();
  }

  /** The layer under the text: errors underlined, and the rule that fired lit. */
  paint() {
    const { text } = this, parts = [], wrong = new Set(this.found.marks.filter((m) => m.error).map((m) => m.line));
    const lit = [];
    if (this.fired.length) {
      let from = 0;
      for (const { line, rule } of ruled(text)) {
        if (rule !== null && this.fired.includes(rule)) lit.push({ from, to: from + line.length, kind: "fired" });
        from += line.length + 1;
      }
    }
    const marks = this.found.marks.map((m) => ({ from: m.from, to: Math.max(m.to, m.from + 1), kind: m.error ? "wrong" : "doubt" })).concat(lit);
    marks.sort((a, b) => a.from - b.from);
    let at = 0;
    for (const { from, to, kind } of marks) {
      if (from < at) continue;
      parts.push(text.slice(at, from), h("span", { class: kind }, text.slice(from, to)));
      at = to;
    }
    parts.push(text.slice(at), "\n");
    this.under.replaceChildren(...parts);
    this.numbers.replaceChildren(...text.split("\n").map((_, i) => h("div", { class: wrong.has(i + 1) ? "wrong" : "" }, String(i + 1))));
    this.follow();
  }

  follow() {
    this.under.scrollTop = this.numbers.scrollTop = this.area.scrollTop;
    this.under.scrollLeft = this.area.scrollLeft;
  }
}
