// The line of controls: algorithm, size, parameters, scheduler, start and seed.

import { h } from "./dom.js";

const OWN = "own text";
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
    const fields = [this.algorithm(), this.size(), ...subject.parameters.map((parameter) => this.parameter(parameter))];
    if (subject.kind !== "message") fields.push(this.graph(), this.layers(), this.scheduler(), this.start());
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
    const families = Map.groupBy ? Map.groupBy(this.cards.cards, (card) => card.family) : group(this.cards.cards);
    const option = (card) => h("option", { value: card.name, disabled: !card.runnable || card.family.startsWith("crash"), title: card.summary }, card.name + (card.flawed ? " (flawed)" : ""));
    const select = h("select", { id: "algorithm", onchange: () => {
      if (select.value === OWN) this.change({ text: this.texts[OWN], seed: this.setup.seed, parameters: {} });
      else this.change({ algorithm: select.value, seed: this.setup.seed, parameters: {} });
    } }, [...families].map(([family, cards]) => h("optgroup", { label: family }, cards.map(option))), h("optgroup", { label: "yours" }, h("option", { value: OWN }, this.cards.text ? this.cards.text.name : "your own text …")));
    select.value = this.setup.text ? OWN : this.setup.algorithm;
    return this.field("algorithm", select, this.subject.summary);
  }

  size() {
    const input = h("input", { type: "number", id: "size", min: 1, max: 2000, value: this.subject.size, onchange: () => this.with({ graph: undefined, size: Number(input.value), start: Array.isArray(this.setup.start) ? "arbitrary" : this.setup.start }) });
    return this.field("size", input, `sizes: ${this.subject.sizes}`);
  }

  parameter({ name, meaning, default: usual, choices, given }) {
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
    const input = h("input", { value: given ?? "", placeholder: usual, size: 9, onchange: () => set(input.value.trim()) });
    return this.field(name, input, meaning);
  }

  /** The layers that could suit the algorithm. */
  layers() {
    const { kind, topology } = this.subject, given = this.setup.parameters?.layers ?? "";
    const possible = kind === "ring" ? ["alternator"] : [];
    if (kind === "population" && (topology === "directed ring" || given.includes("undirected"))) possible.push("undirected");
    if (this.subject.oracle || given.includes("distance") || given.includes("timer")) possible.push("distance", "timer");
    if (kind === "population" && possible.includes("undirected") && possible.includes("distance")) possible.push("undirected,distance");
    if (!possible.length) return null;
    const select = h("select", { onchange: () => {
      const { layers, ...others } = this.setup.parameters ?? {};
      this.with({ parameters: select.value ? { ...others, layers: select.value } : others, start: "arbitrary", scheduler: undefined });
    } }, h("option", { value: "" }, "none"), possible.map((layer) => h("option", { value: layer }, layer.replace(",", " + "))));
    select.value = given;
    return this.field("layer", select, "A layer over the algorithm. undirected: a directed-ring protocol runs on an undirected ring. distance, timer: they replace the oracle. alternator: any schedule becomes an alternating one.");
  }

  /** The graph of a protocol for any graph: complete, or read from a file. */
  graph() {
    if (!this.subject.any_graph && !this.setup.graph) return null;
    const file = h("input", { type: "file", hidden: true, id: "graph-file", accept: ".txt,.dot,.gv,.edges,text/*", onchange: async () => { if (file.files[0]) this.on_graph(await file.files[0].text()); } });
    const select = h("select", { id: "graph", onchange: () => { if (select.value === "file") file.click(); else if (select.value === "") this.on_graph(undefined); } },
      h("option", { value: "" }, "all pairs"), this.setup.graph ? h("option", { value: "given" }, `from the file: ${this.subject.graph.size} agents`) : null, h("option", { value: "file" }, "from a file …"));
    select.value = this.setup.graph ? "given" : "";
    return this.field("graph", h("span", {}, select, file), "The agents that can meet: an edge list or DOT");
  }

  on_graph(graph) {
    this.with({ graph, size: undefined, start: Array.isArray(this.setup.start) ? "arbitrary" : this.setup.start });
  }

  choice(label, name, value, options, title) {
    const select = h("select", { id: name, onchange: () => this.with({ [name]: select.value }) }, options.map(([option, words]) => h("option", { value: option, title: words }, words ?? option)));
    select.value = value;
    return this.field(label, select, title);
  }

  /** A counterexample has its own schedule; choosing a different scheduler leaves it. */
  scripted({ script }) {
    const select = this.form.querySelector("#scheduler");
    if (!select) return;
    select.querySelector("[value=script]")?.remove();
    const steps = script?.steps.length ?? 0, follows = steps > 0 && script.shows;
    if (follows) select.append(h("option", { value: "script" }, "as the check found"));
    select.value = follows ? "script" : this.subject.scheduler;
  }

  scheduler() {
    return this.choice("scheduler", "scheduler", this.subject.scheduler, this.subject.schedulers.map(([name]) => [name, name]), `The claim assumes this schedule: ${this.subject.assumes}`);
  }

  start() {
    const given = Array.isArray(this.setup.start);
    const options = [["arbitrary", "arbitrary"], ["clean", "clean"], ["all-leaders", "all leaders"], ["no-leader", "no leader"]];
    return this.choice("start", "start", given ? "given" : this.setup.start ?? "arbitrary", given ? [...options, ["given", "as given"]] : options, "The configuration in which the run starts");
  }

  seed() {
    const input = h("input", { type: "number", id: "seed", min: 0, value: this.setup.seed, onchange: () => this.with({ seed: Math.max(0, Math.floor(Number(input.value))) }) });
    const dice = h("button", { type: "button", id: "dice", title: "Another seed (r)", onclick: () => this.with({ seed: Math.floor(Math.random() * 1e6) }) }, "⚄");
    return h("label", { title: "The same seed gives the same run" }, "seed", h("span", { class: "dice" }, input, dice));
  }
}

function group(cards) {
  const families = new Map();
  for (const card of cards) families.set(card.family, [...(families.get(card.family) ?? []), card]);
  return families;
}
