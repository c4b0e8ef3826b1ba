// The rules of an algorithm, with those that fired lit; for a text, its editor, which marks errors while one types.

import { call } from "./api.js";
import { h } from "./dom.js";
import { completions, keep, name_of, tokens, versions } from "./texts.js";

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
    // An action that is too long for its line begins the next one.
    text = text.replaceAll(/ {2,}(?=->)/g, " ").replaceAll(/-> .{1,40}$/gm, (action) => action.replaceAll(" ", "\u00a0").replace("->", "-\u2060>"));
    // A sentence of a list that goes on in the next line is one line.
    text = text.replaceAll(/^- .*(?:\n {2}\S.*)+/gm, (item) => item.replaceAll(/\n +/g, " "));
    const table = /\S {3,}\S/.test(text);
    this.box.classList.toggle("table", table);
    this.lines = ruled(table ? closer(text) : text).map(({ line, rule }) => Object.assign(h("div", {}, line || " "), { rule }));
    this.box.replaceChildren(...this.lines);
    requestAnimationFrame(() => this.aim());
    if (this.watching || !this.box.parentElement) return;
    this.watching = new ResizeObserver(() => this.aim());
    this.watching.observe(this.box.parentElement);
  }

  /** Beside the card of a tour there is little room: the head of the text is out of sight, and the rule that fired is seen. */
  aim() {
    const panel = this.box.parentElement, first = this.lines?.findIndex(({ rule }) => rule !== null), line = document.body.classList.contains("touring") && this.lines?.[Math.max(0, first - 1)];
    if (panel) panel.scrollTop = line ? panel.scrollTop + line.getBoundingClientRect().top - panel.getBoundingClientRect().top : 0;
    if (line && this.lit) this.bring(this.lit);
  }

  light(rules) {
    this.lit = null;
    for (const line of this.lines ?? []) {
      const fired = line.rule !== null && rules.includes(line.rule);
      line.classList.toggle("fired", fired);
      if (fired) this.lit ??= line;
    }
    if (this.lit) this.bring(this.lit);
  }

  /** Scrolls the column, and only it, until a line is seen. */
  bring(line) {
    const column = [this.box.parentElement, this.box.closest(".left")].find((box) => box && box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY === "auto");
    if (!column) return;
    const { top, bottom } = line.getBoundingClientRect(), seen = column.getBoundingClientRect(), low = Math.min(seen.bottom, innerHeight - 60);
    if (bottom > low) column.scrollTop += bottom - low + 12;
    else if (top < seen.top) column.scrollTop -= seen.top - top + 12;
  }
}

export class Editor {
  /** `on.use(text)` is called with a text without errors, `on.judged(fine)` with whether there are none, `on.notice(words, bad)` with news. */
  constructor(on) {
    this.on = on;
    this.fired = [];
    this.found = { marks: [], fine: true };
    this.area = h("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "The protocol's text", wrap: "off" });
    this.under = h("pre", { class: "under", "aria-hidden": "true" });
    this.numbers = h("div", { class: "numbers", "aria-hidden": "true" });
    this.list = h("ul", { class: "complaints", "aria-live": "polite" });
    this.names = h("ul", { class: "completions", role: "listbox", "aria-label": "Names that may follow", hidden: true });
    this.versions = h("select", { id: "versions", "aria-label": "Earlier versions of this text", onchange: () => this.restore(Number(this.versions.value)) });
    this.save = h("button", { type: "button", id: "save-text", hidden: true, title: "Write this text to the file that the lab was opened with (Ctrl+S)", onclick: () => this.save_file() }, "save");
    this.state = h("span", { class: "hint" });
    const choose = (id, words, act) => h("button", { type: "button", id, onclick: () => { this.conflict = false; return act(); } }, words);
    this.choices = h("span", { class: "row", hidden: true }, choose("take-file", "take the file’s text", () => this.take_file()), choose("overwrite-file", "overwrite the file with mine", () => { this.tell_file(); return this.save_file(); }));
    this.box = h("div", { class: "editor" }, h("div", { class: "row tools" }, this.versions, this.save, this.state, this.choices), h("div", { class: "pad" }, this.numbers, this.under, this.area, this.names), this.list);
    this.area.addEventListener("input", () => { this.found = { marks: [], fine: true }; this.paint(); this.later(); this.complete(); });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== this.area) this.names.hidden = true; }, 150));
    this.area.addEventListener("keydown", (event) => this.key(event));
  }

  get text() { return this.area.value; }

  key(event) {
    event.stopPropagation();
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); this.save_file(); return; }
    if (!this.names.hidden) {
      const items = [...this.names.children], now = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
      const go = (index) => items.forEach((item, i) => item.setAttribute("aria-selected", String(i === index)));
      const act = { ArrowDown: () => go((now + 1) % items.length), ArrowUp: () => go((now + items.length - 1) % items.length), Enter: () => items[now].click(), Tab: () => items[now].click(), Escape: () => { this.names.hidden = true; } }[event.key];
      if (act) { event.preventDefault(); act(); return; }
    }
    if (event.key === "Escape") this.area.blur();
  }

  /** Offers the names that may follow, below the word that is typed. */
  complete() {
    const at = this.area.selectionStart, { typed, names } = completions(this.text, at);
    this.names.hidden = !names.length;
    if (!names.length) return;
    const before = this.text.slice(0, at), line = before.split("\n").length - 1, column = before.length - before.lastIndexOf("\n") - 1 - typed.length;
    const style = getComputedStyle(this.area), high = parseFloat(style.lineHeight), wide = (this.measure ??= document.createElement("canvas").getContext("2d"));
    wide.font = `${style.fontSize} ${style.fontFamily}`;
    this.names.style.left = `${parseFloat(style.paddingLeft) + wide.measureText("x").width * column - this.area.scrollLeft}px`;
    this.names.style.top = `${parseFloat(style.paddingTop) + high * (line + 1) - this.area.scrollTop}px`;
    this.names.replaceChildren(...names.map((name, i) => h("li", { role: "option", "aria-selected": String(i === 0), onmousedown: (event) => event.preventDefault(), onclick: () => this.insert(name.slice(typed.length)) }, name)));
  }

  /** Inserts words as if they were typed, so that the browser's own undo knows them. */
  insert(words) {
    this.names.hidden = true;
    this.area.focus();
    if (!document.execCommand("insertText", false, words)) { this.area.setRangeText(words, this.area.selectionStart, this.area.selectionEnd, "end"); this.area.dispatchEvent(new Event("input")); }
    this.names.hidden = true;
  }

  /** Shows another text. The one before is kept. */
  set(text) {
    if (this.text) keep(this.text);
    this.area.value = text;
    this.paint();
    this.list_versions();
    return this.lint(false);
  }

  /** The versions of this document that this browser keeps, the newest first. */
  list_versions() {
    const kept = versions(name_of(this.text)), when = (at) => new Date(at).toLocaleString("en-GB", { dateStyle: "short", timeStyle: "medium" });
    this.versions.replaceChildren(h("option", { value: "" }, kept.length ? `${kept.length} kept version${kept.length === 1 ? "" : "s"}` : "no kept versions"), ...kept.map((version, i) => h("option", { value: i }, when(version.at))).reverse());
    this.versions.disabled = !kept.length;
  }

  restore(index) {
    const version = versions(name_of(this.text))[index];
    if (!version) return;
    keep(this.text);
    this.area.focus();
    this.area.select();
    this.insert(version.text);
    this.later();
  }

  /** Follows the file that the lab was opened with. */
  follow_file(text) {
    this.on_disk = text;
    this.save.hidden = false;
    this.tell_file();
    setInterval(() => { if (this.box.isConnected && this.box.offsetParent && document.visibilityState === "visible") this.read_file(); }, 1500);
  }

  tell_file() {
    if (this.on_disk === undefined) return;
    const same = this.text === this.on_disk, empty = !this.text.trim();
    if (same) this.conflict = false;
    this.save.disabled = same || empty || this.conflict;
    this.choices.hidden = !this.conflict;
    this.state.textContent = this.conflict ? "The file has changed on disk, and so has your text. Saving is refused until you take one of them." : same ? "as in the file" : empty ? "an empty text is not saved" : "not saved to the file";
  }

  async read_file() {
    let text;
    try { ({ text } = await call("file")); } catch (refused) { this.state.textContent = refused.message; return; }
    if (text === this.on_disk) return;
    const mine = this.text !== this.on_disk && this.text !== text;
    this.on_disk = text;
    if (mine) { keep(this.text); this.conflict = true; this.tell_file(); return; }
    if (text === this.text) this.tell_file(); else await this.take_file();
  }

  async take_file() {
    await this.set(this.on_disk);
    this.on.use(this.on_disk);
    this.tell_file();
  }

  async save_file() {
    if (this.on_disk === undefined) return;
    this.tell_file();
    if (this.save.disabled) return;
    const { text } = this;
    keep(this.on_disk);
    try { await call("save", { text, before: this.on_disk }); this.on_disk = text; this.tell_file(); } catch (refused) { this.on.notice(refused.message, true); }
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lint(true), 220);
  }

  async lint(use) {
    const text = this.text;
    this.tell_file();
    let found;
    try { found = await call("lint", { text }); } catch { return; }
    if (text !== this.text) return;
    this.found = found;
    this.paint();
    this.complain();
    this.on.judged(found.fine);
    if (use) { keep(text, { typing: true }); this.list_versions(); }
    if (found.fine && use) this.on.use(text);
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

  /** The layer under the text: its words in colour, errors underlined and told at the end of their line, and the rule that fired lit. */
  paint() {
    const { text } = this, { marks } = this.found, wrong = new Set(marks.filter((m) => m.error).map((m) => m.line));
    // The classes of each character.
    const kinds = Array.from({ length: text.length }, () => "");
    const dress = (from, to, kind) => { for (let i = from; i < Math.min(to, text.length); i++) kinds[i] += ` ${kind}`; };
    for (const { from, to, kind } of tokens(text)) dress(from, to, kind);
    let from = 0;
    const lit = new Set();
    if (this.fired.length) for (const [i, { line, rule }] of ruled(text).entries()) { if (rule !== null && this.fired.includes(rule)) { dress(from, from + line.length, "fired"); lit.add(i + 1); } from += line.length + 1; }
    for (const mark of marks) dress(mark.from, Math.max(mark.to, mark.from + 1), mark.error ? "wrong" : "doubt");
    const parts = [], told = new Map(marks.filter((m) => m.error).map((m) => [m.line, m.message]));
    let line = 1;
    for (let at = 0; at < text.length;) {
      if (text[at] === "\n") { if (told.has(line)) parts.push(h("span", { class: "said" }, `  ← ${told.get(line)}`)); parts.push("\n"); line += 1; at += 1; continue; }
      let to = at + 1;
      while (to < text.length && kinds[to] === kinds[at] && text[to] !== "\n") to += 1;
      parts.push(kinds[at] ? h("span", { class: kinds[at].trim() }, text.slice(at, to)) : text.slice(at, to));
      at = to;
    }
    if (told.has(line)) parts.push(h("span", { class: "said" }, `  ← ${told.get(line)}`));
    this.under.replaceChildren(...parts, "\n");
    this.numbers.replaceChildren(...text.split("\n").map((_, i) => h("div", { class: [wrong.has(i + 1) && "wrong", lit.has(i + 1) && "fired"].filter(Boolean).join(" ") }, String(i + 1))));
    this.follow();
  }

  follow() {
    this.under.scrollTop = this.numbers.scrollTop = this.area.scrollTop;
    this.under.scrollLeft = this.area.scrollLeft;
  }
}
