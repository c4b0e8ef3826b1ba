// The length of elections and its growth; the points appear while the elections run.

import { work } from "./api.js";
import { colour, download, h, number, svg } from "./dom.js";

const COLOURS = ["accent", "bullet", "leader", "token", "dummy", "probe"];
const BOX = { width: 760, height: 470, left: 78, right: 24, top: 24, bottom: 52 };

export class Measure {
  /** `cards` are all algorithms; `now()` is the setup that is shown; `moved()` is called when the address changes. */
  constructor(cards, now, moved) {
    this.cards = cards.cards.filter((card) => card.runnable && !card.family.startsWith("crash"));
    Object.assign(this, { now, moved });
    this.curves = [];
    this.sizes = h("input", { value: "4, 6, 8, 12, 16, 24, 32", size: 26, "aria-label": "Sizes" });
    this.runs = h("input", { type: "number", min: 2, max: 1000, value: 60, "aria-label": "Runs of each size" });
    this.seed = h("input", { type: "number", min: 0, value: 1, "aria-label": "Seed" });
    this.button = h("button", { class: "primary", id: "measure", onclick: () => this.press() }, "Measure");
    this.add = h("select", { "aria-label": "Add an algorithm", onchange: () => { this.put({ algorithm: this.add.value, parameters: {}, seed: 1 }); this.add.value = ""; } },
      h("option", { value: "" }, "add an algorithm …"), this.cards.map((card) => h("option", { value: card.name }, card.name)));
    this.list = h("ul", { class: "curves" });
    this.words = h("p", { class: "hint", "aria-live": "polite" });
    this.plot = h("div", { class: "plot" });
    this.table = h("table", { class: "figures" });
    this.laws = h("ul", { class: "laws" });
    const save = (words, act) => h("button", { onclick: act }, words);
    this.box = h("div", { class: "measure" },
      h("section", { class: "panel" }, h("h2", {}, "Measurement"), this.list, h("div", { class: "row" }, this.add), h("div", { class: "fields" }, h("label", {}, "sizes", this.sizes), h("label", {}, "runs per size", this.runs), h("label", { title: "The same seed gives the same figures" }, "seed", this.seed)), h("div", { class: "row" }, this.button), this.words),
      h("section", { class: "panel" }, h("div", { class: "head" }, h("h2", {}, "Steps until safe or terminated"), h("span", { class: "gap" }), save("SVG", () => this.save_svg()), save("PNG", () => this.save_png()), save("CSV", () => this.save_csv())), this.plot, this.laws, this.table));
    this.told = { points: [], fits: [], claims: [], notes: [] };
  }

  open() {
    const setup = this.now();
    if (!this.curves.length && setup) this.put({ ...setup, start: "usual" });
    this.draw();
  }

  /** What is measured, for the address. */
  get asked() {
    return this.measured && { curves: this.measured, sizes: this.sizes.value, runs: Number(this.runs.value), seed: Number(this.seed.value) };
  }

  /** Measures what an address says. */
  restore({ curves = [], sizes = "", runs = 60, seed = 1 }) {
    this.curves = curves.slice(0, COLOURS.length);
    [this.sizes.value, this.runs.value, this.seed.value] = [sizes, runs, seed];
    this.show_list();
    return this.press();
  }

  put(setup) {
    if (this.curves.length < COLOURS.length) this.curves.push(setup);
    this.show_list();
  }

  name(setup) { return setup.text ? setup.text.match(/^protocol\s+(\S+)/m)?.[1] ?? "your protocol" : setup.algorithm + Object.entries(setup.parameters ?? {}).map(([name, value]) => ` ${name}=${value}`).join(""); }

  show_list() {
    this.button.disabled = !this.curves.length;
    this.list.replaceChildren(...this.curves.map((setup, i) => h("li", {}, h("i", { style: `background:var(--${COLOURS[i]})` }), this.name(setup),
      h("button", { class: "quiet", title: "Remove it", "aria-label": `Remove ${this.name(setup)}`, onclick: () => { this.curves.splice(i, 1); this.show_list(); } }, "×"))));
  }

  async press() {
    if (this.cancel) { this.cancel.now = true; return; }
    let sizes;
    try { sizes = listed(this.sizes.value); } catch (wrong) { this.words.textContent = wrong.message; return; }
    const cancel = (this.cancel = { now: false });
    this.button.textContent = "Stop";
    this.words.textContent = "";
    this.measured = this.curves.map(({ size, ...setup }) => setup);
    this.moved();
    try {
      const seed = Math.max(0, Math.floor(Number(this.seed.value)));
      const curves = this.measured.map((setup) => ({ ...setup, seed, start: setup.start ?? "usual" }));
      this.take(await work("measure", { curves, sizes, runs: Number(this.runs.value) }, (told) => told && this.take(told), cancel));
    } catch (refused) { this.words.textContent = refused.message; }
    this.button.textContent = "Measure";
    this.cancel = null;
  }

  take(told) {
    this.told = told;
    this.words.textContent = told.notes.map(([name, why, sizes]) => `${name} at ${sizes.join(", ")}: ${why}`).join("\n");
    this.draw();
  }

  draw() {
    const { points, fits } = this.told, curves = this.measured ?? this.curves;
    const { width, height, left, right, top, bottom } = BOX;
    const known = (p) => p.mean ?? p.at_least, sizes = points.map((p) => p.size), steps = points.map(known);
    const span = (values, from, to) => { const low = Math.min(...values), high = Math.max(...values); return values.length ? [Math.log(low / 1.25), Math.log(high * 1.25)] : [Math.log(from), Math.log(to)]; };
    const [x0, x1] = span(sizes, 4, 32), [y0, y1] = span(steps, 10, 10000);
    const x = (size) => left + ((Math.log(size) - x0) / (x1 - x0)) * (width - left - right), y = (value) => height - bottom - ((Math.log(value) - y0) / (y1 - y0)) * (height - top - bottom);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Mean steps by size, on logarithmic axes" });
    const text = (words, at, anchor = "middle", extra = {}) => svg("text", { x: at[0], y: at[1], "text-anchor": anchor, ...extra }, words);
    for (let power = Math.floor(y0 / Math.LN10); power <= y1 / Math.LN10; power++) {
      for (const digit of [1, 2, 5]) {
        const value = digit * 10 ** power;
        if (Math.log(value) < y0 || Math.log(value) > y1 || (y1 - y0 > 6 && digit !== 1)) continue;
        picture.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }), text(number(value), [left - 8, y(value) + 4], "end"));
      }
    }
    for (const size of [...new Set(sizes)]) picture.append(svg("line", { class: "grid", x1: x(size), x2: x(size), y1: top, y2: height - bottom }), text(String(size), [x(size), height - bottom + 18]));
    picture.append(text("size", [(left + width - right) / 2, height - 10]), text("steps", [18, height / 2], "middle", { transform: `rotate(-90 18 ${height / 2})` }));
    curves.forEach((setup, curve) => {
      const mine = points.filter((p) => p.curve === curve).sort((a, b) => a.size - b.size), whole = mine.filter((p) => p.mean !== undefined), ink = `var(--${COLOURS[curve]})`;
      if (!mine.length) return;
      // Where elections hit the limit the mean is larger: an open arrow, and no part of the line.
      for (const p of mine) if (p.mean === undefined) picture.append(svg("path", { class: "cut", d: `M${x(p.size) - 5} ${y(p.at_least)}h10l-5 -9z`, fill: "none", stroke: ink, "stroke-width": 1.5 }));
      picture.append(svg("polyline", { points: whole.map((p) => `${x(p.size)},${y(p.mean)}`).join(" "), fill: "none", stroke: ink, "stroke-width": 2 }));
      for (const p of whole) {
        if (p.ci95 && p.ci95[0] > 0) picture.append(svg("line", { x1: x(p.size), x2: x(p.size), y1: y(p.ci95[0]), y2: y(p.ci95[1]), stroke: ink, "stroke-width": 1.5 }));
        picture.append(svg("circle", { cx: x(p.size), cy: y(p.mean), r: 4, fill: ink }));
      }
      picture.append(svg("circle", { cx: left + 16, cy: top + 12 + 19 * curve, r: 5, fill: ink }), text(this.name(setup), [left + 28, top + 16 + 19 * curve], "start"));
    });
    this.plot.replaceChildren(picture);
    this.laws.replaceChildren(...curves.map((setup, curve) => this.law(setup, fits[curve], this.told.claims?.[curve])).filter(Boolean));
    const row = (p) => h("tr", {}, [this.name(curves[p.curve] ?? {}), p.size, p.runs, p.mean ?? `above ${number(p.at_least)}: ${p.given_up} hit the limit`, p.ci95 ? `${number(p.ci95[0])} – ${number(p.ci95[1])}` : "", p.median ?? "?", p.p90 ?? "?", p.max ?? "?"].map((cell) => h("td", {}, typeof cell === "number" ? number(cell) : cell)));
    this.table.replaceChildren(...(points.length ? [h("thead", {}, h("tr", {}, ["algorithm", "size", "runs", "mean", "95 % interval", "median", "90th percentile", "maximum"].map((name) => h("th", {}, name)))), h("tbody", {}, points.map(row))] : []));
  }

  /** The growth of a curve over the measured sizes. */
  law(setup, fit, claim) {
    if (!fit) return null;
    const span = fit.ci95 ? ` (95 %: ${fit.ci95.map((b) => b.toFixed(2)).join(" .. ")})` : "";
    const trend = { fall: "; the exponent falls with the size", rise: "; the exponent rises with the size" }[fit.trend] ?? "";
    return h("li", {}, h("b", {}, this.name(setup)), ` grows as n^${fit.exponent.toFixed(2)}${span} over these sizes${trend}.${claim ? ` Claimed: ${claim}.` : ""} The fit says nothing about other sizes.`);
  }

  /** The plot with its colours written out, so that it stands alone. */
  get standalone() {
    const picture = this.plot.firstChild.cloneNode(true), ink = colour("ink"), grid = colour("grid");
    picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    picture.setAttribute("width", BOX.width);
    picture.setAttribute("height", BOX.height);
    for (const text of picture.querySelectorAll("text")) { text.setAttribute("fill", ink); text.setAttribute("font", "13px sans-serif"); text.setAttribute("font-family", "sans-serif"); text.setAttribute("font-size", "13"); }
    for (const line of picture.querySelectorAll(".grid")) line.setAttribute("stroke", grid);
    picture.prepend(svg("rect", { width: BOX.width, height: BOX.height, fill: colour("panel") }));
    return new XMLSerializer().serializeToString(picture).replace(/var\(--([a-z-]+)\)/g, (_, name) => colour(name));
  }

  save_svg() { download("growth.svg", this.standalone, "image/svg+xml"); }

  save_png() {
    const image = new Image();
    image.onload = () => {
      const canvas = h("canvas", { width: BOX.width * 2, height: BOX.height * 2 });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => download("growth.png", blob, "image/png"));
    };
    image.src = `data:image/svg+xml,${encodeURIComponent(this.standalone)}`;
  }

  save_csv() {
    const curves = this.measured ?? this.curves;
    const lines = this.told.points.map((p) => [this.name(curves[p.curve]), p.size, p.runs, p.given_up, p.mean ?? "", p.at_least ?? "", p.ci95?.[0] ?? "", p.ci95?.[1] ?? "", p.median ?? "", p.p90 ?? "", p.max ?? ""].join(","));
    download("growth.csv", ["algorithm,size,runs,given_up,mean,mean_at_least,low95,high95,median,p90,max", ...lines].join("\n") + "\n", "text/csv");
  }
}

/** Sizes as the command line takes them: 16, 32 or 16, 32, .., 1024. */
export function listed(text) {
  const sizes = [], words = text.split(",").map((word) => word.trim()).filter(Boolean);
  const whole = (word) => { if (!/^\d+$/.test(word ?? "")) throw new Error(`“${word ?? ""}” is no size: write 16, 32 or 16, 32, .., 1024`); return Number(word); };
  for (let i = 0; i < words.length; i++) {
    if (words[i] !== "..") { sizes.push(whole(words[i])); continue; }
    const [a, b] = sizes.slice(-2), last = whole(words[++i]);
    if (b === undefined || b <= a || last < b) throw new Error("“..” goes on from two sizes before it to a larger one: 16, 32, .., 1024");
    const next = a > 0 && b % a === 0 ? (n) => n * (b / a) : (n) => n + (b - a);
    for (let n = next(b); n <= last; n = next(n)) sizes.push(n);
    if (sizes.at(-1) !== last) throw new Error(`${last} does not follow from ${a} and ${b}`);
  }
  return sizes;
}
