// How long elections take and how that grows: the points appear while the elections are held.

import { work } from "./api.js";
import { colour, download, h, number, svg } from "./dom.js";

const COLOURS = ["accent", "bullet", "leader", "token", "dummy", "probe"];
const BOX = { width: 760, height: 470, left: 78, right: 24, top: 24, bottom: 52 };

export class Measure {
  /** `cards` are all algorithms; `now()` is the setup that is shown. */
  constructor(cards, now) {
    this.cards = cards.cards.filter((card) => card.runnable && !card.family.startsWith("crash"));
    this.now = now;
    this.curves = [];
    this.sizes = h("input", { value: "4, 6, 8, 12, 16, 24, 32", size: 26, "aria-label": "Sizes" });
    this.runs = h("input", { type: "number", min: 2, max: 1000, value: 60, "aria-label": "Runs of each size" });
    this.button = h("button", { class: "primary", id: "measure", onclick: () => this.press() }, "Measure");
    this.add = h("select", { "aria-label": "Add an algorithm", onchange: () => { this.put({ algorithm: this.add.value, parameters: {}, seed: 1 }); this.add.value = ""; } },
      h("option", { value: "" }, "add an algorithm …"), this.cards.map((card) => h("option", { value: card.name }, card.name)));
    this.list = h("ul", { class: "curves" });
    this.words = h("p", { class: "hint", "aria-live": "polite" });
    this.plot = h("div", { class: "plot" });
    this.table = h("table", { class: "figures" });
    const save = (words, act) => h("button", { onclick: act }, words);
    this.box = h("div", { class: "measure" },
      h("section", { class: "panel" }, h("h2", {}, "What to measure"), this.list, h("div", { class: "row" }, this.add), h("div", { class: "fields" }, h("label", {}, "sizes", this.sizes), h("label", {}, "runs of each", this.runs)), h("div", { class: "row" }, this.button), this.words),
      h("section", { class: "panel" }, h("div", { class: "head" }, h("h2", {}, "Steps until safe, or ended"), h("span", { class: "gap" }), save("SVG", () => this.save_svg()), save("PNG", () => this.save_png()), save("CSV", () => this.save_csv())), this.plot, this.table));
    this.told = { points: [], fits: [], notes: [] };
  }

  open() {
    const setup = this.now();
    if (!this.curves.length && setup) this.put({ ...setup, start: "arbitrary" });
    this.draw();
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
    const sizes = this.sizes.value.split(/[\s,]+/).map(Number).filter((size) => size > 0);
    const cancel = (this.cancel = { now: false });
    this.button.textContent = "Stop";
    this.words.textContent = "";
    this.measured = this.curves.slice();
    try {
      const curves = this.measured.map(({ size, ...setup }) => ({ ...setup, start: setup.start ?? "arbitrary" }));
      this.take(await work("measure", { curves, sizes, runs: Number(this.runs.value) }, (told) => told && this.take(told), cancel));
    } catch (refused) { this.words.textContent = refused.message; }
    this.button.textContent = "Measure";
    this.cancel = null;
  }

  take(told) {
    this.told = told;
    this.words.textContent = told.notes.join("\n");
    this.draw();
  }

  draw() {
    const { points, fits } = this.told, curves = this.measured ?? this.curves;
    const { width, height, left, right, top, bottom } = BOX;
    const sizes = points.map((p) => p.size), steps = points.map((p) => p.mean);
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
      const mine = points.filter((p) => p.curve === curve).sort((a, b) => a.size - b.size), ink = `var(--${COLOURS[curve]})`;
      if (!mine.length) return;
      picture.append(svg("polyline", { points: mine.map((p) => `${x(p.size)},${y(p.mean)}`).join(" "), fill: "none", stroke: ink, "stroke-width": 2 }));
      for (const p of mine) {
        if (p.ci95 && p.ci95[0] > 0) picture.append(svg("line", { x1: x(p.size), x2: x(p.size), y1: y(p.ci95[0]), y2: y(p.ci95[1]), stroke: ink, "stroke-width": 1.5 }));
        picture.append(svg("circle", { cx: x(p.size), cy: y(p.mean), r: 4, fill: ink }));
      }
      const fit = fits[curve];
      picture.append(svg("circle", { cx: left + 16, cy: top + 12 + 19 * curve, r: 5, fill: ink }), text(this.name(setup) + (fit ? `: n^${fit.exponent.toFixed(2)}` : ""), [left + 28, top + 16 + 19 * curve], "start"));
    });
    this.plot.replaceChildren(picture);
    const row = (p) => h("tr", {}, [this.name(curves[p.curve] ?? {}), p.size, p.runs, p.mean, p.ci95 ? `${number(p.ci95[0])} – ${number(p.ci95[1])}` : "", p.median, p.p90, p.max].map((cell) => h("td", {}, typeof cell === "number" ? number(cell) : cell)));
    this.table.replaceChildren(...(points.length ? [h("thead", {}, h("tr", {}, ["algorithm", "size", "runs", "mean", "95 % of the mean", "median", "90 %", "most"].map((name) => h("th", {}, name)))), h("tbody", {}, points.map(row))] : []));
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
    const lines = this.told.points.map((p) => [this.name(curves[p.curve]), p.size, p.runs, p.mean, p.ci95?.[0] ?? "", p.ci95?.[1] ?? "", p.median, p.p90, p.max].join(","));
    download("growth.csv", ["algorithm,size,runs,mean,low95,high95,median,p90,max", ...lines].join("\n") + "\n", "text/csv");
  }
}
