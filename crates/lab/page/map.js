// The graph of all configurations of a small system: the safe ones in the middle, each ring one step further away, the run as a path.

import { call } from "./api.js";
import { colour, h, number } from "./dom.js";

export class ConfigurationMap {
  constructor() {
    this.canvas = h("canvas", { role: "img", "aria-label": "All configurations, by their distance to a safe one; the run is a path through them" });
    this.words = h("p", { class: "hint" });
    this.box = h("section", { class: "panel map", hidden: true }, h("h2", {}, "All configurations"), this.canvas, this.words);
    this.path = [];
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  close() {
    this.box.hidden = true;
    this.key = null;
    this.nodes = null;
  }

  /** Opens the map of a setup, unless it is open. */
  async open(setup) {
    const key = JSON.stringify({ ...setup, seed: 0, start: null, scheduler: null });
    if (this.key === key) return;
    this.key = key;
    this.path = [];
    try {
      const told = await call("graph", { setup });
      if (told.state !== "known" || this.key !== key) { this.key = null; return; }
      this.lay(told);
      this.box.hidden = false;
      this.draw();
    } catch { this.box.hidden = true; }
  }

  /** Levels by the fewest steps to a safe configuration; on each level a node stands near its successors. */
  lay({ nodes, steps, rotations }) {
    const places = new Map(nodes.map(([id, safe, worst, expected, heals]) => [id, { id, safe, worst, expected, heals, level: safe ? 0 : Infinity, next: [], before: [] }]));
    for (const [from, to] of steps) { const a = places.get(from), b = places.get(to); if (a && b) { a.next.push(b); b.before.push(a); } }
    let wave = [...places.values()].filter((node) => node.safe);
    for (let level = 1; wave.length; level++) {
      const next = [];
      for (const node of wave) for (const before of node.before) if (before.level === Infinity) { before.level = level; next.push(before); }
      wave = next;
    }
    const deepest = Math.max(0, ...[...places.values()].map((n) => n.level).filter(Number.isFinite));
    const levels = Array.from({ length: deepest + 2 }, () => []);
    for (const node of places.values()) levels[Number.isFinite(node.level) ? node.level : deepest + 1].push(node);
    if (!levels.at(-1).length) levels.pop();
    levels.forEach((level, depth) => {
      level.forEach((node, i) => {
        const towards = node.next.filter((n) => n.level < node.level && n.angle !== undefined);
        node.angle = towards.length
          ? Math.atan2(towards.reduce((s, n) => s + Math.sin(n.angle), 0), towards.reduce((s, n) => s + Math.cos(n.angle), 0)) : (2 * Math.PI * i) / level.length;
      });
      level.sort((a, b) => a.angle - b.angle);
      // Spread evenly, and turned to keep the distances short.
      const turn = level.length ? Math.atan2(level.reduce((s, n, i) => s + Math.sin(n.angle - (2 * Math.PI * i) / level.length), 0), level.reduce((s, n, i) => s + Math.cos(n.angle - (2 * Math.PI * i) / level.length), 0)) : 0;
      level.forEach((node, i) => {
        node.angle = turn + (2 * Math.PI * i) / level.length;
        const far = levels.length === 1 ? 0.6 : depth === 0 ? Math.min(0.22, 0.02 * level.length) : 0.22 + (0.76 * depth) / (levels.length - 1);
        // The safe ones fill a disc.
        const r = depth === 0 ? far * Math.sqrt((i + 0.5) / level.length) : far;
        const angle = depth === 0 ? i * 2.399963 : node.angle;
        node.x = r * Math.cos(angle);
        node.y = r * Math.sin(angle);
      });
    });
    this.nodes = places;
    const safe = levels[0].length, lost = [...places.values()].filter((n) => n.worst === null && !n.safe).length;
    this.words.textContent = `${number(places.size)} configurations${rotations ? " up to rotation" : ""}. The ${number(safe)} in the middle are safe; each ring is one step further away. ` +
      (lost ? `Red: from these ${number(lost)} some schedule stays unsafe for ever.` : "Every schedule reaches a safe one.");
  }

  /** The run is here now. */
  here(node, step) {
    if (this.step !== undefined && step !== this.step + 1) this.path = this.path.filter(([, at]) => at < step);
    this.step = step;
    this.path.push([node, step]);
    if (this.path.length > 40) this.path.shift();
    this.draw();
  }

  draw() {
    const { canvas } = this, size = canvas.clientWidth;
    if (!this.nodes || !size) return;
    const dense = devicePixelRatio || 1;
    canvas.width = canvas.height = Math.round(size * dense);
    const context = canvas.getContext("2d");
    context.setTransform((size * dense) / 2.06, 0, 0, (size * dense) / 2.06, (size * dense) / 2, (size * dense) / 2);
    const unit = 2.06 / size, all = [...this.nodes.values()];
    context.lineWidth = 0.7 * unit;
    context.strokeStyle = colour("plain-edge");
    context.globalAlpha = Math.max(0.06, Math.min(0.5, 220 / all.length));
    context.beginPath();
    for (const node of all) for (const next of node.next) if (next.level < node.level || !Number.isFinite(node.level)) { context.moveTo(node.x, node.y); context.lineTo(next.x, next.y); }
    context.stroke();
    context.globalAlpha = 1;
    const r = Math.max(1.1, Math.min(5, 95 / Math.sqrt(all.length))) * unit;
    const [good, bad, faint, accent, ink] = ["leader", "bullet", "faint", "accent", "ink"].map(colour);
    for (const node of all) {
      context.fillStyle = node.safe ? good : node.worst === null ? bad : faint;
      context.beginPath();
      context.arc(node.x, node.y, r, 0, 7);
      context.fill();
    }
    const trail = this.path.map(([id]) => this.nodes.get(id)).filter(Boolean);
    context.strokeStyle = accent;
    context.lineWidth = 2 * unit;
    context.beginPath();
    trail.forEach((node, i) => (i ? context.lineTo(node.x, node.y) : context.moveTo(node.x, node.y)));
    context.stroke();
    const now = trail.at(-1);
    if (!now) return;
    context.fillStyle = accent;
    context.strokeStyle = ink;
    context.lineWidth = 1.5 * unit;
    context.beginPath();
    context.arc(now.x, now.y, Math.max(r * 1.6, 6 * unit), 0, 7);
    context.fill();
    context.stroke();
  }
}
