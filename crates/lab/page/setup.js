// The line of controls: algorithm, size, parameters, scheduler, start and seed.

import { h } from "./dom.js";
import { documents, name_of, versions } from "./texts.js";

/** The families of graphs that need no number. */
const FAMILIES = ["line", "undirected-ring", "star", "complete", "grid", "torus", "hypercube", "binary-tree", "random-tree", "random-regular:3", "random:0.4"];
const OWN = "own text", KEPT = "kept: ";
const TEMPLATE = `protocol my-election
summary "two leaders meet, one resigns"
claim "stabilizes to one leader from every configuration with a leader"
model population on complete
size 6

state leader : bit
show leader when leader
goal one leader
safe = one i : leader[i]

first:
  1: l.leader and r.leader -> r.leader := 0
`;

export class SetupForm {
  /** `change(setup)` is called with another setup. */
  constructor(form, cards, change) {
    Object.assign(this, { form, cards, change });
    this.texts = { [OWN]: cards.text?.text ?? TEMPLATE };
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  /** Shows a setup; `subject` describes its algorithm. */
  show(setup, subject) {
    Object.assign(this, { setup, subject });
    // A text with errors has no size and no parameters yet.
    if (!subject) { this.form.replaceChildren(this.algorithm()); return; }
    const fields = [this.algorithm(), this.size(), ...subject.parameters.map((parameter) => this.parameter(parameter))];
    if (subject.kind !== "message") fields.push(this.graph(), this.layers(), this.oracle(), this.scheduler(), this.start());
    else fields.push(this.choice("channels", "channels", subject.channels, [["bag", "any order"], ["fifo", "in order"]]));
    fields.push(this.seed());
    this.form.replaceChildren(...fields.filter(Boolean));
  }

  /** Changes parts of the setup. */
  with(changes) {
    this.change({ ...this.setup, ...changes });
  }

  field(name, control, title) {
    return h("label", { title }, name, control);
  }

  algorithm() {
    const families = Map.groupBy(this.cards.cards, (card) => card.family);
    const option = (card) => h("option", { value: card.name, disabled: !card.runnable || card.family.startsWith("crash"), title: card.summary }, card.name + (card.flawed ? " (flawed)" : ""));
    const select = h("select", { id: "algorithm", onchange: () => {
      if (select.value === OWN) this.change({ text: this.texts[OWN], seed: this.setup.seed, parameters: {} });
      else if (select.value.startsWith(KEPT)) this.change({ text: versions(select.value.slice(KEPT.length)).at(-1)?.text ?? TEMPLATE, seed: this.setup.seed, parameters: {} });
      else this.change({ algorithm: select.value, seed: this.setup.seed, parameters: {} });
    } }, [...families].map(([family, cards]) => h("optgroup", { label: family }, cards.map(option))), h("optgroup", { label: "yours" }, h("option", { value: OWN }, this.cards.text ? this.cards.text.name : "your own text …"), documents().map((name) => h("option", { value: KEPT + name }, `${name} (kept)`))));
    select.value = !this.setup.text ? this.setup.algorithm : this.setup.text !== this.texts[OWN] && documents().includes(name_of(this.setup.text)) ? KEPT + name_of(this.setup.text) : OWN;
    return this.field("algorithm", select, this.subject?.summary);
  }

  size() {
    const input = h("input", { type: "number", id: "size", min: 1, max: 2000, value: this.subject.size, onchange: () => this.with({ graph: /\s|:\d+x\d+$/.test(this.setup.graph?.trim() ?? "") ? undefined : this.setup.graph, size: Number(input.value), start: Array.isArray(this.setup.start) ? undefined : this.setup.start }) });
    return this.field("size", input, `sizes: ${this.subject.sizes}`);
  }

  parameter({ name, meaning, default: usual, choices, given, drawn }) {
    const set = (value) => {
      const parameters = { ...this.setup.parameters, [name]: value };
      if (value === "") delete parameters[name];
      this.with({ parameters });
    };
    if (choices.length) {
      const select = h("select", { onchange: () => set(select.value) }, choices.map((choice) => h("option", {}, choice)));
      select.value = given ?? choices[0];
      return this.field(name, select, meaning);
    }
    const input = h("input", { value: given ?? "", placeholder: usual, size: drawn ? 16 : 9, onchange: () => set(input.value.trim()) });
    return this.field(name, input, drawn ? `${meaning}. The seed has drawn ${drawn}.` : meaning);
  }

  /** The layers that could suit the algorithm. */
  layers() {
    const { kind, topology } = this.subject, given = this.setup.parameters?.layers ?? "";
    const possible = { ring: ["alternator", "read-write"], graph: ["read-write"] }[kind] ?? [];
    if (kind === "population" && (topology === "directed ring" || given.includes("undirected"))) possible.push("undirected");
    if (this.subject.oracle || given.includes("distance") || given.includes("timer")) possible.push("distance", "timer");
    if (kind === "population" && possible.includes("undirected") && possible.includes("distance")) possible.push("undirected,distance", "undirected,timer");
    if (!possible.length) return null;
    const select = h("select", { onchange: () => {
      const { layers, ...others } = this.setup.parameters ?? {};
      this.with({ parameters: select.value ? { ...others, layers: select.value } : others, start: undefined, scheduler: undefined });
    } }, h("option", { value: "" }, "none"), possible.map((layer) => h("option", { value: layer }, layer.replace(",", " + "))));
    select.value = given;
    return this.field("layer", select, "A layer over the algorithm. undirected: a directed-ring protocol runs on an undirected ring. distance, timer: they replace the oracle. alternator: any schedule becomes an alternating one. read-write: a step reads one neighbour, or writes.");
  }

  /** The graph of an algorithm for any graph: of a family, with the forms of the command line, or read from a file. */
  graph() {
    if (!this.subject.any_graph && !this.setup.graph) return null;
    const { graph } = this.setup, named = graph && !/\s/.test(graph.trim()), usual = this.subject.kind === "graph" ? this.subject.graph.shape : "all pairs";
    const file = h("input", { type: "file", hidden: true, id: "graph-file", accept: ".txt,.dot,.gv,.edges,text/*", onchange: async () => { if (file.files[0]) this.on_graph(await file.files[0].text()); } });
    const form = h("input", { id: "graph-form", hidden: true, size: 14, placeholder: "grid:3x4", "aria-label": "A family of graphs, such as grid:3x4 or random:0.3:7", onchange: () => { if (form.value.trim()) this.on_graph(form.value.trim()); } });
    const choose = () => {
      if (select.value === "file") file.click();
      else if (select.value === "form") { form.hidden = false; form.focus(); }
      else if (select.value !== "given") this.on_graph(select.value || undefined);
    };
    const others = FAMILIES.filter((name) => name === graph || name !== "complete" || !["complete graph", "all pairs"].includes(usual)), families = named && !others.includes(graph) ? [graph, ...others] : others;
    const select = h("select", { id: "graph", onchange: choose }, h("option", { value: "" }, graph ? "the usual graph" : usual), families.map((name) => h("option", { value: name }, name)),
      graph && !named ? h("option", { value: "given" }, `from the file: ${this.subject.graph.size} agents`) : null, h("option", { value: "form" }, "another family …"), h("option", { value: "file" }, "from a file …"));
    select.value = named ? graph : graph ? "given" : "";
    return this.field("graph", h("span", { class: "dice" }, select, form, file), "The neighbours of each process, or the agents that can meet: a family of graphs, an edge list or DOT");
  }

  /** A family keeps the size, unless it says another; a file has its own. */
  on_graph(graph) {
    const keeps = graph === undefined || !/\s|:\d+x\d+$/.test(graph.trim());
    this.with({ graph, size: keeps ? this.setup.size : undefined, start: Array.isArray(this.setup.start) ? undefined : this.setup.start });
  }

  choice(label, name, value, options, title) {
    const select = h("select", { id: name, onchange: () => this.with({ [name]: select.value }) }, options.map(([option, words]) => h("option", { value: option, title: words }, words ?? option)));
    select.value = value;
    return this.field(label, select, title);
  }

  /** Recorded steps have their own schedule; choosing a different scheduler leaves them. */
  scripted({ script, acts }) {
    const select = this.form.querySelector("#scheduler");
    if (!select) return;
    select.querySelector("[value=script]")?.remove();
    const follows = Boolean(script?.steps.length) && !acts.length && this.subject;
    if (follows) select.append(h("option", { value: "script" }, "as recorded"));
    if (this.subject) select.value = follows ? "script" : this.subject.scheduler;
  }

  /** The leader detector: perfect, late, or wrong until some step. The viewer can also answer for it, on the stage. */
  oracle() {
    if (!this.subject.oracle) return null;
    const [kind, steps = "100"] = (this.setup.oracle ?? "perfect").split(":");
    const count = h("input", { type: "number", min: 0, value: steps, id: "oracle-steps", "aria-label": "Steps of the oracle", hidden: kind === "perfect" });
    const set = () => this.with({ oracle: select.value === "perfect" ? undefined : `${select.value}:${Math.max(0, Math.floor(Number(count.value)))}` });
    const options = [["perfect", "perfect"], ["delayed", "delayed, up to … steps"], ["adversarial", "wrong until step …"]];
    const select = h("select", { id: "oracle", onchange: set }, options.map(([value, words]) => h("option", { value }, words)));
    select.value = kind;
    count.addEventListener("change", set);
    return h("label", { title: `${this.subject.oracle}. On the stage you can choose the answers to each step yourself.` }, "oracle", h("span", { class: "dice" }, select, count));
  }

  scheduler() {
    return this.choice("scheduler", "scheduler", this.subject.scheduler, this.subject.schedulers.map(([name]) => [name, name]), `The claim assumes this schedule: ${this.subject.assumes}`);
  }

  start() {
    const { own_start } = this.subject, given = Array.isArray(this.setup.start), { start = "usual" } = this.setup;
    const named = [["arbitrary", "arbitrary"], ["clean", "clean"], ...(this.subject.about === "leader" ? [["all-leaders", "all leaders"], ["no-leader", "no leader"]] : [])];
    const options = own_start ? [["usual", own_start], ...named] : named, shown = start === "usual" && !own_start ? "arbitrary" : start;
    if (given) options.push(["given", "as given"]);
    else if (!options.some(([name]) => name === shown)) options.push([shown, shown]);
    return this.choice("start", "start", given ? "given" : shown, options, "The configuration in which the run starts");
  }

  seed() {
    const input = h("input", { type: "number", id: "seed", min: 0, value: this.setup.seed, onchange: () => this.with({ seed: Math.max(0, Math.floor(Number(input.value))) }) });
    const dice = h("button", { type: "button", id: "dice", title: "Another seed (r)", onclick: () => this.with({ seed: Math.floor(Math.random() * 1e6) }) }, "⚄");
    return h("label", { title: "The same seed gives the same run" }, "seed", h("span", { class: "dice" }, input, dice));
  }
}
