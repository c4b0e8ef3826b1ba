// Guided tours: a few sentences at a time, each with something to do on the page, and what to look at.

import { h } from "./dom.js";

/** A stop has words, maybe a run to open (`open`), and maybe something that the button does (`act`, with `press` on it). */
const TOURS = [
  {
    name: "What is self-stabilization?", about: "Break it, watch it heal.",
    stops: [
      { words: "Eight agents on a ring, nobody has a name. They started in garbage: each in an arbitrary state. A green disc claims to be the leader; there are three.", open: { algorithm: "yokota-ring", size: 8, seed: 3 } },
      { words: "In every step a random arc fires: two neighbours meet and both change, by the rules on the left. Let it run until there is one leader, for ever. The green bar in the diagram says from when on.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "Safe means more than right: no schedule can undo it. Now be the fault. Click an agent and give it any state you like, or press the button.", press: "Break two agents", act: (run) => run.corrupt([2, 5]) },
      { words: "Nobody notices that anything happened, nobody resets anything. Run on: it heals, by the same rules.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "That is self-stabilization: from every configuration, whatever a fault made of it, a safe one is reached. ‘break one’ and ‘until safe’, as often as you like." },
    ],
  },
  {
    name: "Why two are too few", about: "Fischer and Jiang's ring needs n ≥ 3.",
    stops: [
      { words: "Leaders fire bullets (red), shields (blue) absorb them, and an oracle says when no leader is left. With three agents or more this stabilizes under every globally fair scheduler.", open: { algorithm: "fischer-jiang-ring", size: 3, seed: 1 } },
      { words: "The checker looks at all 512 configurations of three agents. It holds.", press: "Check it", act: (run) => run.check_under("globally-fair") },
      { words: "Now two agents. The paper does not claim this size.", open: { algorithm: "fischer-jiang-ring", size: 2, seed: 1 } },
      { words: "Ask the checker again, about the same schedules.", press: "Check it", act: (run) => run.check_under("globally-fair") },
      { words: "It fails, and here is a run that shows it. One bullet and one shield change places between the two leaders for ever: whoever could be hit is shielded just then. No step leaves these two configurations, so no fairness helps.", press: "Play it", act: (run) => run.check.outcome.querySelector("#play-run")?.click() },
    ],
  },
  {
    name: "Why prime?", about: "Fich and Johnen on four: keep the symmetry yourself.",
    stops: [
      { words: "A deterministic algorithm without names can break symmetry only if there is none to keep. Fich and Johnen's ring elects a leader if its size is prime; here it has four processes, opposite ones in the same state.", open: { algorithm: "fich-johnen", size: 4, seed: 1, start: ["tag=c v=1", "tag=d v=2", "tag=c v=1", "tag=d v=2"] } },
      { words: "You are the scheduler. Whatever you let process 0 do, let process 2 do right after it; then 1 and 3. Opposite processes see the same, so they do the same.", press: "Let me", act: (run) => run.be_scheduler(true) },
      { words: "Press this as often as you like: each press is one pair, 0 and 2, then 1 and 3. In between the halves may differ, but after every press they are equal again: then there are none, two or four leaders, never one.", press: "One pair more", act: async (run) => { const pair = run.pair = run.pair === 0 ? 1 : 0; await run.take({ processes: [pair] }); await run.take({ processes: [pair + 2] }); } },
      { words: "That is an alternating schedule: between two steps of a process each neighbour steps once. The checker finds one by itself, under which the same leaders stay for ever. (‘random scheduler: can heal’ is no contradiction: chance breaks the symmetry, sooner or later. The algorithm promises more, to be right under every alternating schedule.)", press: "Check it", act: (run) => { run.be_scheduler(false); return run.check_under("alternating"); } },
      { words: "With three processes, a prime, the same check holds: a ring of prime size has no equal parts to keep in step, unless all are equal.", open: { algorithm: "fich-johnen", size: 3, seed: 1 }, press: "Check three", act: (run) => run.check_under("alternating") },
    ],
  },
  {
    name: "Bullets and shields", about: "How Yokota's ring kills all leaders but one, and never the last.",
    stops: [
      { words: "Everybody is a leader. A leader fires bullets to its right; a live one (red) kills the next leader it meets, unless that one is shielded (blue arc).", open: { algorithm: "yokota-ring", size: 6, seed: 11, start: "all-leaders" } },
      { words: "Step on with → and watch the rules light up. A leader that fires a live bullet is shielded until the bullet is gone: it cannot be hit by its own.", press: "Ten steps", act: async (run) => { for (let i = 0; i < 10; i++) await run.player.step(); } },
      { words: "Signals (waves) run against the bullets' way and tell a leader that it may fire again. Who fires depends on where the signal met it: that is the coin.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "One leader. Now take it away: give the leader's agent leader = 0, by a click on it. The distances (numbers in the discs) grow until somebody counts to N and knows: there is no leader.", press: "Take the leader away", act: (run) => run.demote() },
      { words: "Let it count.", press: "Run until safe", act: (run) => run.to_safe() },
    ],
  },
  {
    name: "The missing bit", about: "Franklin's flaw when messages overtake each other.",
    stops: [
      { words: "Processes pass messages both ways: each draws an identity, the larger survives the round. Without the bit that tells rounds apart, and with channels that do not keep the order, messages of two rounds are mixed up.", open: { algorithm: "franklin-no-bit", size: 3, seed: 5, channels: "bag", parameters: { ids: "3" } } },
      { words: "Messages that may arrive are outlined. Click one to let it arrive: you are the network. A process may also take its first step by a click on it.", press: "Some steps by chance", act: async (run) => { for (let i = 0; i < 6; i++) await run.player.step(); } },
      { words: "Try to let a message of a later round overtake one of an earlier round, so that all processes give up: ‘p’ everywhere, and nobody left. It takes patience. The checker has it: it looks at every run.", press: "Check every run", act: async (run) => { await run.check.press(); } },
      { words: "Here is such a run. Step through it with ← and →: which message arrives too early?", press: "Play it", act: (run) => run.check.outcome.querySelector("#play-run")?.click() },
      { words: "With the bit, a message of the next round waits until its time has come. The same ring, repaired.", open: { algorithm: "franklin", size: 3, seed: 5 }, press: "Run to the end", act: (run) => run.to_safe() },
    ],
  },
  {
    name: "Ω is not a lock", about: "What an elected leader does not promise.",
    stops: [
      { words: "All these algorithms promise one leader eventually. Until then, and after every fault, there may be two, or none. Watch the number in the middle.", open: { algorithm: "yokota-ring", size: 12, seed: 8 } },
      { words: "Let it settle.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "A single fault, and for a while two of them believe that they lead, both with good reason.", press: "Make a second leader", act: (run) => run.promote() },
      { words: "How long? Nobody inside can tell: they all follow the rules, and each sees only a neighbour. Whoever guards data with ‘I am the leader’ writes twice now.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "The same holds for real machines. The cluster view has five nodes over UDP: cut the leader off, and for as long as the cut lasts both sides have one. docs/running.md says what to use instead.", press: "Show me the cluster", act: () => document.querySelector('nav [data-view="cluster"]').click() },
    ],
  },
];

export class Tours {
  /** `open(story)` opens a run, `run` is the view of it, `show()` brings it to the front. */
  constructor(run, open, show) {
    Object.assign(this, { run, open, show });
    this.box = h("div", { class: "tours" }, h("p", { class: "hint" }, "Five minutes each. A tour opens runs and says what to look at; everything on the page stays in your hands."),
      h("div", { class: "cards" }, TOURS.map((tour, i) => h("button", { class: "panel card", onclick: () => this.begin(i) }, h("b", {}, tour.name), h("span", {}, tour.about), h("small", {}, `${tour.stops.length} stops`)))));
    this.guide = h("aside", { class: "guide panel", hidden: true, "aria-live": "polite", "aria-label": "Tour" });
  }

  async begin(index) {
    this.tour = TOURS[index];
    this.show();
    this.guide.hidden = false;
    await this.stop(0);
  }

  end() { this.guide.hidden = true; this.tour = null; }

  async stop(index) {
    this.at = index;
    const { tour } = this, stop = tour.stops[index];
    this.draw();
    if (stop.open) await this.open({ setup: { parameters: {}, ...stop.open } });
  }

  draw() {
    const { tour, at } = this, stop = tour.stops[at];
    let done = !stop.act;
    const deed = async (button) => { button.disabled = true; done = true; try { await stop.act(this.run); } finally { button.disabled = false; } };
    const act = stop.act && h("button", { class: "primary", onclick: ({ currentTarget }) => deed(currentTarget) }, stop.press);
    // What the next stop speaks of has happened.
    const next = async () => { if (!done) await deed(act); if (this.tour === tour && this.at === at) await this.stop(at + 1); };
    this.guide.replaceChildren(h("div", { class: "head" }, h("h2", {}, tour.name), h("span", { class: "gap" }), h("small", {}, `${at + 1} of ${tour.stops.length}`), h("button", { class: "quiet", "aria-label": "End the tour", onclick: () => this.end() }, "×")),
      h("p", {}, stop.words), h("div", { class: "row" }, act, h("span", { class: "gap" }), h("button", { disabled: at === 0, onclick: () => this.stop(at - 1) }, "Back"),
        at + 1 < tour.stops.length ? h("button", { onclick: next }, "Next") : h("button", { onclick: () => this.end() }, "Done")));
  }
}
