// The marks of agents, told apart by shape and colour, never by colour alone.

import { colour, h, svg } from "./dom.js";

/** The marks in the order of their bits. */
export const MARKS = ["leader", "token", "bullet", "dummy", "shield", "signal", "active", "passive", "beginner", "probe"];
export const MEANING = {
  leader: "leader", token: "token", bullet: "live bullet", dummy: "dummy bullet", shield: "shield", signal: "signal", active: "active",
  passive: "passive", beginner: "candidate", probe: "probe",
};

export const has = (bits, name) => (bits >> MARKS.indexOf(name)) & 1;

/** The one colour of an agent: that of the first of these marks it has. */
const FIRST = ["beginner", "leader", "token", "bullet", "dummy", "probe", "shield", "signal", "active", "passive"];
export const main = (bits) => FIRST.find((name) => has(bits, name)) ?? "plain";

/** The colour of the disc; the marks that an agent carries are drawn beside it. */
const DISC = ["beginner", "leader", "active", "passive"];
export const disc = (bits) => DISC.find((name) => has(bits, name)) ?? "plain";

export const letter = (bits) => (has(bits, "beginner") ? "B" : has(bits, "leader") ? "L" : has(bits, "active") ? "A" : has(bits, "passive") ? "p" : "");

/** The marks that an agent carries, drawn around a disc of radius r whose outer side is at `angle`. */
export function carried(bits, r, angle) {
  const shapes = [];
  const at = (turn, far) => [Math.cos(angle + turn) * r * far, Math.sin(angle + turn) * r * far];
  if (has(bits, "shield")) {
    const [x, y] = at(-0.85, 1.28), [u, v] = at(0.85, 1.28);
    shapes.push(svg("path", { class: "shield", d: `M${x} ${y}A${r * 1.28} ${r * 1.28} 0 0 1 ${u} ${v}`, "stroke-width": Math.max(2, r * 0.17) }));
  }
  if (has(bits, "signal")) {
    const [x, y] = at(-2.35, 1.12), s = r * 0.2;
    shapes.push(svg("path", { class: "signal", d: `M${x - 2 * s} ${y}q${s / 2} ${-1.6 * s} ${s} 0t${s} 0t${s} 0t${s} 0`, "stroke-width": Math.max(1.4, r * 0.11) }));
  }
  const [x, y] = at(2.2, 1.02), size = Math.max(2.5, r * 0.3);
  if (has(bits, "bullet")) shapes.push(svg("circle", { cx: x, cy: y, r: size, fill: "var(--bullet)", stroke: "var(--panel)", "stroke-width": size * 0.3 }));
  if (has(bits, "dummy")) shapes.push(svg("circle", { cx: x, cy: y, r: size * 0.82, fill: "var(--panel)", stroke: "var(--dummy)", "stroke-width": size * 0.5 }));
  if (has(bits, "token")) {
    // Beside the disc: the value in it stays readable.
    const [u, v] = at(-2.2, 1.02);
    shapes.push(star(u, v, Math.max(4, r * 0.5)));
  }
  if (has(bits, "probe")) {
    const [u, v] = at(-2.2, 1.02), s = size * 1.05;
    shapes.push(svg("path", { d: `M${u} ${v - s}L${u + s} ${v}L${u} ${v + s}L${u - s} ${v}Z`, fill: "var(--probe)", stroke: "var(--panel)", "stroke-width": s * 0.3 }));
  }
  return shapes;
}

function star(x, y, r) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const far = i % 2 ? r * 0.45 : r, turn = (i / 5) * Math.PI - Math.PI / 2;
    return `${x + far * Math.cos(turn)},${y + far * Math.sin(turn)}`;
  });
  return svg("polygon", { points: points.join(" "), fill: "var(--token)", stroke: "var(--panel)", "stroke-width": r * 0.12 });
}

/** The places of marks around a disc: their angle from its outer side, and their distance in radii. */
const CARRIED = { bullet: [2.2, 1.02], dummy: [2.2, 1.02], token: [-2.2, 1.02], probe: [-2.2, 1.02], signal: [-2.35, 1.12] };

/** A legend of the marks that occur, and of lines: their class and their meaning. */
export function legend(box, seen, lines = []) {
  const names = MARKS.filter((name) => has(seen, name));
  const key = names.concat(lines.map(([name]) => name)).join();
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const entry = (name) => {
    const bits = 1 << MARKS.indexOf(name);
    // A mark that an agent carries is drawn alone and large; a shield needs its disc.
    const marks = carried(bits, name === "shield" ? 10 : 26, -Math.PI / 2), [turn, far] = CARRIED[name] ?? [0, 0], angle = turn - Math.PI / 2;
    const worn = marks.length && name !== "shield" ? null : svg("circle", { r: name === "shield" ? 9 : 12, fill: `var(--${disc(bits)})`, stroke: "var(--plain-edge)" });
    const picture = svg("svg", { viewBox: "-16 -16 32 32", "aria-hidden": "true" }, worn, letter(bits) ? svg("text", { class: `sign ${name}`, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 15 }, letter(bits)) : null,
      svg("g", { transform: `translate(${-Math.cos(angle) * 26 * far} ${-Math.sin(angle) * 26 * far})` }, marks));
    return h("span", {}, picture, MEANING[name]);
  };
  const line = ([name, words]) => h("span", {}, svg("svg", { viewBox: "-16 -16 32 32", "aria-hidden": "true" }, name === "ready" ? svg("circle", { r: 11, fill: "none", stroke: "var(--accent)", "stroke-width": 4 }) : svg("g", { class: name }, svg("line", { class: name, x1: -15, x2: name === "pointer" ? 4 : 15 }), name === "pointer" ? svg("path", { class: "head", d: "M15 0L1 8L1 -8Z" }) : null)), words);
  box.replaceChildren(...names.map(entry), ...lines.map(line));
}

/** The colours of a diagram, as CSS has them now. */
export function palette() {
  return Object.fromEntries([...FIRST, "plain", "paper", "ink", "accent", "good", "bad", "grid", "faint", "panel"].map((name) => [name, colour(name)]));
}
