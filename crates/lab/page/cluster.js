// Real nodes on loopback: which node follows which, every datagram a dot, and buttons to break them; or the nodes of other hosts, read-only.

import { call } from "./api.js";
import { button, colour, h, number, sheet, svg, tip } from "./dom.js";

export const ACTIONS = [["kill", "kill", "k"], ["restart", "restart", "r"], ["pause", "pause", "p"], ["resume", "resume", "u"], ["isolate", "isolate", "i"], ["heal", "repair links", "h"], ["loss 50", "lose 50 %", "x"], ["corrupt", "corrupt", "c"], ["resign", "step down", "s"]];
const ROLES = { leader: "leader", follower: "active", unsettled: "dummy", down: "bullet", away: "passive" };
/** The flight time of a dot and the length of the timeline, in ms. */
const FLIGHT = 420, HISTORY = 40_000;

/** The view on a page without a server. */
export class NoCluster {
  box = h("div", { class: "cluster" }, h("section", { class: "panel" }, h("h2", {}, "No nodes here"),
    h("p", {}, "This page has no server, so it cannot start real nodes: ", h("code", {}, "ringleader lab"), " on your own machine can. Here, the run view has a simulated network: choose an algorithm that passes messages.")));
  open() {}
  close() {}
  key() { return false; }
}

export class Cluster {
  constructor(cards, notice) {
    this.notice = notice;
    this.watched = cards.watched ?? [];
    const robust = cards.cards.filter((card) => card.family.startsWith("crash") && card.runnable);
    this.algorithm = h("select", {}, robust.map((card) => h("option", {}, card.name)));
    this.count = h("input", { type: "number", min: 2, max: 9, value: 5 });
    this.heartbeat = h("input", { type: "number", min: 20, max: 5000, value: 200 });
    this.start = h("button", { class: "primary", id: "cluster-start", onclick: () => this.begin() }, "Start");
    this.end = h("button", { id: "cluster-stop", disabled: true, onclick: () => this.stop() }, "Stop");
    this.alone = h("p", { class: "hint" });
    this.svg = svg("svg", { class: "scene cluster-scene", viewBox: "0 0 640 440", role: "group", "aria-label": "The nodes" });
    this.verdict = h("div", { class: "verdict", "aria-live": "polite" });
    this.actions = h("div", { class: "row" }, ACTIONS.map(([action, words, key]) => h("button", { title: `${words} (${key})`, "data-action": action, onclick: () => this.act(action) }, words)));
    this.told = h("p", { class: "hint" });
    this.timeline = h("canvas", { role: "img", "aria-label": "A line per node: acting as leader, following, unsettled, down" });
    this.watch = h("div", { class: "watch" });
    this.box = h("div", { class: "cluster" },
      h("section", { class: "panel" }, h("h2", {}, "Nodes on this machine"), h("div", { class: "fields" }, h("label", {}, "algorithm", this.algorithm), h("label", {}, "nodes", this.count), h("label", {}, "heartbeat, ms", this.heartbeat)), h("div", { class: "row" }, this.start, this.end), this.alone,
        h("p", { class: "hint" }, "These are the nodes that ", h("code", {}, "ringleader node"), " runs, over UDP on loopback. Click a node to select it, then break it. Click the line between two nodes to cut that link. An elected leader is not a lock: isolate two nodes and count the leaders."), this.watch),
      h("section", { class: "panel stage" }, h("div", { class: "over" }, this.verdict), this.svg, this.actions, this.told),
      h("section", { class: "panel diagram" }, h("h2", {}, "Leaders over time"), this.timeline));
    this.history = [];
    this.dots = [];
    this.nodes = [];
    this.chosen = 0;
    this.actions.hidden = true;
  }

  open() {
    this.shown = true;
    if (!this.running && !this.watched.length && !this.visited) this.join();
    this.visited = true;
    if (this.watched.length && !this.asking) this.ask_hosts();
    if (!this.painting) this.paint();
  }

  close() { this.shown = false; }

  /** Shows the cluster that another window has started; without one, starts one. */
  async join() {
    try { await call("cluster-look", { since: Number.MAX_SAFE_INTEGER }); } catch { return this.begin(); }
    this.attach();
  }

  attach() {
    Object.assign(this, { since: 0, history: [], dots: [], nodes: [], chosen: 0, live: true });
    this.start.disabled = true;
    this.actions.hidden = this.end.disabled = false;
    this.notice(null);
    if (!this.running) { this.running = true; this.look(); }
  }

  async begin() {
    if (this.starting) return;
    this.starting = true;
    try {
      await call("cluster", { nodes: Number(this.count.value), heartbeat: Number(this.heartbeat.value), algorithm: this.algorithm.value, seed: Math.floor(Math.random() * 1e6) });
    } catch (refused) { this.notice(refused.message, true); return; } finally { this.starting = false; }
    this.attach();
  }

  /** Ends the nodes, for all pages that show them. */
  async stop() {
    try { await call("cluster-end"); } catch (refused) { this.notice(refused.message, true); return; }
    this.ended("The nodes are stopped.");
  }

  ended(words) {
    this.running = false;
    this.actions.hidden = this.end.disabled = true;
    this.start.disabled = false;
    this.verdict.replaceChildren(h("span", { class: "badge" }, words));
    this.alone.textContent = "";
  }

  async look() {
    for (; this.running; await new Promise((resume) => setTimeout(resume, this.shown ? 110 : 600))) {
      let told;
      try { told = await call("cluster-look", { since: this.since }); } catch { if (this.running) this.ended("No nodes run: they were stopped."); return; }
      this.alone.textContent = `All pages of this lab show the same nodes. They end when no page has looked at them for ${number(told.alone / 60)} minutes.`;
      const now = performance.now();
      // The difference of the two clocks.
      const apart = now - told.age;
      for (const [n, at, from, to, lost] of told.datagrams) { this.since = n + 1; this.dots.push({ from, to, lost, begins: Math.max(now - 60, at + apart) }); }
      this.history.push({ at: now, roles: told.nodes.map((node) => this.role(node)) });
      while (this.history.length && this.history[0].at < now - HISTORY) this.history.shift();
      this.show(told);
    }
  }

  role(node) { return node.down ? "down" : node.paused ? "away" : node.role ?? "unsettled"; }

  place(id) {
    const angle = (2 * Math.PI * id) / Math.max(1, this.nodes.length) - Math.PI / 2;
    return { x: 320 + 165 * Math.cos(angle), y: 220 + 165 * Math.sin(angle), angle };
  }

  show(told) {
    const { nodes } = told, fresh = this.nodes.length !== nodes.length;
    this.nodes = nodes;
    if (fresh) this.lay();
    nodes.forEach((node, id) => {
      const { group, disc, words, arrow, name } = this.drawn[id], role = this.role(node), here = this.place(id);
      disc.style.fill = `var(--${ROLES[role]})`;
      group.classList.toggle("chosen", id === this.chosen);
      group.classList.toggle("cut", node.isolated);
      group.setAttribute("aria-label", `node ${id}: ${role}${node.isolated ? ", isolated" : ""}${node.leader === null ? "" : `, names ${node.leader}`}`);
      const state = [node.host, role === "leader" ? "leads" : node.host && role === "down" ? "does not answer" : role, node.isolated && "isolated", node.loss > 0 && `loses ${node.loss}%`].filter(Boolean).join(", ");
      words.textContent = state;
      name.textContent = node.name ?? String(id);
      const follows = !node.down && node.leader !== null && node.leader !== id;
      arrow.style.display = follows ? "" : "none";
      if (follows) {
        const there = this.place(node.leader), far = Math.hypot(there.x - here.x, there.y - here.y), [dx, dy] = [(there.x - here.x) / far, (there.y - here.y) / far];
        arrow.setAttribute("d", `M${here.x + dx * 36} ${here.y + dy * 36}L${there.x - dx * 44} ${there.y - dy * 44}l${-dx * 9 - dy * 5} ${-dy * 9 + dx * 5}m${dx * 9 + dy * 5} ${dy * 9 - dx * 5}l${-dx * 9 + dy * 5} ${-dy * 9 - dx * 5}`);
      }
    });
    const cut = new Set(told.cut.map(String));
    for (const [key, link] of this.links) {
      link.classList.toggle("cut", cut.has(key));
      link.setAttribute("aria-pressed", String(cut.has(key)));
    }
    const leaders = nodes.filter((node) => this.role(node) === "leader").map((node) => node.id);
    const badge = (words, kind) => h("span", { class: `badge ${kind}` }, words), apart = nodes.some((node) => this.role(node) === "down" || node.paused || node.isolated);
    const whole = leaders.length === 1 && leaders[0] === told.agreed, who = apart ? "all reachable nodes agree" : "all agree";
    const named = told.agreed === null ? badge("no agreed leader", "bad") : whole ? badge(`✓ ${who}: ${told.agreed} leads`, "good") : badge(`${apart ? "all reachable nodes name" : "all name"} ${told.agreed}${leaders.includes(told.agreed) ? "" : ", which does not act as leader yet"}`, "warm");
    this.verdict.replaceChildren(named, leaders.length > 1 ? badge(`${leaders.length} act as leader: ${leaders.join(", ")}`, "bad") : "");
    this.told.textContent = `Selected: node ${this.chosen}. ${number(nodes.reduce((sum, node) => sum + node.sent, 0))} datagrams in ${number(told.age / 1000)} s; ${number(told.changes)} leader changes.`;
  }

  lay() {
    const links = svg("g", {});
    this.links = new Map();
    if (this.live) for (let a = 0; a < this.nodes.length; a++) for (let b = a + 1; b < this.nodes.length; b++) links.append(this.link(a, b));
    const arrows = svg("g", {}), dots = (this.dotsBox = svg("g", {})), groups = svg("g", {});
    this.drawn = this.nodes.map((_, id) => {
      const { x, y, angle } = this.place(id), disc = svg("circle", { class: "disc", r: 28 });
      const group = svg("g", { class: "agent", transform: `translate(${x} ${y})` }, svg("circle", { class: "halo", r: 35 }), disc);
      const name = svg("text", { class: "letter on", x, y, "aria-hidden": "true", style: "font-size:22px" }, String(id));
      const side = Math.cos(angle), words = svg("text", { class: "label", "aria-hidden": "true", x: x + side * 44, y: y + Math.sin(angle) * 46 + 4, "text-anchor": side > 0.3 ? "start" : side < -0.3 ? "end" : "middle", "font-size": 12.5 });
      const arrow = svg("path", { class: "follows" });
      arrows.append(arrow);
      button(group, `node ${id}`, () => { this.chosen = id; });
      tip(group, () => { const node = this.nodes[id]; return `node ${id}: ${this.role(node)}\nnames ${node.leader ?? "no leader"}, epoch ${node.epoch ?? "–"}\n${number(node.sent)} datagrams sent`; });
      groups.append(group, name, words);
      return { group, disc, words, arrow, name };
    });
    this.svg.replaceChildren(links, arrows, dots, groups);
  }

  /** The link between two nodes: a click cuts it, another repairs it. */
  link(a, b) {
    const [from, to] = [this.place(a), this.place(b)], d = `M${from.x} ${from.y}L${to.x} ${to.y}`;
    const group = svg("g", { class: "link" }, svg("path", { class: "hit", d }), svg("path", { class: "wire", d }));
    button(group, `link between ${a} and ${b}`, () => this.act(group.classList.contains("cut") ? "mend" : "cut", a, b));
    tip(group, () => `the link between ${a} and ${b}${group.classList.contains("cut") ? " is cut: click to repair it" : ": click to cut it"}`);
    this.links.set(`${a},${b}`, group);
    return group;
  }

  async act(action, node = this.chosen, to) {
    try { await call("cluster-act", { node, action, to }); this.notice(null); } catch (refused) { this.notice(refused.message, true); }
  }

  key(event) {
    const action = ACTIONS.find(([, , key]) => key === event.key)?.[0];
    if (action) this.act(action);
    else if (/^\d$/.test(event.key) && Number(event.key) < this.nodes.length) this.chosen = Number(event.key);
    else return false;
    return true;
  }

  /** Dots and the timeline, as long as the view is shown. */
  paint() {
    this.painting = this.shown;
    if (!this.shown) return;
    const now = performance.now();
    this.dots = this.dots.filter((dot) => dot.begins > now - FLIGHT).slice(-160);
    if (this.dotsBox) {
      const all = this.dotsBox.children;
      while (all.length < this.dots.length) this.dotsBox.append(svg("circle", { r: 4.5, class: "dot" }));
      while (all.length > this.dots.length) this.dotsBox.lastChild.remove();
      this.dots.forEach(({ from, to, lost, begins }, i) => {
        const a = this.place(from), b = this.place(to), t = Math.max(0, Math.min(1, (now - begins) / FLIGHT)), far = lost ? Math.min(t, 0.5) : t;
        all[i].setAttribute("cx", a.x + (b.x - a.x) * far);
        all[i].setAttribute("cy", a.y + (b.y - a.y) * far);
        all[i].style.fill = lost ? "var(--bullet)" : "var(--accent)";
        all[i].style.opacity = lost ? 1 - t : 0.9;
      });
    }
    this.draw_timeline(now);
    requestAnimationFrame(() => this.paint());
  }

  draw_timeline(now) {
    const drawn = this.nodes.length && now - (this.drawnAt ?? 0) >= 90 && sheet(this.timeline);
    if (!drawn) return;
    this.drawnAt = now;
    const { context, width, height } = drawn, row = Math.min(26, (height - 18) / this.nodes.length), x = (at) => 26 + (1 - (now - at) / HISTORY) * (width - 30);
    const inks = Object.fromEntries(Object.entries(ROLES).map(([role, name]) => [role, colour(name)]));
    this.nodes.forEach((_, id) => {
      context.fillStyle = colour("faint");
      context.fillText(String(id), 8, id * row + row / 2 + 4);
      this.history.forEach(({ at, roles }, i) => {
        const until = this.history[i + 1]?.at ?? now, tall = roles[id] === "leader" ? row - 3 : (row - 3) * 0.45;
        context.fillStyle = inks[roles[id]] ?? inks.unsettled;
        context.fillRect(x(at), id * row + (row - tall) / 2, Math.max(1, x(until) - x(at) + 0.5), tall);
      });
    });
    context.fillStyle = colour("faint");
    [0, 10, 20, 30, 40].forEach((seconds) => context.fillText(seconds ? `${seconds} s ago` : "now", Math.min(width - 28, x(now - seconds * 1000) - 12), height - 4));
  }

  /** The nodes of other hosts, drawn unless nodes of this machine are shown. */
  async ask_hosts() {
    this.asking = true;
    while (this.shown) {
      try {
        const { hosts } = await call("watch");
        const row = ({ host, said, why }) => h("tr", {}, h("td", {}, host), h("td", {}, said ? `node ${said.id}` : "–"), h("td", {}, said ? said.state : why), h("td", {}, said ? `names ${said.leader ?? "no leader"}` : ""), h("td", {}, said ? `${number(said.stable_for_seconds)} s` : ""));
        this.watch.replaceChildren(h("h2", {}, "Nodes of other hosts"), h("table", { class: "figures" }, hosts.map(row)));
        if (!this.live) this.show_hosts(hosts);
      } catch { /* asked again */ }
      await new Promise((resume) => setTimeout(resume, 1000));
    }
    this.asking = false;
  }

  show_hosts(hosts) {
    const index = new Map(hosts.map(({ said }, i) => [said?.id, i])), named = new Set(hosts.map(({ said }) => said?.leader).filter((leader) => leader !== undefined && leader !== null));
    const nodes = hosts.map(({ host, said }, id) => ({ id, host, name: said ? String(said.id) : "?", down: !said, role: said?.state, leader: index.get(said?.leader) ?? null, sent: 0 }));
    const silent = hosts.filter(({ said }) => !said).length;
    this.history.push({ at: performance.now(), roles: nodes.map((node) => this.role(node)) });
    while (this.history[0].at < performance.now() - HISTORY) this.history.shift();
    this.show({ nodes, agreed: null, cut: [], changes: 0, age: 0 });
    const words = named.size === 1 ? `${silent ? "all that answer name" : "all name"} ${[...named][0]}` : `${named.size} leaders are named`;
    this.verdict.replaceChildren(h("span", { class: `badge ${named.size === 1 ? (silent ? "warm" : "good") : "bad"}` }, words), silent ? h("span", { class: "badge bad" }, `${silent} of ${hosts.length} do not answer`) : "");
    this.told.textContent = "Nodes of other hosts, read-only, asked once a second.";
  }
}
