// One agent or process: a disc, a letter in it, and its state beside it.

import { svg } from "./dom.js";

/** The enlargement for a projector. */
export const zoom = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;

/** Places on a circle, the first on top. */
export function circle(size, cx, cy, radius) {
  return Array.from({ length: size }, (_, i) => {
    const angle = (2 * Math.PI * i) / size - Math.PI / 2;
    return { angle, x: cx + radius * Math.cos(angle), y: cy + radius * Math.sin(angle) };
  });
}

export class Figure {
  /** `font` is the size of the text beside the disc; 0 leaves the text out. */
  constructor(place, dot, font) {
    Object.assign(this, { place, dot, font });
    this.body = svg("circle", { class: "disc", r: dot });
    this.inside = svg("text", { class: "letter", "aria-hidden": "true", style: `font-size:${dot}px` });
    this.marks = svg("g", {});
    const here = `translate(${place.x} ${place.y})`;
    this.group = svg("g", { class: "agent", transform: here }, svg("circle", { class: "halo", r: dot + 5 }), this.body, this.marks);
    // The text is outside of the button; the name of the button says the same.
    this.texts = svg("g", { transform: here, "aria-hidden": "true" }, this.inside);
    if (!font) return;
    const out = dot + 14, side = Math.cos(place.angle), anchor = side > 0.35 ? "start" : side < -0.35 ? "end" : "middle";
    this.words = svg("text", { class: "label", "aria-hidden": "true", x: side * out, y: Math.sin(place.angle) * out, "text-anchor": anchor, "font-size": font });
    this.texts.append(this.words);
  }

  /** The letter in the disc. */
  sign(words, light) {
    this.inside.textContent = words;
    this.inside.classList.toggle("on", light);
    this.inside.style.fontSize = `${this.dot * (words.length > 2 ? 0.7 : 1)}px`;
  }

  /** The pairs of its state beside it; those that were not in `before` are marked. */
  write(pairs, before) {
    if (!this.words) return;
    const { place, words, font } = this, old = new Set(before);
    // Above and below a ring there is more room across than down.
    const middle = words.getAttribute("text-anchor") === "middle", per = middle ? 3 : pairs.length > 4 ? 2 : 1, lines = [];
    for (let i = 0; i < pairs.length; i += per) lines.push(pairs.slice(i, i + per));
    const tall = font * 1.2, high = Math.sin(place.angle), x = words.getAttribute("x");
    const first = middle && high < -0.6 ? -(lines.length - 1) * tall : high > 0.6 ? tall * 0.6 : -((lines.length - 1) * tall) / 2 + tall * 0.3;
    words.replaceChildren(...lines.map((line, i) => svg("tspan", { x, dy: i ? tall : first },
      line.map((pair, j) => svg("tspan", { class: before && !old.has(pair) ? "new" : "" }, (j ? " " : "") + pair)))));
  }
}
