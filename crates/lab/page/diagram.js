// The space-time diagram: agents across, time down, the newest at the bottom. A click goes to that moment.

import { h, number, sheet } from "./dom.js";
import { has, main, palette } from "./marks.js";

const SHADES = 12;
/** The first line begins here, so that its number is not cut off. */
const TOP = 6;

/** The red, green and blue of any colour that CSS knows. */
function pixel(colour) {
  const context = h("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

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
    this.strips = new WeakMap();
    this.pixels = new Map();
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
    const line = Math.floor((y - TOP) / this.row);
    const step = this.lines[line];
    return step !== undefined && step <= this.player.last ? step : null;
  }

  draw() {
    const { player } = this, { frame } = player, drawn = frame && sheet(this.canvas);
    if (!drawn) return;
    const { context, width, height } = drawn, size = frame.states.length;
    const LEFT = Math.max(62, context.measureText(number(player.last)).width + 24);
    this.height = height - TOP - 2;
    this.row = Math.max(7, Math.min(13, Math.floor(this.height / 24)));
    context.imageSmoothingEnabled = false;
    const cell = (width - LEFT - 4) / size, gap = cell > 8 ? 1 : 0, { colours, row } = this;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const lines = this.lines;
    let missing = null;
    lines.forEach((step, line) => {
      const y = TOP + line * row, then = player.frames.get(step);
      if (step > player.at && step > player.last) return;
      if (!then) { if (step <= player.last) missing ??= step; return; }
      const future = step > player.at;
      context.globalAlpha = future ? 0.35 : 1;
      const tall = row - 1;
      if (gap) for (let i = 0; i < size; i++) { context.fillStyle = this.shown(then, i); context.fillRect(LEFT + i * cell, y, cell - gap, tall); }
      else context.drawImage(this.strip(then), LEFT, y, width - LEFT - 4, tall);
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
      context.strokeRect(LEFT - 1, TOP - 1 + now * row, width - LEFT - 4, row + 1);
    }
    this.shade_cycle(context, lines, width);
    if (missing !== null) this.fetch(missing, lines);
  }

  /** Many agents are one line of pixels, made once. */
  strip(frame) {
    if (this.strips.has(frame)) return this.strips.get(frame);
    const { length } = frame.states, canvas = h("canvas", { width: length, height: 1 }), context = canvas.getContext("2d"), image = context.createImageData(length, 1);
    for (let i = 0; i < length; i++) {
      const shown = this.shown(frame, i);
      if (!this.pixels.has(shown)) this.pixels.set(shown, pixel(shown));
      image.data.set(this.pixels.get(shown), 4 * i);
    }
    context.putImageData(image, 0, 0);
    this.strips.set(frame, canvas);
    return canvas;
  }

  /** The part of a counterexample that repeats for ever is marked at the side. */
  shade_cycle(context, lines, width) {
    const { lasso } = this.player;
    if (!lasso) return;
    context.fillStyle = this.colours.token;
    lines.forEach((step, line) => {
      if (step <= lasso.prefix || step > this.player.last) return;
      context.globalAlpha = Math.floor((step - lasso.prefix - 1) / lasso.cycle) % 2 ? 0.35 : 0.9;
      context.fillRect(width - 4, TOP + line * this.row, 4, this.row);
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
