// The agents, drawn large: on a ring, a line or any graph. Arcs and processes are buttons, and so are the agents.

import { button, svg, tip } from "./dom.js";
import { Boxes, around } from "./boxes.js";
import { Figure, Stage, circle, head, named } from "./figure.js";
import { judged } from "./judge.js";
import { carried, disc, has, legend, letter, main } from "./marks.js";
import { arrange, beside, edges, in_words, least_distance, pointed, pointer, read_by, spread, wires } from "./network.js";

/** The most agents that are drawn with their marks. */
const MOST_LARGE = 150;
/** More arcs than this are too thin to be clicked on. */
const MOST_ARCS = 260;
/** The most agents for which all pairs are drawn. */
const MOST_CHORDS = 80;

export class Scene extends Stage {
  /** `on.step(move)` and `on.agent(index, element)` are called when the viewer clicks. */
  constructor(on) {
    super(on, "scene", "The agents");
    this.choices = new Map();
  }

  open(subject) {
    this.choices.clear();
    this.arcs = null;
    super.open(subject);
  }

  /** Lays everything out. `detail` is the length of the labels: 2 with all variables, 1 with those that are not 0, 0 with numbers only. */
  layout(detail = size_of_labels(this.subject)) {
    if (!this.measure(detail)) return;
    const { width, height, subject: { graph } } = this, { size, shape } = graph;
    this.places = graph.places ? this.on_graph(graph, width, height) : shape === "line" ? this.on_line(size, width, height) : this.on_ring(size, width, height);
    // Large discs are worth more than long labels.
    if (detail && shape !== "line" && !graph.places && this.dot < 17 * this.zoom) return this.layout(0);
    const track = svg("g", {}), arcs = svg("g", {}), agents = svg("g", {});
    this.wires = graph.neighbours ? wires(graph, this.places) : new Map();
    this.pointers = svg("g", {});
    if (graph.neighbours) track.append(...this.wires.values(), this.pointers);
    else if (shape === "line") track.append(svg("line", { class: "track", x1: this.places[0].x, x2: this.places.at(-1).x, y1: this.cy, y2: this.cy }));
    else if (shape.includes("ring")) track.append(svg("circle", { class: "track", cx: this.cx, cy: this.cy, r: this.radius }));
    else track.append(...this.chords());
    if (graph.steps === "process" && !graph.neighbours) track.append(...this.directions());
    this.flight = svg("g", {});
    this.arcs = new Map();
    if (this.subject.graph.steps === "arc" && this.subject.graph.arcs && this.subject.graph.arcs.length <= MOST_ARCS) {
      const both = new Set(this.subject.graph.arcs.map(([u, v]) => `${u},${v}`));
      for (const [u, v] of this.subject.graph.arcs) arcs.append(this.arc(u, v, both.has(`${v},${u}`)));
    }
    this.agents = this.places.map((place, index) => this.agent(place, index));
    agents.append(...this.agents.map((agent) => agent.group), ...this.agents.map((agent) => agent.texts).filter(Boolean));
    this.steps = [];
    if (this.subject.graph.steps === "process" && size <= MOST_ARCS) {
      this.steps = this.places.map((place, index) => this.handle(place, index));
      arcs.append(...this.steps.filter((_, index) => this.places[index].handled !== false));
    }
    this.middle = svg("text", { class: "middle", x: this.cx, y: this.cy - 4 });
    this.under = svg("text", { class: "middle small", x: this.cx, y: this.cy + Math.max(16, this.radius / 8), "font-size": Math.max(11, Math.min(15 * this.zoom, this.radius / 13)) });
    // Between two agents the arcs go through the middle.
    if (size === 2 && shape !== "line") for (const words of [this.middle, this.under]) words.setAttribute("x", this.cx + this.radius + 20);
    if (shape === "line") { this.middle.setAttribute("y", Math.min(height - 40, this.cy + this.dot + 80)); this.under.setAttribute("y", Math.min(height - 14, this.cy + this.dot + 106)); }
    if (graph.places) { this.middle.setAttribute("y", height - 20 * this.zoom); this.under.setAttribute("y", height - 4); }
    this.svg.replaceChildren(track, arcs, this.flight, agents, this.middle, this.under);
    const { frame, said } = this;
    this.frame = null;
    if (frame) { this.show(frame, this.text); if (said) this.judge(said); }
    this.mark_choices();
  }

  /** On the places that the engines computed for a graph. Below it is a line for the number of leaders. */
  on_graph(graph, width, height) {
    const { zoom, wording } = this, size = graph.places.length, { variables } = this.subject, font = (size <= 16 ? 12.5 : 11) * wording;
    const longest = ({ name, high, words }) => name.length + 1 + Math.max(graph.pointers?.includes(name) ? 4 : String(high).length, ...words.map((word) => word.length));
    const line = 40 * zoom, pairs = this.detail ? variables.map(longest) : [], wide = Math.max(graph.root ? 6 : 2, ...pairs);
    const lay = (dot) => spread(graph.places, { left: dot + 26 * wording, right: width - dot - 26 * wording, top: dot + 18 * wording, bottom: height - line - dot - 18 * wording });
    this.dot = Math.max(3, Math.min(26 * zoom, 0.31 * least_distance(lay(20 * zoom))));
    const places = lay(this.dot), step = graph.neighbours ? Math.max(4, Math.min(10 * zoom, this.dot * 0.5)) : 0;
    this.radius = 150;
    [this.cx, this.cy] = [width / 2, height / 2];
    arrange(places, edges(graph), { width, height: height - line, dot: this.dot, font, wide, lines: pairs.length + 1, step });
    return places;
  }

  on_ring(size, width, height) {
    const lay = (x, y) => {
      this.radius = Math.max(40, Math.min(width / 2 - x, height / 2 - y));
      this.dot = Math.max(2, Math.min(30 * this.zoom, (this.radius * Math.PI * 0.58) / size, this.radius * 0.24));
    };
    lay(64 * this.zoom, 64 * this.zoom);
    // A smaller disc leaves its label more room.
    const { dot } = this, label = dot * 1.28 + 10 + 18 * this.wording;
    lay(this.detail ? 112 * this.wording : label + 4, label);
    this.dot = Math.min(dot, this.dot);
    this.cx = width / 2;
    this.cy = height / 2;
    return circle(size, this.cx, this.cy, this.radius);
  }

  /** The arcs of a graph that is no ring, if they are few enough to be drawn. */
  chords() {
    const { arcs, size } = this.subject.graph;
    if (arcs?.length <= MOST_ARCS || size > MOST_CHORDS) return [];
    const pairs = arcs ?? Array.from({ length: size }, (_, u) => Array.from({ length: u }, (_, v) => [u, v])).flat();
    const d = pairs.map(([u, v]) => `M${this.places[u].x} ${this.places[u].y}L${this.places[v].x} ${this.places[v].y}`).join("");
    return [svg("path", { class: "track chords", d })];
  }

  on_line(size, width, height) {
    const end = this.subject.graph.bottom ? 62 : 45, gap = (width - 2 * end) / Math.max(1, size - 1);
    this.dot = Math.max(2, Math.min(30 * this.zoom, gap * 0.34));
    this.radius = 150;
    this.cx = width / 2;
    // Below the line are its buttons and the number of tokens.
    this.cy = Math.min(height * 0.52, height - 95 - this.dot);
    return Array.from({ length: size }, (_, i) => ({ x: end + gap * i, y: this.cy, angle: -Math.PI / 2 }));
  }

  /** Heads between processes: each reads its left neighbour, or both. */
  directions() {
    const { shape, size, both } = this.subject.graph, { places, dot } = this, heads = [];
    const room = shape === "line" ? places[1].x - places[0].x - 2 * dot : (2 * Math.PI * this.radius) / size - 2 * dot;
    if (room < 9) return heads;
    const big = Math.min(7 * this.zoom, room / 4), apart = both ? big * 1.1 : 0;
    for (let i = 0; i < (shape === "line" ? size - 1 : size); i++) {
      const angle = places[i].angle + Math.PI / size, turn = shape === "line" ? 0 : angle + Math.PI / 2;
      const [x, y] = shape === "line" ? [(places[i].x + places[i + 1].x) / 2, this.cy] : [this.cx + this.radius * Math.cos(angle), this.cy + this.radius * Math.sin(angle)];
      const at = (far) => [x + Math.cos(turn) * far, y + Math.sin(turn) * far];
      heads.push(head(at(apart), turn, big, "direction"));
      if (both) heads.push(head(at(-apart), turn + Math.PI, big, "direction"));
    }
    return heads;
  }

  /** The path of an arc between two discs, and the place of its head. */
  way(u, v, bent) {
    const a = this.places[u], b = this.places[v], { dot } = this;
    if (this.subject.graph.shape.includes("ring") && this.places.length > 2) {
      const forth = (v - u + this.places.length) % this.places.length === 1;
      const r = this.radius + (bent ? (forth ? 9 : -9) : 0), clear = (dot + 5) / r;
      const [from, to] = forth ? [a.angle + clear, a.angle + (2 * Math.PI) / this.places.length - clear] : [a.angle - clear, a.angle - (2 * Math.PI) / this.places.length + clear];
      const at = (angle) => [this.cx + r * Math.cos(angle), this.cy + r * Math.sin(angle)];
      const [x, y] = at(from), [p, q] = at(to), middle = (from + to) / 2;
      return { d: `M${x} ${y}A${r} ${r} 0 0 ${forth ? 1 : 0} ${p} ${q}`, head: at(middle), turn: middle + (forth ? Math.PI / 2 : -Math.PI / 2), room: Math.abs(to - from) * r };
    }
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1, [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
    const bend = bent ? 16 : 0, mx = (a.x + b.x) / 2 - dy * bend, my = (a.y + b.y) / 2 + dx * bend;
    const from = [a.x + dx * (dot + 4), a.y + dy * (dot + 4)], to = [b.x - dx * (dot + 4), b.y - dy * (dot + 4)];
    return { d: `M${from}Q${mx} ${my} ${to}`, head: [(mx * 2 + a.x + b.x) / 4, (my * 2 + a.y + b.y) / 4], turn: Math.atan2(dy, dx), room: length - 2 * dot };
  }

  arc(u, v, bent) {
    const { d, head, turn, room } = this.way(u, v, bent);
    const size = Math.max(3, Math.min(9, room / 3));
    const group = svg("g", { class: "arc" }, svg("path", { class: "hit", d, style: `stroke-width:${Math.max(8, Math.min(34, this.dot * 1.4))}` }), svg("path", { class: "wire", d }),
      svg("path", { class: "head", d: `M${size} 0L${-size} ${size * 0.85}L${-size * 0.5} 0L${-size} ${-size * 0.85}Z`, transform: `translate(${head}) rotate(${(turn * 180) / Math.PI})` }));
    if (this.on.step) button(group, `let ${u} and ${v} meet`, () => this.on.step({ arc: [u, v] }));
    tip(group, () => this.describe({ arc: [u, v] }));
    this.arcs.set(`${u},${v}`, group);
    return group;
  }

  /** The button by which a process steps: towards the middle of its ring. */
  handle(place, index) {
    const r = Math.max(4, Math.min(10 * (place.handle === undefined ? 1 : this.zoom), this.dot * 0.5));
    const far = place.handle === undefined ? this.dot + 15 : this.dot + r + 4, inward = place.handle ?? (this.subject.graph.shape === "line" ? Math.PI / 2 : place.angle + Math.PI);
    const [x, y] = [place.x + Math.cos(inward) * far, place.y + Math.sin(inward) * far];
    const group = svg("g", { class: "step", transform: `translate(${x} ${y})` }, svg("path", { class: "hit", d: "M-17 0a17 17 0 1 0 34 0a17 17 0 1 0 -34 0" }), svg("circle", { r }), svg("path", { d: `M${-r * 0.3} ${-r * 0.5}L${r * 0.55} 0L${-r * 0.3} ${r * 0.5}Z` }));
    if (this.on.step) button(group, `let process ${index} step`, () => this.on.step({ processes: [index] }));
    tip(group, () => this.describe({ processes: [index] }));
    return group;
  }

  /** One of many agents: a dot in the colour of its first mark. */
  small(place, index) {
    const body = svg("circle", { class: "disc", cx: place.x, cy: place.y, r: this.dot });
    if (this.on.agent) {
      body.addEventListener("click", (event) => this.on.agent(index, body, event));
      tip(body, () => this.frame && `agent ${index}\n${this.words(index, this.frame.states[index]).replaceAll(" ", "\n")}`);
    }
    return { group: body, body, place, key: "", small: true };
  }

  agent(place, index) {
    const { dot } = this;
    if (this.places.length > MOST_LARGE) return this.small(place, index);
    const figure = new Figure(place, dot, this.font_of(index), named(this.subject, index), this.subject.graph.shape === "line" || Boolean(this.subject.graph.places)), { group } = figure;
    if (this.on.agent) button(group, `agent ${index}`, (event) => this.on.agent(index, group, event));
    tip(group, () => this.frame && `${this.subject.graph.steps === "process" ? "process" : "agent"} ${figure.name}\n${this.words(index, this.frame.states[index]).replaceAll(" ", "\n")}`);
    return Object.assign(figure, { key: "" });
  }

  /** The size of the label of an agent; 0 where there is no room for one. On a crowded stage every fifth or tenth agent has its number. */
  font_of(index) {
    const size = this.places.length, font = (size <= 8 ? 12.5 : 11) * this.wording, { shape } = this.subject.graph;
    if (this.subject.graph.places) return this.places[index].worded ? (size <= 16 ? 12.5 : 11) * this.wording : 0;
    if (this.detail) return font;
    const room = shape === "line" ? this.places[1].x - this.places[0].x : (2 * Math.PI * (this.radius + this.dot + 12)) / size;
    const every = [1, 5, 10, 25, 50].find((every) => every * room > font * 2.2) ?? 100;
    return index % every === 0 ? font : 0;
  }

  /** The state of a process in words. */
  words(index, state) { return in_words(this.subject, index, this.text(state)); }

  /** The words of a label. */
  pairs(index, state) {
    if (!this.detail) return [];
    const pairs = this.words(index, state).split(" "), told = this.detail === 1 ? pairs.filter((pair) => !pair.endsWith("=0")) : pairs;
    return told.length ? told : ["all 0"];
  }

  /** Whether all labels of a frame have room. */
  fits(frame) {
    if (!this.detail) return true;
    const boxes = new Boxes(this.width, this.height);
    if (!this.subject.graph.places) for (const { x, y } of this.places) boxes.put(around(x, y, 2 * this.dot));
    for (const { x, y, handled, handle } of this.places) if (handled) boxes.put(around(x + Math.cos(handle) * (this.dot + 14), y + Math.sin(handle) * (this.dot + 14), Math.min(16 * this.zoom, this.dot)));
    // A graph whose labels do not all have room has none.
    const off_discs = (box) => !this.subject.graph.places || this.places.every((place) => beside(place, box) > this.dot);
    return this.agents.every((agent, i) => {
      if (agent.small) return true;
      const box = agent.font > 0 && agent.box(this.pairs(i, frame.states[i]));
      return box && off_discs(box) && boxes.take(box);
    });
  }

  /** Shows a frame; `text` prints the state of a number. */
  show(frame, text) {
    this.text = text;
    const before = this.frame;
    this.frame = frame;
    if (!this.agents) return;
    // Labels become shorter until they have room, and stay so until the stage changes.
    if (this.detail && !this.fits(frame)) { this.layout(this.detail - 1); return; }
    let seen = this.seen;
    if (this.detail) for (const old of this.svg.querySelectorAll(".new")) old.classList.remove("new");
    frame.states.forEach((state, i) => {
      const agent = this.agents[i], bits = frame.marks[i];
      seen |= bits;
      const key = `${state}.${bits}`;
      if (agent.key === key) return;
      const known = agent.key !== "" && before && frame.step - before.step === 1 ? this.words(i, before.states[i]) : null;
      agent.key = key;
      this.dress(agent, i, state, bits, known);
    });
    if (this.subject.graph.pointers?.length) this.pointers.replaceChildren(...frame.states.flatMap((state, i) => pointed(this.subject, i, this.text(state)).map((to) => pointer(this.places[i], this.places[to], this.dot))));
    this.seen = seen;
    legend(this.legend, seen, this.lines());
    this.show_step(frame, before);
    const many = frame.leaders !== 1 ? "leaders" : "leader";
    const counted = this.counted(frame, many);
    this.middle.textContent = counted;
    // No wider than the room between the discs and their buttons.
    this.middle.setAttribute("font-size", Math.max(10, Math.min((this.subject.graph.places ? 18 : 30) * this.zoom, this.radius / 6, this.room / (counted.length * 0.58))));
    this.judge(judged(this.subject, frame, null));
  }

  /** The lines of a graph that a legend explains. */
  lines() {
    const { neighbours, pointers } = this.subject.graph;
    return [pointers?.length && ["pointer", "points at"], neighbours && ["edge read", "read in the last step"]].filter(Boolean);
  }

  /** The width of the free room in the middle. */
  get room() {
    if (this.subject.graph.shape === "line" || this.subject.graph.places) return this.width - 40;
    return 2 * (this.radius - this.dot - (this.steps.length ? 30 : 8)) * 0.9;
  }

  /** Writes the verdict on this configuration in the middle, if it has room there; a badge says it, too. */
  judge(said) {
    const { under } = this.said = said;
    if (!this.under) return;
    const font = Math.min((this.subject.graph.places ? 11.5 : 15) * this.zoom, this.radius / 9 + 3, this.room / (under.length * 0.52 + 1));
    this.under.textContent = font < 9 || this.places.length === 2 && this.subject.graph.shape !== "line" ? "" : under;
    this.under.setAttribute("font-size", Math.max(9, font));
  }

  counted(frame, many) {
    if (this.subject.about === "token") return `${frame.tokens} token${frame.tokens === 1 ? "" : "s"}`;
    if (this.subject.about === "leader") return frame.leaders === 0 ? "no leader" : `${frame.leaders} ${many}`;
    // Only agreement is about agreeing; another goal is a condition with words of its own.
    const agree = this.subject.about === "agreement";
    return frame.correct ? (agree ? "agreed" : "goal met") : agree ? "not agreed" : "goal not met";
  }

  dress(agent, index, state, bits, before) {
    if (agent.small) { agent.body.style.fill = `var(--${main(bits)})`; return; }
    const worn = disc(bits), words = this.words(index, state);
    const share = worn === "plain" && this.shade ? this.shade(state) : null;
    agent.body.style.fill = share === null ? `var(--${worn})` : `color-mix(in srgb, var(--faint) ${Math.round(4 + share * 40)}%, var(--plain))`;
    agent.group.classList.toggle("leader", Boolean(has(bits, "leader")));
    agent.sign(letter(bits) || (this.dot > 9 && this.value ? this.value(state) : ""), worn === "leader" || worn === "active" || worn === "beginner");
    agent.marks.replaceChildren(...carried(bits, this.dot, agent.place.angle));
    agent.group.setAttribute("aria-label", `agent ${index}: ${words}`);
    agent.write(this.pairs(index, state), before?.split(" "));
  }

  /** Marks the last step: the agents that met, and those that changed. */
  show_step(frame, before) {
    for (const lit of this.lit ?? []) lit.classList.remove("fired", "touched", "edited", "read");
    this.lit = [];
    const light = (element, name) => { if (element) { element.classList.add(name); this.lit.push(element); } };
    this.flight.replaceChildren();
    const { taken } = frame;
    const near = before && Math.abs(before.step - frame.step) === 1;
    if (taken?.arc) {
      const [u, v] = taken.arc, group = this.arcs.get(`${u},${v}`);
      if (group) light(group, "fired");
      else if (!this.subject.graph.shape.includes("ring") && this.places.length <= MOST_CHORDS) {
        const way = this.way(u, v, true), size = 8;
        this.flight.append(svg("g", { class: "arc fired" }, svg("path", { class: "wire", d: way.d }),
          svg("path", { class: "head", d: `M${size} 0L${-size} ${size}L${-size} ${-size}Z`, transform: `translate(${way.head}) rotate(${(way.turn * 180) / Math.PI})` })));
      }
    }
    for (const process of taken?.processes ?? []) light(this.steps[process], "fired");
    if (this.wires.size) for (const edge of read_by(this.subject.graph, taken?.processes ?? [])) light(this.wires.get(edge), "read");
    if (near && before.step < frame.step) frame.states.forEach((state, i) => { if (state !== before.states[i]) light(this.agents[i].group, "touched"); });
    for (const agent of frame.edited ?? []) light(this.agents[agent].group, "edited");
  }

  /** Notes the choices, with their effects. */
  choose_from(choices) {
    this.choices = new Map();
    for (const choice of choices) {
      const key = JSON.stringify(choice.step.arc ?? choice.step.processes);
      this.choices.set(key, [...(this.choices.get(key) ?? []), choice]);
    }
    this.mark_choices();
  }

  mark_choices() {
    if (!this.arcs) return;
    const active = (key) => this.choices.get(key)?.some((choice) => choice.active) ?? false;
    for (const [key, group] of this.arcs) group.classList.toggle("active", active(`[${key}]`));
    this.steps.forEach((step, i) => step.classList.toggle("active", active(`[${i}]`)));
  }

  describe(move) {
    const choices = this.choices.get(JSON.stringify(move.arc ?? move.processes));
    const { neighbours } = this.subject.graph, reads = neighbours && !move.arc ? `, reads ${neighbours[move.processes[0]].join(", ")}` : "";
    const name = move.arc ? `${move.arc[0]} meets ${move.arc[1]}` : `process ${move.processes[0]} steps${reads}`;
    if (!choices) return name;
    const one = (choice) => {
      const rules = choice.rules.length ? `rule ${choice.rules.join(", ")}: ` : "";
      const what = choice.changes.length ? choice.changes.map(([i, , text]) => `${i} becomes ${in_words(this.subject, i, text)}`).join("\n") : "nothing changes";
      return (choices.length > 1 ? `1 in ${choice.odds}: ` : "") + rules + what;
    };
    return `${name}\n${choices.slice(0, 4).map(one).join("\n")}${choices.length > 4 ? "\n…" : ""}`;
  }
}

/** The longest labels that could have room. */
function size_of_labels(subject) {
  if (!subject || subject.graph.size > 20) return 0;
  return subject.variables.length > 3 ? 1 : 2;
}
