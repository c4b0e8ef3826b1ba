// One agent or process: a disc, a letter or value in it, and its number and state beside it.

import { lines_box } from "./boxes.js";
import { h, svg } from "./dom.js";

/** The enlargement for a projector. */
export const zoom = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;

/** The enlargement of words beside the agents: on a projector with many pixels they must be read from the last row. */
export const wording = (height) => zoom() * (document.documentElement.dataset.large !== undefined && height > 560 ? 1.4 : 1);

/** Places on a circle, the first on top. */
export function circle(size, cx, cy, radius) {
  return Array.from({ length: size }, (_, i) => {
    const angle = (2 * Math.PI * i) / size - Math.PI / 2;
    return { angle, x: cx + radius * Math.cos(angle), y: cy + radius * Math.sin(angle) };
  });
}

/** A picture of agents or processes. The class that extends it has `layout()`. */
export class Stage {
  /** `on` has what is called when the viewer clicks. */
  constructor(on, name, label) {
    this.on = on;
    this.svg = svg("svg", { class: name, role: "group", "aria-label": label });
    this.legend = h("div", { class: "legend" });
    new ResizeObserver(() => this.layout()).observe(this.svg);
  }

  /** Another algorithm, size or graph. A hidden stage has no size; it is laid out when it is shown. */
  open(subject) {
    Object.assign(this, { subject, frame: null, seen: 0, agents: null });
    this.legend.dataset.key = "";
    this.layout();
  }

  /** Takes the size of the stage, for labels with so much detail; whether there is anything to lay out. */
  measure(detail) {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!this.subject || !width || !height) return false;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    Object.assign(this, { detail, width, height, zoom: zoom(), wording: wording(height) });
    return true;
  }
}

export class Figure {
  /** `name` stands before the state: the number, and the part that the process plays. `font` is the size of the text beside the disc; 0 leaves the text
   * out. `narrow` puts every variable on a line of its own. */
  constructor(place, dot, font, name, narrow = false) {
    Object.assign(this, { place, dot, font, name, narrow });
    this.body = svg("circle", { class: "disc", r: dot });
    this.inside = svg("text", { class: "letter", "aria-hidden": "true", style: `font-size:${dot}px` });
    this.marks = svg("g", {});
    const here = `translate(${place.x} ${place.y})`;
    this.group = svg("g", { class: "agent", transform: here }, svg("circle", { class: "halo", r: dot + 5 }), this.body, this.marks);
    // The text is outside of the button; the name of the button says the same.
    this.texts = svg("g", { transform: here, "aria-hidden": "true" }, this.inside);
    if (!font) return;
    const side = Math.cos(place.angle), out = place.near ?? dot * 1.38 + 10;
    this.anchor = side > 0.35 ? "start" : side < -0.35 ? "end" : "middle";
    // Beside the disc, a label of several lines keeps clear of a shield.
    this.at = { x: (this.anchor === "middle" ? side : Math.sign(side)) * out, y: Math.sin(place.angle) * out };
    this.words = svg("text", { class: "label", "aria-hidden": "true", x: this.at.x, "text-anchor": this.anchor, "font-size": font });
    this.texts.append(this.words);
  }

  /** The letter in the disc. */
  sign(words, light) {
    this.inside.textContent = words;
    this.inside.classList.toggle("on", light);
    this.inside.style.fontSize = `${this.dot * (words.length > 2 ? 0.7 : 1)}px`;
  }

  /** The lines of the label, each a list of words, and the place of the first. */
  lines(pairs) {
    // Above and below a ring there is more room across than down.
    const across = Math.abs(Math.sin(this.place.angle)) > 0.6 && !this.narrow, per = this.narrow ? 1 : across ? 4 : pairs.length > 4 ? 2 : 1;
    const lines = across || !pairs.length ? [] : [[this.name]];
    if (across && pairs.length) lines.push([this.name, ...pairs.slice(0, per)]);
    for (let i = across && pairs.length ? per : 0; i < pairs.length; i += per) lines.push(pairs.slice(i, i + per));
    if (!lines.length) lines.push([this.name]);
    // A single variable stands beside the number.
    if (!across && !this.narrow && pairs.length === 1) lines.splice(0, 2, [this.name, pairs[0]]);
    const tall = this.font * 1.22, high = Math.sin(this.place.angle), extra = (lines.length - 1) * tall;
    const first = high < -0.6 ? this.at.y - extra - this.font * 0.35 : high > 0.6 ? this.at.y + this.font * 0.55 : this.at.y - extra / 2;
    return { lines, tall, first };
  }

  /** The room that the label needs. */
  box(pairs) {
    const { lines, tall, first } = this.lines(pairs), { x, y } = this.place;
    return lines_box(lines.map((line) => line.join(" ")), x + this.at.x, y + first, this.anchor, this.font, tall);
  }

  /** Its number and the pairs of its state beside it; those that were not in `before` are marked. */
  write(pairs, before) {
    if (!this.words) return;
    const { words } = this, old = new Set(before), { lines, tall, first } = this.lines(pairs);
    words.setAttribute("y", first);
    words.replaceChildren(...lines.map((line, i) => svg("tspan", { x: this.at.x, dy: i ? tall : 0 },
      line.map((word, j) => svg("tspan", { class: word === this.name ? "index" : before && !old.has(word) ? "new" : "" }, (j ? " " : "") + word)))));
  }
}

/** The name of a process beside its number: the root, or the bottom and the top of a chain, if the rules tell them apart. */
export function named({ graph: { bottom, root, shape, size } }, index) {
  if (root && index === 0) return `${index} root`;
  if (!bottom) return String(index);
  return index === 0 ? `${index} bottom` : shape === "line" && index === size - 1 ? `${index} top` : String(index);
}

/** A head of an arrow at a point, turned to an angle. */
export const head = ([x, y], turn, size, name = "head") => svg("path", { class: name, d: `M${size} 0L${-size} ${size * 0.85}L${-size * 0.5} 0L${-size} ${-size * 0.85}Z`, transform: `translate(${x} ${y}) rotate(${(turn * 180) / Math.PI})` });
