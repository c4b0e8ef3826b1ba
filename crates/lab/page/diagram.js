// The space-time diagram: agents across, time down, the newest at the bottom. A click goes to that moment.

import { h, number } from "./dom.js";
import { has, main, palette } from "./marks.js";

const LEFT = 62;
const SHADES = 12;

export class Diagram {
  constructor(player) {
    this.player = player;
    this.every = 1;
    this.canvas = h("canvas", { role: "img", "aria-label": "Space-time diagram: agents across, time down. A click goes to a moment." });
    this.scale = h("select", { "aria-label": "Steps per line", onchange: () => this.zoom(Number(this.scale.value)) },
      [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000].map((steps) => h("option", { value: steps }, steps === 1 ? "every step" : `every ${number(steps)} steps`)));
    this.box = h("section", { class: "panel diagram" }, h("div", { class: "head" }, h("h2", {}, "Space and time"), this.scale), this.canvas);
    this.canvas.addEventListener("click", (event) => {
      const step = this.stepAt(event.offsetY);
      if (step !== null) player.go(step);
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.repaint();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
  }

  repaint() {
    const colours = (this.colours = palette());
    this.shielded = `color-mix(in srgb, ${colours.leader} 60%, ${colours.shield})`;
    this.shades = Array.from({ length: SHADES }, (_, i) => `color-mix(in srgb, ${colours.faint} ${Math.round(6 + (44 * i) / (SHADES - 1))}%, ${colours.plain})`);
    this.draw();
  }

  zoom(every) {
    this.every = every;
    this.scale.value = String(every);
    this.draw();
  }

  /** Which moments the lines show, from top to bottom. */
  get lines() {
    const { at } = this.player;
    const count = Math.max(2, Math.floor(this.height / this.row));
    const newest = Math.ceil(at / this.every);
    const oldest = Math.max(0, newest - count + 1);
    return Array.from({ length: count }, (_, line) => (oldest + line) * this.every);
  }

  stepAt(y) {
    const line = Math.floor((y - 2) / this.row);
    const step = this.lines[line];
    return step !== undefined && step <= this.player.last ? step : null;
  }

  draw() {
    const { canvas, player } = this;
    const frame = player.frame;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!frame || !width || !height) return;
    const dense = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * dense) || canvas.height !== Math.round(height * dense)) {
      canvas.width = Math.round(width * dense);
      canvas.height = Math.round(height * dense);
    }
    const size = frame.states.length;
    this.height = height - 4;
    this.row = Math.max(5, Math.min(13, Math.floor(this.height / 24)));
    const context = canvas.getContext("2d");
    context.setTransform(dense, 0, 0, dense, 0, 0);
    context.clearRect(0, 0, width, height);
    const cell = (width - LEFT - 4) / size, gap = cell > 8 ? 1 : 0, { colours, row } = this;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    const lines = this.lines;
    let missing = null;
    lines.forEach((step, line) => {
      const y = 2 + line * row, then = player.frames.get(step);
      if (step > player.at && step > player.last) return;
      if (!then) { if (step <= player.last) missing ??= step; return; }
      const future = step > player.at;
      context.globalAlpha = future ? 0.35 : 1;
      const tall = row - (row > 5 ? 1 : 0);
      for (let from = 0; from < size;) {
        const shown = this.shown(then, from);
        let to = from + 1;
        while (!gap && to < size && this.shown(then, to) === shown) to += 1;
        context.fillStyle = shown;
        context.fillRect(LEFT + from * cell, y, (to - from) * cell - gap, tall);
        from = to;
      }
      context.fillStyle = then.safe ? colours.good : colours.grid;
      context.fillRect(LEFT - 6, y, 3, tall);
      if (then.edited?.length) {
        context.fillStyle = colours.bad;
        for (const agent of then.edited) context.fillRect(LEFT + agent * cell, y, cell - gap, 2);
        context.beginPath();
        context.moveTo(LEFT - 14, y); context.lineTo(LEFT - 8, y + row / 2); context.lineTo(LEFT - 14, y + row); context.fill();
      }
      context.globalAlpha = 1;
      context.fillStyle = colours.faint;
      if (line % Math.ceil(26 / row) === 0) context.fillText(number(step), LEFT - 16, y + row / 2);
    });
    const now = lines.findIndex((step) => step >= player.at);
    if (now >= 0) {
      context.strokeStyle = colours.accent;
      context.lineWidth = 2;
      context.strokeRect(LEFT - 1, 1 + now * row, width - LEFT - 4, row + 1);
    }
    this.shade_cycle(context, lines, width);
    if (missing !== null) this.fetch(missing, lines);
  }

  /** The part of a counterexample that repeats for ever is marked at the side. */
  shade_cycle(context, lines, width) {
    const script = this.player.story?.script;
    if (!script || script.cycle === null || script.cycle === undefined) return;
    const lap = script.steps.length - script.cycle;
    context.fillStyle = this.colours.token;
    lines.forEach((step, line) => {
      if (step <= script.cycle || step > this.player.last) return;
      context.globalAlpha = Math.floor((step - script.cycle - 1) / lap) % 2 ? 0.35 : 0.9;
      context.fillRect(width - 4, 2 + line * this.row, 4, this.row);
    });
    context.globalAlpha = 1;
  }

  shown(frame, agent) {
    const bits = frame.marks[agent];
    const name = main(bits);
    if (name === "leader" && has(bits, "shield")) return this.shielded;
    if (name !== "plain" || !this.shade) return this.colours[name];
    const share = this.shade(frame.states[agent]);
    return share === null ? this.colours.plain : this.shades[Math.round(share * (SHADES - 1))];
  }

  fetch(from, lines) {
    if (this.asking) return;
    this.asking = true;
    const to = Math.min(this.player.at, lines.at(-1));
    this.player.ask(from, to, this.every).then((told) => told && requestAnimationFrame(() => this.draw())).catch(() => {})
      .finally(() => { this.asking = false; });
  }
}
