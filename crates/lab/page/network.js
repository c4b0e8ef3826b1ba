// A graph on the stage: the places of its vertices and of the words beside them, its edges, and pointers as arrows.

import { Boxes, around, lines_box } from "./boxes.js";
import { svg } from "./dom.js";
import { head } from "./figure.js";

/** The directions in which a label or a button may stand, the best first. */
const DIRECTIONS = [-0.5, 0.5, 0, 1, -0.25, 0.25, -0.75, 0.75, -0.375, 0.375, -0.125, 0.125, -0.625, 0.625, -0.875, 0.875].map((half) => half * Math.PI);

/** Places in the unit square, over the room inside of these margins. */
export function spread(places, { left, top, right, bottom }) {
  return places.map(([x, y]) => ({ x: left + x * (right - left), y: top + y * (bottom - top), angle: -Math.PI / 2 }));
}

/** The least distance of two places. */
export const least_distance = (places) => Math.min(...places.flatMap((a, i) => places.slice(0, i).map((b) => Math.hypot(a.x - b.x, a.y - b.y))), 1e9);

/** The edges of a graph, each once. */
export const edges = ({ neighbours, arcs }) => (neighbours ? neighbours.flatMap((near, u) => near.filter((v) => u < v).map((v) => [u, v])) : arcs ?? []);

/** The distance of a place from a box. */
export const beside = ({ x, y }, { left, right, top, bottom }) => Math.hypot(x - Math.max(left, Math.min(x, right)), y - Math.max(top, Math.min(y, bottom)));

/** Whether the line between two places meets a box. */
export function meets(a, b, { left, right, top, bottom }) {
  let from = 0, to = 1;
  for (const [at, by, low, high] of [[a.x, b.x - a.x, left, right], [a.y, b.y - a.y, top, bottom]]) {
    if (Math.abs(by) < 1e-9) { if (at < low || at > high) return false; continue; }
    const [first, last] = [(low - at) / by, (high - at) / by].sort((p, q) => p - q);
    from = Math.max(from, first);
    to = Math.min(to, last);
  }
  return from <= to;
}

/** Chooses for each vertex the direction of its label and of its button. They cover no disc and no other label or button, and no edge if that is possible. A vertex
 * without room has none: `worded` and `handled` say so. `wide` and `lines` are the size of the labels in letters, `step` the size of the buttons. */
export function arrange(places, lines_of, { width, height, dot, font, wide, lines, step }) {
  const boxes = new Boxes(width, height, 3), segments = lines_of.map(([u, v]) => [places[u], places[v]]);
  const crossed = (box) => segments.filter(([a, b]) => meets(a, b, box)).length;
  const off_discs = (box) => places.every((place) => beside(place, box) > dot + 2);
  const choose = (box_of, whole = (angle) => box_of(angle)) => {
    const free = DIRECTIONS.map((angle) => ({ angle, box: box_of(angle) })).filter(({ angle, box }) => boxes.free(box) && boxes.inside(whole(angle)) && off_discs(box)).map((one) => ({ ...one, cost: crossed(one.box) }));
    const best = free.reduce((a, b) => (b.cost < a.cost ? b : a), free[0]);
    if (best) boxes.put(best.box);
    return best?.angle;
  };
  const text = "0".repeat(wide), words = Array(lines).fill(text), tall = font * 1.22;
  const label_box = ({ x, y }) => (angle) => {
    const side = Math.cos(angle), out = dot + 8, high = Math.sin(angle), extra = (lines - 1) * tall;
    const anchor = side > 0.35 ? "start" : side < -0.35 ? "end" : "middle";
    const first = high < -0.6 ? high * out - extra - font * 0.35 : high > 0.6 ? high * out + font * 0.55 : high * out - extra / 2;
    return lines_box(words, x + (anchor === "middle" ? side : Math.sign(side)) * out, y + first, anchor, font, tall);
  };
  const far = dot + step + 4;
  for (const place of font ? places : []) { place.near = dot + 8; const angle = choose(label_box(place)); place.worded = angle !== undefined; place.angle = angle ?? place.angle; }
  // Buttons do not touch; the whole button is on the stage.
  const button = ({ x, y }, size) => (angle) => around(x + Math.cos(angle) * far, y + Math.sin(angle) * far, size);
  for (const place of step ? places : []) { const angle = choose(button(place, 1.8 * step), button(place, 2 * step + 4)); place.handled = angle !== undefined; place.handle = angle; }
}

/** The lines of the edges, each under the names of its ends. */
export function wires(graph, places) {
  return new Map(edges(graph).map(([u, v]) => [`${u},${v}`, svg("line", { class: "track edge", x1: places[u].x, y1: places[u].y, x2: places[v].x, y2: places[v].y })]));
}

/** The edges along which processes read. */
export const read_by = ({ neighbours }, processes) => processes.flatMap((u) => neighbours[u].map((v) => `${Math.min(u, v)},${Math.max(u, v)}`));

/** The processes that a process points at in a state: its pointers are ports. */
export function pointed({ graph }, process, text) {
  if (!graph.pointers?.length) return [];
  const values = new Map(text.split(" ").map((pair) => pair.split(/=(.*)/s)));
  return graph.pointers.map((name) => graph.neighbours[process][Number(values.get(name)) - 1]).filter((to) => to !== undefined);
}

/** A state in words: pointers name processes, not ports. */
export function in_words({ graph }, process, text) {
  if (!graph?.pointers?.length || !text) return text;
  return text.split(" ").map((pair) => {
    const [name, value] = pair.split(/=(.*)/s);
    return graph.pointers.includes(name) ? `${name}=${graph.neighbours[process][Number(value) - 1] ?? "none"}` : pair;
  }).join(" ");
}

/** An arrow beside an edge, so that two pointers at each other are both seen. */
export function pointer(from, to, dot) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1, [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const size = Math.max(4, Math.min(9, dot * 0.45)), aside = Math.min(5, dot * 0.3);
  const at = (far) => [from.x + x * far - y * aside, from.y + y * far + x * aside];
  const [a, b] = [at(dot + 1), at(length - dot - size)];
  return svg("g", { class: "pointer" }, svg("line", { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }), head(b, Math.atan2(y, x), size));
}
