// Processes that pass messages: each message lies on its channel, and is a button if it may arrive now. A chart is below.

import { button, h, number, svg, tip } from "./dom.js";
import { Figure, circle, zoom } from "./figure.js";
import { disc, legend, letter, palette } from "./marks.js";

export class MessageScene {
  /** `on.step(move)` is called when the viewer lets a process step or a message arrive. */
  constructor(on) {
    this.on = on;
    this.svg = svg("svg", { class: "scene messages", role: "group", "aria-label": "The processes and their messages" });
    this.legend = h("div", { class: "legend" });
    new ResizeObserver(() => this.layout()).observe(this.svg);
  }

  open(subject) {
    this.subject = subject;
    this.frame = null;
    this.seen = 0;
    this.legend.dataset.key = "";
    this.agents = null;
    this.layout();
  }

  choose_from() {}
  judge() {}

  layout() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!this.subject || !width || !height) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const { size } = this.subject.graph;
    this.zoom = zoom();
    this.worded = size <= 12 && width > 360 * this.zoom;
    this.radius = Math.max(40, Math.min(width / 2 - (this.worded ? 130 * this.zoom : 40), height / 2 - 66 * this.zoom));
    Object.assign(this, { cx: width / 2, cy: height / 2, dot: Math.max(4, Math.min(28 * this.zoom, (this.radius * Math.PI * 0.42) / size)) });
    this.places = circle(size, this.cx, this.cy, this.radius);
    this.under = svg("g", {});
    this.middle = svg("text", { class: "middle", x: this.cx, y: this.cy - 4, "font-size": Math.max(13, Math.min(28, this.radius / 7)) });
    this.small = svg("text", { class: "middle small", x: this.cx, y: this.cy + 20, "font-size": 14 });
    this.agents = this.places.map((place, i) => this.process(place, i));
    this.svg.replaceChildren(svg("circle", { class: "track", cx: this.cx, cy: this.cy, r: this.radius }), ...this.agents.flatMap((agent) => [agent.group, agent.texts]), this.under, this.middle, this.small);
    const frame = this.frame;
    if (frame) this.show(frame, this.text);
  }

  process(place, index) {
    const figure = new Figure(place, this.dot, this.worded ? 11.5 * this.zoom : 0), { group } = figure;
    if (this.on.step) button(group, `process ${index}`, () => { if (this.frame?.traffic.ready.includes(index)) this.on.step({ processes: [index] }); });
    tip(group, () => this.frame && `process ${index}${this.frame.traffic.ready.includes(index) ? " may step: click it" : ""}\n${this.text(this.frame.states[index]).replaceAll(" ", "\n")}`);
    return figure;
  }

  show(frame, text) {
    const before = this.frame;
    Object.assign(this, { frame, text });
    if (!this.agents) return;
    let seen = this.seen;
    frame.states.forEach((state, i) => {
      const figure = this.agents[i], { group } = figure, bits = frame.marks[i];
      seen |= bits;
      figure.body.style.fill = `var(--${disc(bits)})`;
      figure.sign(letter(bits) || String(i), ["leader", "active"].includes(disc(bits)));
      group.classList.toggle("leader", disc(bits) === "leader");
      group.classList.toggle("touched", frame.taken?.processes[0] === i);
      group.classList.toggle("chosen", frame.traffic.ready.includes(i));
      group.setAttribute("aria-label", `process ${i}: ${text(state)}`);
      figure.write(text(state).split(" "));
    });
    if (seen !== this.seen) { this.seen = seen; legend(this.legend, seen); }
    this.show_messages(frame, before);
    // Without messages there is room for the outcome inside of the ring.
    const empty = !frame.traffic.waiting.length;
    this.middle.textContent = empty ? (frame.leaders === 1 ? "1 leader" : frame.leaders ? `${frame.leaders} leaders` : "no leader") : "";
    this.small.textContent = empty && frame.safe ? "ended" : "";
  }

  /** Messages lie inside of the ring near their receiver, the oldest nearest, those from the left neighbour on one side. */
  show_messages(frame) {
    const step = (2 * Math.PI) / this.places.length, short = this.places.length > 12;
    const pills = frame.traffic.waiting.map((message) => {
      // Port 0 is the left neighbour's: such a message travels clockwise.
      const forth = message.port === 0, to = this.places[message.to];
      const r = this.radius - this.dot - (16 + (short ? 14 : 23) * message.index) * this.zoom;
      const angle = to.angle - (forth ? 1 : -1) * Math.min(step * 0.3, 0.34);
      const [x, y] = [this.cx + r * Math.cos(angle), this.cy + r * Math.sin(angle)];
      const words = short ? "" : message.text, wide = Math.max(14, words.length * 6.1 + 14), tall = short ? 14 : 19;
      const group = svg("g", { class: `pill${message.ready ? " ready" : ""}`, transform: `translate(${x} ${y}) scale(${this.zoom})` },
        svg("rect", { x: -wide / 2, y: -tall / 2, width: wide, height: tall, rx: tall / 2 }), svg("text", { "text-anchor": "middle", "dominant-baseline": "central" }, words));
      if (message.ready && this.on.step) button(group, `deliver ${message.text} to ${message.to}`, () => this.on.step({ processes: [message.to], message: [message.port, message.index] }));
      tip(group, `${message.text}, from ${message.from} to ${message.to}, sent in step ${number(message.sent)}\n${message.ready ? "click: it arrives now" : "it cannot arrive yet"}`);
      return group;
    });
    this.under.replaceChildren(...pills);
  }

  describe() { return ""; }
}

const LEFT = 56, TOP = 20, ROW = 17;

/** Processes across, time down, messages as lines from their sending to their arrival. */
export class Chart {
  constructor(player) {
    this.player = player;
    this.every = 1;
    this.canvas = h("canvas", { role: "img", "aria-label": "Message chart: processes across, time down" });
    this.box = h("section", { class: "panel diagram" }, h("div", { class: "head" }, h("h2", {}, "Messages in time")), this.canvas);
    this.canvas.addEventListener("click", (event) => {
      const step = this.first + Math.floor((event.offsetY - TOP) / ROW);
      if (step >= 0 && step <= player.last) player.go(step);
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.repaint();
  }

  repaint() { this.colours = palette(); this.draw(); }
  zoom() {}

  draw() {
    const { canvas, player, colours } = this, { frame } = player;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!frame?.traffic || !width || !height) return;
    const dense = devicePixelRatio || 1, size = frame.states.length;
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(height * dense);
    const context = canvas.getContext("2d");
    context.setTransform(dense, 0, 0, dense, 0, 0);
    const rows = Math.max(3, Math.floor((height - TOP) / ROW) - 1), first = (this.first = Math.max(0, player.at - rows + 1));
    const x = (process) => LEFT + ((process + 0.5) * (width - LEFT - 8)) / size, y = (step) => TOP + (step - first + 0.5) * ROW;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (let process = 0; process < size; process++) {
      context.fillStyle = colours.faint;
      context.fillText(String(process), x(process), 9);
      context.strokeStyle = colours.grid;
      context.beginPath(); context.moveTo(x(process), TOP); context.lineTo(x(process), height); context.stroke();
    }
    let missing = null;
    context.save();
    context.beginPath(); context.rect(0, TOP - 3, width, height); context.clip();
    for (let step = first; step <= Math.min(player.at, first + rows); step++) {
      const then = player.frames.get(step);
      if (!then) { missing ??= step; continue; }
      context.fillStyle = colours.faint;
      context.textAlign = "right";
      if (step % 5 === 0 || step === player.at) context.fillText(number(step), LEFT - 12, y(step));
      const arrived = then.traffic.received;
      if (arrived) this.message(context, arrived, x, y(arrived.sent), y(step), then.taken.processes[0], size, width, colours.accent, arrived.text);
      if (then.taken) {
        const who = then.taken.processes[0];
        context.fillStyle = colours[disc(then.marks[who])] ?? colours.plain;
        context.strokeStyle = colours.faint;
        context.beginPath(); context.arc(x(who), y(step), 5, 0, 7); context.fill(); context.stroke();
      }
    }
    for (const message of frame.traffic.waiting) this.message(context, message, x, y(message.sent), y(player.at) + ROW * 0.6, message.to, size, width, colours.faint, message.text, true);
    context.restore();
    if (missing !== null && !this.asking) {
      this.asking = true;
      player.ask(missing, player.at, 1).then(() => requestAnimationFrame(() => this.draw())).catch(() => {}).finally(() => { this.asking = false; });
    }
  }

  /** A line; one that goes around the ring leaves the chart at its side and comes back at the other. */
  message(context, message, x, sent, arrives, to, size, width, colour, text, dashed = false) {
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.setLineDash(dashed ? [3, 4] : []);
    context.lineWidth = dashed ? 1 : 1.6;
    const around = Math.abs(message.from - to) > size / 2, column = (width - LEFT - 8) / size;
    const line = (a, b, c, d) => { context.beginPath(); context.moveTo(a, b); context.lineTo(c, d); context.stroke(); };
    const middle = (sent + arrives) / 2, out = message.from > to ? 1 : -1;
    if (around) { line(x(message.from), sent, x(message.from) + (out * column) / 2, middle); line(x(to) - (out * column) / 2, middle, x(to), arrives); }
    else line(x(message.from), sent, x(to), arrives);
    context.setLineDash([]);
    if (dashed || arrives - sent < 0) return;
    context.textAlign = out > 0 ? "left" : "right";
    const side = around ? -out : Math.sign(message.from - to) || 1;
    context.textAlign = side > 0 ? "left" : "right";
    context.fillText(text, x(to) + side * 9, arrives);
  }
}
