// Guided tours: a few sentences at a time, with something to do on the page and something to look at.

import { h } from "./dom.js";

/** A stop has `words`, perhaps a run to `open`, and perhaps a button: its label `press` and its action `act`. */
const TOURS = [
  {
    name: "What is self-stabilization?", about: "Break it, watch it heal.",
    stops: [
      { words: "Eight agents on a ring, without names. Each started in an arbitrary state. A green disc claims to be the leader; three agents do.", open: { algorithm: "yokota-ring", size: 8, seed: 3 } },
      { words: "In every step a random arc fires: two neighbours meet and both change, by the rules on the left. Let it run until there is one leader, for ever. The green bar in the diagram shows from which step on.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "Safe means more than correct: no schedule can undo it. Now inject a fault. Click an agent and give it any state you like, or press the button.", press: "Corrupt two agents", act: (run) => run.corrupt([2, 5]) },
      { words: "No agent notices the fault, and nothing is reset. Run on: the same rules repair the ring.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "That is self-stabilization: every execution from every configuration reaches a safe one. Press ‘corrupt an agent’ and ‘until safe’ as often as you like." },
    ],
  },
  {
    name: "Why two agents are too few", about: "Fischer and Jiang's ring needs n ≥ 3.",
    stops: [
      { words: "Leaders fire bullets (red), shields (blue) absorb them, and an oracle says when no leader is left. With three agents or more this stabilizes under every globally fair scheduler.", open: { algorithm: "fischer-jiang-ring", size: 3, seed: 1 } },
      { words: "The checker looks at all 512 configurations of three agents. It holds.", press: "Check it", act: (run) => run.check_under("globally-fair") },
      { words: "Now two agents. The paper does not claim this size.", open: { algorithm: "fischer-jiang-ring", size: 2, seed: 1 } },
      { words: "Ask the checker again, about the same schedules.", press: "Check it", act: (run) => run.check_under("globally-fair") },
      { words: "It fails, and here is a counterexample. One bullet and one shield change places between the two leaders for ever: a leader that could be hit is always shielded. No step leaves these two configurations, so no fairness helps.", press: "Play it", act: (run) => run.check.outcome.querySelector("#play-run")?.click() },
    ],
  },
  {
    name: "Why prime?", about: "Fich and Johnen with four processes: keep the symmetry yourself.",
    stops: [
      { words: "A deterministic algorithm without names cannot break a symmetry of the ring. Fich and Johnen's ring elects a leader if its size is prime. Here it has four processes, opposite ones in the same state.", open: { algorithm: "fich-johnen", size: 4, seed: 1, start: ["tag=c v=1", "tag=d v=2", "tag=c v=1", "tag=d v=2"] } },
      { words: "You are the scheduler. Let process 0 step and process 2 right after it, then 1 and 3. Opposite processes read the same states, so they make the same step.", press: "Start", act: (run) => run.be_scheduler(true) },
      { words: "Press this as often as you like: each press is one pair, 0 and 2, then 1 and 3. After every press the two halves are equal again: there are none, two or four leaders, never one.", press: "Next pair", act: async (run) => { const pair = run.pair = run.pair === 0 ? 1 : 0; await run.take({ processes: [pair] }); await run.take({ processes: [pair + 2] }); } },
      { words: "That is an alternating schedule: between two steps of a process each neighbour steps once. The checker finds such a schedule under which the same leaders stay for ever. (‘random scheduler: can heal’ is no contradiction: random steps break the symmetry with probability 1. The algorithm promises more: to be correct under every alternating schedule.)", press: "Check it", act: (run) => { run.be_scheduler(false); return run.check_under("alternating"); } },
      { words: "With three processes, a prime, the same check holds: a ring of prime size has no equal parts, unless all processes are in the same state.", open: { algorithm: "fich-johnen", size: 3, seed: 1 }, press: "Check three", act: (run) => run.check_under("alternating") },
    ],
  },
  {
    name: "Bullets and shields", about: "How Yokota's ring removes all leaders but one, and never the last.",
    stops: [
      { words: "Every agent is a leader. A leader fires bullets to its right; a live bullet (red) kills the next leader it meets, unless that leader is shielded (blue arc).", open: { algorithm: "yokota-ring", size: 6, seed: 11, start: "all-leaders" } },
      { words: "Step on with → and watch the rules light up. A leader that fires a live bullet is shielded until the bullet is gone: it cannot be hit by its own.", press: "Ten steps", act: async (run) => { for (let i = 0; i < 10; i++) await run.player.step(); } },
      { words: "Signals (waves) travel against the bullets and tell a leader that it may fire again. The order of the meetings decides whether the bullet is live: that is the coin.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "One leader. Now remove it: click the leader and set leader = 0. The distances (numbers in the discs) grow until an agent counts to N and concludes that there is no leader.", press: "Remove the leader", act: (run) => run.demote() },
      { words: "Let it count.", press: "Run until safe", act: (run) => run.to_safe() },
    ],
  },
  {
    name: "The missing bit", about: "Franklin's flaw when messages overtake each other.",
    stops: [
      { words: "Processes pass messages both ways: each draws an identity, the larger survives the round. Without the bit that tells rounds apart, and with channels that do not keep the order, messages of two rounds are confused.", open: { algorithm: "franklin-no-bit", size: 3, seed: 5, channels: "bag", parameters: { ids: "3" } } },
      { words: "Messages that may arrive are outlined. Click a message to let it arrive: you are the network. Click a process to let it take its first step.", press: "Some random steps", act: async (run) => { for (let i = 0; i < 6; i++) await run.player.step(); } },
      { words: "Try to let a message of a later round overtake one of an earlier round, so that all processes become passive (‘p’). It takes patience. The checker looks at every run.", press: "Check every run", act: async (run) => { await run.check.press(); } },
      { words: "Here is such a run. Step through it with ← and →. Which message arrives too early?", press: "Play it", act: (run) => run.check.outcome.querySelector("#play-run")?.click() },
      { words: "With the bit, a message of the next round waits for its round. This is the same ring, repaired.", open: { algorithm: "franklin", size: 3, seed: 5 }, press: "Run to the end", act: (run) => run.to_safe() },
    ],
  },
  {
    name: "Ω is not a lock", about: "What an elected leader does not promise.",
    stops: [
      { words: "All these algorithms promise one leader eventually. Until then, and after every fault, there may be two, or none. Watch the number in the middle.", open: { algorithm: "yokota-ring", size: 12, seed: 8 } },
      { words: "Let it settle.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "After a single fault two agents claim to lead for a while, both by the rules.", press: "Make a second leader", act: (run) => run.promote() },
      { words: "For how long? No agent can tell: each reads only a neighbour. A program that writes data because it is the leader would now write twice.", press: "Run until safe", act: (run) => run.to_safe() },
      { words: "The same holds for real machines. The cluster view has five nodes over UDP: isolate the leader, and both sides have a leader for as long as the isolation lasts. docs/running.md says what to use instead.", press: "Show me the cluster", act: () => document.querySelector('nav [data-view="cluster"]').click() },
    ],
  },
];

export class Tours {
  /** `open(story)` opens a run, `run` is the view of it, `show()` brings it to the front. */
  constructor(run, open, show) {
    Object.assign(this, { run, open, show });
    this.box = h("div", { class: "tours" }, h("p", { class: "hint" }, "Five minutes each. A tour opens runs and says what to look at; all controls of the page stay usable."),
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
    const act_once = async (button) => { button.disabled = true; done = true; try { await stop.act(this.run); } finally { button.disabled = false; } };
    const act = stop.act && h("button", { class: "primary", onclick: ({ currentTarget }) => act_once(currentTarget) }, stop.press);
    // The next stop refers to the outcome of this one.
    const next = async () => { if (!done) await act_once(act); if (this.tour === tour && this.at === at) await this.stop(at + 1); };
    this.guide.replaceChildren(h("div", { class: "head" }, h("h2", {}, tour.name), h("span", { class: "gap" }), h("small", {}, `${at + 1} of ${tour.stops.length}`), h("button", { class: "quiet", "aria-label": "End the tour", onclick: () => this.end() }, "×")),
      h("p", {}, stop.words), h("div", { class: "row" }, act, h("span", { class: "gap" }), h("button", { disabled: at === 0, onclick: () => this.stop(at - 1) }, "Back"),
        at + 1 < tour.stops.length ? h("button", { onclick: next }, "Next") : h("button", { onclick: () => this.end() }, "Done")));
  }
}
