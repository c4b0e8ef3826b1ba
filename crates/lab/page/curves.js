// The probability of a safe configuration within t steps, as curves.

import { download, h, number, svg } from "./dom.js";

const WIDE = 300, HIGH = 150, LEFT = 30, BOTTOM = 20;
/** The strokes of the curves: told apart by dashes, never by colour alone. */
const STROKES = [["accent", ""], ["good", "6 3"], ["warm", "2 3"], ["bad", "8 3 2 3"], ["token", "1 2"], ["faint", ""]];

/** A picture of curves, its legend, and the numbers as a file. */
export function curves({ lines, csv }, name) {
  const all = lines.flatMap(({ name, kinds, points }) => (points.every(([least, ...greater]) => greater.every((p) => p === least)) ? [""] : kinds).map((kind, k) => ({ name: kind ? `${name}, ${kind === "min" ? "worst daemon" : "best daemon"}` : name, values: points.map((point) => point[k]) })));
  const last = Math.max(1, all[0].values.length - 1), x = (t) => LEFT + (t / last) * (WIDE - LEFT - 6), y = (p) => 6 + (1 - p) * (HIGH - BOTTOM - 6);
  const style = (i) => { const [colour, dash] = STROKES[i % STROKES.length]; return { stroke: `var(--${colour})`, "stroke-dasharray": dash, fill: "none", "stroke-width": 2 }; };
  const path = ({ values }, i) => svg("polyline", { ...style(i), points: values.map((p, t) => `${x(t).toFixed(1)},${y(p).toFixed(1)}`).join(" ") });
  const grid = [0, 0.5, 1].map((p) => [svg("line", { x1: LEFT, x2: WIDE - 6, y1: y(p), y2: y(p), class: "rule" }), svg("text", { x: LEFT - 4, y: y(p) + 3, "text-anchor": "end" }, String(p))]);
  const ends = [svg("text", { x: LEFT, y: HIGH - 4 }, "0"), svg("text", { x: WIDE - 6, y: HIGH - 4, "text-anchor": "end" }, `${number(last)} steps`)];
  const words = `The probability of a safe configuration within 0 to ${last} steps`;
  return h("figure", { class: "curves" }, svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words }, grid, all.map(path), ends),
    h("figcaption", {}, all.map(({ name, values }, i) => h("span", {}, svg("svg", { viewBox: "0 0 24 8", "aria-hidden": "true" }, svg("line", { ...style(i), x1: 0, x2: 24, y1: 4, y2: 4 })), `${name}: ${values.at(-1).toFixed(4)}`)), h("button", { onclick: () => download(`${name}.csv`, csv, "text/csv") }, "Save as CSV")));
}
