// Processes that pass messages: each message lies on its channel, and is a button if it may arrive now. A chart is below.

import { Boxes, around, lines_box } from "./boxes.js";
import { button, h, number, sheet, svg, tip } from "./dom.js";
import { Figure, Stage, circle, head } from "./figure.js";
import { meets } from "./network.js";
import { disc, legend, letter, palette } from "./marks.js";

/** The most processes for which every message is drawn; beyond, each link has the number of its messages. */
const MOST_DRAWN = 16;

export class MessageScene extends Stage {
  /** `on.step(move)` is called when the viewer lets a process step or a message arrive. */
  constructor(on) { super(on, "scene messages", "The processes and their messages"); }

  choose_from() {}
  judge() {}

  /** Lays everything out; `detail` is 1 if the states stand beside the processes, and 0 if only their numbers do. */
  layout(detail = this.subject?.graph.size <= 8 ? 1 : 0) {
    if (!this.measure(detail)) return;
    const { width, height, subject: { graph: { size } } } = this;
    const margin = detail ? { x: 128 * this.wording, y: 84 * this.wording } : { x: 10 + 36 * this.zoom + 28 * this.wording, y: 60 * this.wording };
    this.radius = Math.max(40, Math.min(width / 2 - margin.x, height / 2 - margin.y));
    Object.assign(this, { cx: width / 2, cy: height / 2, dot: Math.max(4, Math.min(26 * this.zoom, (this.radius * Math.PI * 0.42) / size)) });
    this.places = circle(size, this.cx, this.cy, this.radius);
    [this.ways, this.pills] = [svg("g", {}), svg("g", {})];
    this.middle = svg("text", { class: "middle", x: this.cx, y: this.cy - 4, "font-size": Math.max(13, Math.min(28, this.radius / 7)) });
    this.small = svg("text", { class: "middle small", x: this.cx, y: this.cy + 20, "font-size": 14 });
    this.agents = this.places.map((place, i) => this.process(place, i));
    this.svg.replaceChildren(svg("circle", { class: "track", cx: this.cx, cy: this.cy, r: this.radius }), ...this.directions(), this.ways, ...this.agents.flatMap((agent) => [agent.group, agent.texts]), this.middle, this.small, this.pills);
    const frame = this.frame;
    if (frame) this.show(frame, this.text);
  }

  process(place, index) {
    const room = (2 * Math.PI * (this.radius + this.dot + 12)) / this.places.length, font = (this.detail ? 11.5 : 12) * this.wording;
    const every = [1, 5, 10, 25, 50].find((every) => every * room > font * 3) ?? 100;
    const figure = new Figure(place, this.dot, this.detail || index % every === 0 ? font : 0, String(index)), { group } = figure;
    if (this.on.step) button(group, `process ${index}`, () => { if (this.frame?.traffic.ready.includes(index)) this.on.step({ processes: [index] }); });
    tip(group, () => this.frame && `process ${index}${this.frame.traffic.ready.includes(index) ? " may step: click it" : ""}\n${this.text(this.frame.states[index]).replaceAll(" ", "\n")}`, () => !this.frame?.traffic.ready.includes(index));
    return figure;
  }

  /** The words beside a process; without room for its state, only the letter of its mark. */
  pairs(state, bits) {
    if (this.detail) return this.text(state).split(" ");
    const mark = letter(bits);
    return mark && this.identity(state) ? [mark] : [];
  }

  /** The identity of a process, which stands in its disc. */
  identity(state) { return this.text(state).match(/(?:^| )id=([1-9]\d*)/)?.[1] ?? ""; }

  /** Heads between the processes: the direction in which messages travel, or both. */
  directions() {
    const { size, both } = this.subject.graph, room = (2 * Math.PI * this.radius) / size - 2 * this.dot, big = Math.min(7 * this.zoom, room / 4);
    if (size < 2 || room < 9) return [];
    return this.places.flatMap(({ angle }) => {
      const at = angle + Math.PI / size, place = (far) => [this.cx + this.radius * Math.cos(at + far / this.radius), this.cy + this.radius * Math.sin(at + far / this.radius)];
      const forth = head(place(both ? big * 1.1 : 0), at + Math.PI / 2, big, "direction");
      return both ? [forth, head(place(-big * 1.1), at - Math.PI / 2, big, "direction")] : [forth];
    });
  }

  /** The boxes of discs and labels, or null if the labels have no room. */
  boxes(frame) {
    const boxes = new Boxes(this.width, this.height);
    for (const { x, y } of this.places) boxes.put(around(x, y, 2 * this.dot + 12));
    for (const [i, agent] of this.agents.entries()) {
      if (!agent.words) continue;
      const box = agent.box(this.pairs(frame.states[i], frame.marks[i]));
      if (this.detail ? !boxes.take(box) : (boxes.put(box), false)) return null;
    }
    return boxes;
  }

  show(frame, text) {
    Object.assign(this, { frame, text });
    if (!this.agents) return;
    const boxes = this.boxes(frame);
    // Labels become shorter if they have no room, and stay so until the stage changes.
    if (!boxes) { this.layout(0); return; }
    let seen = this.seen;
    frame.states.forEach((state, i) => {
      const figure = this.agents[i], { group } = figure, bits = frame.marks[i];
      seen |= bits;
      figure.body.style.fill = `var(--${disc(bits)})`;
      figure.sign((this.dot > 9 && this.identity(state)) || letter(bits), ["leader", "active"].includes(disc(bits)));
      group.classList.toggle("leader", disc(bits) === "leader");
      group.classList.toggle("touched", frame.taken?.processes[0] === i);
      group.classList.toggle("chosen", frame.traffic.ready.includes(i));
      group.setAttribute("aria-label", `process ${i}: ${text(state)}`);
      figure.write(this.pairs(state, bits));
    });
    this.seen = seen;
    legend(this.legend, seen, frame.traffic.ready.length ? [["ready", "may step: click it"]] : []);
    this.show_messages(frame, boxes);
    // Without messages there is room for the outcome inside of the ring.
    const empty = !frame.traffic.waiting.length;
    this.middle.textContent = empty ? (frame.leaders === 1 ? "1 leader" : frame.leaders ? `${frame.leaders} leaders` : "no leader") : "";
    this.small.textContent = "";
  }

  /** Arrows from senders to receivers, each with its messages beside it. A message that finds no room is counted at its arrow. */
  show_messages(frame, boxes) {
    const links = new Map();
    for (const message of frame.traffic.waiting) {
      const key = `${message.from},${message.to},${message.port}`;
      links.set(key, [...(links.get(key) ?? []), message]);
    }
    const ways = [], pills = [], rests = [], fixed = [...boxes.taken];
    const arrows = [...links.values()].map((messages) => ({ messages, way: this.way(messages[0]) }));
    for (const { messages, way } of arrows) {
      const ready = messages.some((message) => message.ready);
      ways.push(svg("path", { class: `message-way${ready ? " ready" : ""}`, d: way.d }), head(way.tip, way.turn, 6 * this.zoom, `message-head${ready ? " ready" : ""}`));
    }
    if (this.places.length <= MOST_DRAWN) {
      // First one message of each arrow, the oldest, then the next.
      const turns = arrows.flatMap(({ messages, way }) => messages.map((message, i) => ({ message, way, i }))).sort((a, b) => a.i - b.i);
      for (const { message, way } of turns) {
        const pill = this.pill(message, way, boxes, fixed);
        if (pill) { pills.push(pill.group); ways.push(pill.line); } else way.rest = (way.rest ?? 0) + 1;
      }
    } else for (const { messages, way } of arrows) way.rest = messages.length;
    for (const { messages, way } of arrows) if (way.rest) rests.push(this.rest(messages, way, boxes));
    this.ways.replaceChildren(...ways);
    this.pills.replaceChildren(...pills, ...rests.filter(Boolean));
    this.unseen = arrows.reduce((sum, { way }) => sum + (way.rest ?? 0), 0);
  }

  /** The arrow of a channel: inside of the ring for messages that travel clockwise, outside for the others. */
  way({ from, to, port }) {
    const size = this.places.length, a = this.places[from], forth = port === 0;
    const near = size > 2 ? (to - from + size) % size === (forth ? 1 : size - 1) : true;
    if (near && size > 2) {
      const step = ((2 * Math.PI) / size) * (forth ? 1 : -1), r = this.radius + (forth ? -1 : 1) * Math.min(9, this.dot * 0.4), clear = ((this.dot + 5) / r) * Math.sign(step);
      const at = (angle, far = r) => [this.cx + far * Math.cos(angle), this.cy + far * Math.sin(angle)];
      const [x, y] = at(a.angle + clear), [u, v] = at(a.angle + step - clear), middle = a.angle + step / 2;
      const turn = a.angle + step - clear + (forth ? Math.PI / 2 : -Math.PI / 2);
      return { d: `M${x} ${y}A${r} ${r} 0 0 ${forth ? 1 : 0} ${u} ${v}`, tip: [u, v], turn, anchor: at(middle), aside: (far) => at(middle, r + far) };
    }
    const b = this.places[to], length = Math.hypot(b.x - a.x, b.y - a.y) || 1, [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length], bend = 14 * (forth ? 1 : -1);
    const [x, y, u, v] = [a.x + dx * (this.dot + 4), a.y + dy * (this.dot + 4), b.x - dx * (this.dot + 6), b.y - dy * (this.dot + 6)];
    const [mx, my] = [(x + u) / 2 - dy * bend, (y + v) / 2 + dx * bend];
    return { d: `M${x} ${y}Q${mx} ${my} ${u} ${v}`, tip: [u, v], turn: Math.atan2(v - my, u - mx), anchor: [mx, my], aside: (far) => [mx - dy * far * Math.sign(bend), my + dx * far * Math.sign(bend)] };
  }

  /** A message beside its arrow, where it covers nothing and the line to its arrow crosses none of the `fixed` boxes; null if there is no such place. */
  pill(message, way, boxes, fixed) {
    const words = `#${message.id + 1} ${message.text}`, font = 11 * this.wording, wide = words.length * font * 0.62 + 14 * this.wording, tall = (matchMedia("(pointer: coarse)").matches ? 26 : 18) * this.wording;
    let place = null;
    const [ax, ay] = way.anchor, from = { x: ax, y: ay }, others = fixed.filter((box) => !meets(from, from, box));
    search: for (const far of [0, 14, 22, 30, 40, 52, 64, 78, 92, 108, 126, 146]) {
      for (const side of far ? [-1, 1] : [1]) {
        const [x, y] = way.aside(far * side * this.zoom);
        for (const [dx, dy] of [[0, 0], [wide / 2 - 6, 0], [-wide / 2 + 6, 0], [0, tall], [0, -tall], [wide, 0], [-wide, 0]]) {
          const to = { x: x + dx, y: y + dy };
          if (!others.some((box) => meets(from, to, box)) && boxes.take(around(to.x, to.y, wide, tall))) { place = [x + dx, y + dy]; break search; }
        }
      }
    }
    if (!place) return null;
    const group = svg("g", { class: `pill${message.ready ? " ready" : ""}` },
      svg("rect", { x: place[0] - wide / 2, y: place[1] - tall / 2, width: wide, height: tall, rx: tall / 2 }),
      svg("text", { x: place[0], y: place[1], "text-anchor": "middle", "font-size": font }, svg("tspan", { class: "index" }, `#${message.id + 1} `), message.text));
    if (message.ready && this.on.step) button(group, `deliver ${message.text} to ${message.to}`, () => this.on.step(deliver(message)));
    tip(group, told(message));
    return { group, line: svg("line", { class: "leader-line", x1: ax, y1: ay, x2: place[0], y2: place[1] }) };
  }

  /** The number of messages of an arrow that are not drawn. */
  rest(messages, way, boxes) {
    const words = this.places.length > MOST_DRAWN ? String(way.rest) : `+${way.rest}`, font = 11 * this.zoom;
    for (const far of [0, 14, -14, 26, -26, 40, -40]) {
      const [x, y] = way.aside(far * this.zoom);
      if (!boxes.take(lines_box([words], x, y, "middle", font, font))) continue;
      const text = svg("text", { class: "rest", x, y, "text-anchor": "middle", "font-size": font }, words);
      tip(text, messages.map(told).join("\n"));
      return text;
    }
    return null;
  }

}

const deliver = (message) => ({ processes: [message.to], message: [message.port, message.index] });
const told = (message) => `message ${message.id + 1}: ${message.text}, from ${message.from} to ${message.to}, sent in step ${number(message.sent)}; ${message.ready ? "it may arrive now" : "it cannot arrive yet"}`;

/** All messages in transit as a list; those that may arrive are buttons. */
export class Transit {
  constructor(on) {
    this.on = on;
    this.list = h("ol", { class: "transit" });
    this.box = h("section", { class: "panel", hidden: true }, h("h2", {}, "Messages in transit"), this.list);
  }

  show(frame) {
    this.box.hidden = !frame.traffic;
    if (!frame.traffic) return;
    const waiting = [...frame.traffic.waiting].sort((a, b) => a.id - b.id), shown = waiting.slice(0, 60);
    const item = (message) => {
      const words = [h("b", {}, String(message.id + 1)), h("span", {}, `${message.from} → ${message.to}`), h("code", {}, message.text)];
      return h("li", {}, message.ready && this.on.step ? h("button", { title: told(message), onclick: () => this.on.step(deliver(message)) }, words) : h("span", { class: "held", title: told(message) }, words));
    };
    this.list.replaceChildren(...shown.map(item), ...(waiting.length > shown.length ? [h("li", { class: "hint" }, `and ${number(waiting.length - shown.length)} more`)] : []), ...(waiting.length ? [] : [h("li", { class: "hint" }, "none")]));
  }
}

const TOP = 20, ROW = 17;

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
    const { player, colours } = this, { frame } = player, drawn = frame?.traffic && sheet(this.canvas);
    if (!drawn) return;
    const { context, width, height } = drawn, size = frame.states.length;
    const LEFT = (this.left = Math.max(56, context.measureText(number(player.last)).width + 24));
    const rows = Math.max(3, Math.floor((height - TOP) / ROW) - 1), first = (this.first = Math.max(0, player.at - rows + 1));
    const x = (process) => LEFT + ((process + 0.5) * (width - LEFT - 8)) / size, y = (step) => TOP + (step - first + 0.5) * ROW;
    context.textBaseline = "middle";
    context.textAlign = "center";
    const room = (width - LEFT - 8) / size, every = [1, 2, 5, 10, 25, 50].find((every) => every * room > 20) ?? 100;
    for (let process = 0; process < size; process++) {
      context.fillStyle = colours.faint;
      if (process % every === 0) context.fillText(String(process), x(process), 9);
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
    const around = Math.abs(message.from - to) > size / 2, column = (width - this.left - 8) / size;
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
