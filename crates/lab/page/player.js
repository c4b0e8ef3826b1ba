// The player of a run: the present step, the last step seen, and the frames. Every frame comes from the source: the engines of the
// lab, or a recorded page. Nothing here computes a step.

/** The most states of agents that are kept. */
const MOST_STATES = 4_000_000;

export class Player extends EventTarget {
  /** `source.frames(story, from, to, every)` returns frames. */
  constructor(source) {
    super();
    this.source = source;
    this.frames = new Map();
    this.texts = new Map();
    this.rate = 8;
    this.story = null;
    this.at = 0;
    this.last = 0;
    this.playing = false;
    this.age = 0;
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Starts another run, and goes to a step of it. */
  async load(story, step = 0, verified = null) {
    this.pause();
    this.story = story;
    this.verified = verified;
    this.before = [];
    this.forget(0);
    this.texts.clear();
    this.at = 0;
    this.last = 0;
    this.stopped = null;
    this.reached = null;
    this.tell("story");
    await this.go(step);
  }

  /** Forgets the frames from a step on. */
  forget(from) {
    this.age += 1;
    for (const step of this.frames.keys()) if (step >= from) this.frames.delete(step);
    if (this.reached !== null && this.reached >= from) this.reached = null;
    this.stopped = null;
  }

  /** The cycle of a recorded run, if it was verified to close: after how many steps it begins, and how long it is. */
  get lasso() {
    const { verified, story } = this;
    return verified?.closes && !verified.wrong ? { prefix: story.script.cycle, cycle: story.script.steps.length - story.script.cycle } : null;
  }

  get frame() {
    return this.frames.get(this.at);
  }

  /** Asks for frames; an answer that is out of date is dropped. */
  async ask(from, to, every = 1) {
    const { age, story } = this;
    const told = await this.source.frames(story, from, to, every);
    if (age !== this.age || story !== this.story) return false;
    for (const [state, text] of Object.entries(told.texts)) this.texts.set(Number(state), text);
    const size = told.frames[0]?.states.length ?? 1;
    while (this.frames.size * size > MOST_STATES) this.frames.delete(this.frames.keys().next().value);
    for (const frame of told.frames) this.frames.set(frame.step, frame);
    this.so_far = told.so_far ?? to;
    if (told.stopped) this.stopped = { after: told.frames.at(-1)?.step ?? from, why: told.stopped };
    return true;
  }

  /** Goes to a step. */
  async go(step) {
    step = Math.max(0, Math.round(step / this.stride) * this.stride);
    const wanted = (this.wanted = step);
    try {
      while (!this.frames.has(step)) {
        // A few frames more: the steps before and after.
        const from = this.frames.has(step - this.stride) ? step : Math.max(0, step - 8 * this.stride);
        if (!(await this.ask(from, step + 12 * this.stride, this.stride))) return;
        if (this.wanted !== wanted) return;
        if (!this.frames.has(step)) {
          const known = [...this.frames.keys()].filter((s) => s < step);
          if (this.stopped) { step = this.stopped.after; break; }
          // The engines answer in parts: this page asks on as long as somebody waits for the step.
          if (this.so_far < from) { this.tell("progress", { done: this.so_far, total: step }); continue; }
          if (!known.length) return;
        }
      }
    } catch (refused) {
      this.pause();
      this.tell("progress", null);
      this.tell("refused", refused.message);
      // A step that cannot be shown leaves the page at the start.
      if (!this.frame && step > 0 && this.wanted === wanted) await this.go(0);
      return;
    }
    if (this.wanted !== wanted) return;
    this.tell("progress", null);
    if (!this.frames.has(step)) { if (this.stopped) this.tell("refused", this.stopped.why); return; }
    const before = this.at;
    this.at = step;
    this.last = Math.max(this.last, step);
    const frame = this.frames.get(step);
    if (frame.safe && (this.reached === null || step < this.reached)) this.reached = step;
    this.tell("frame", { frame, before });
    if (this.stopped && step >= this.stopped.after) { this.pause(); this.tell("stopped", this.stopped.why); }
  }

  /** Ends a long jump at the step that is computed. */
  halt() { return this.go(this.so_far); }

  /** A recording may have every second, third, .. frame only. */
  get stride() { return this.source.every ?? 1; }
  step() { return this.go(this.at + this.stride); }
  back() { return this.go(this.at - this.stride); }

  play() {
    if (this.playing) return;
    this.playing = true;
    this.tell("playing");
    let due = 0, then = performance.now(), busy = false;
    const wasSafe = this.frame?.safe;
    const tick = async (now) => {
      if (!this.playing) return;
      due += Math.min(0.25, (now - then) / 1000) * this.rate;
      then = now;
      if (due >= 1 && !busy) {
        const steps = Math.max(1, Math.round(Math.floor(due) / this.stride)) * this.stride;
        due = Math.max(0, due - steps);
        busy = true;
        await this.ahead_of(this.at + steps, steps);
        if (this.playing) await this.go(this.at + steps);
        busy = false;
        if (this.frame?.safe && !wasSafe && this.pauses) { this.pause(); await this.back_to_safe(steps); this.tell("reached"); return; }
      }
      if (this.playing) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Goes back to the first safe step among those that were skipped. */
  async back_to_safe(skipped) {
    if (skipped <= this.stride) return;
    try { await this.ask(Math.max(0, this.at - skipped + 1), this.at, this.stride); } catch { return; }
    for (let step = this.at - skipped + this.stride; step < this.at; step += this.stride) if (this.frames.get(step)?.safe) { await this.go(step); return; }
  }

  /** Fetches the frames that playing needs next. */
  async ahead_of(step, stride) {
    if (this.frames.has(step)) {
      // The next frames are fetched while there are still some to show.
      const later = step + stride * 24;
      if (!this.asking && !this.frames.has(later)) {
        this.asking = true;
        this.ask(step + stride, step + stride * 60, stride).catch(() => {}).finally(() => { this.asking = false; });
      }
      return;
    }
    try { await this.ask(step, step + stride * 40, stride); } catch (refused) { this.pause(); this.tell("refused", refused.message); }
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell("playing");
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  /** An act of the viewer at this step; the steps after it are forgotten. */
  async act(change) {
    this.pause();
    this.tell("acting");
    const step = this.at;
    const moves = is_step(change);
    const stays = (act) => act.at < step || (act.at === step && !is_step(act));
    const story = { ...this.story, acts: this.story.acts.filter(stays).concat({ at: step, ...change }) };
    this.before.push({ story: this.story, verified: this.verified });
    // The run leaves the recorded steps here and no longer shows anything.
    if (story.script) story.script = { steps: unrolled(story.script, step), cycle: null };
    this.verified = null;
    this.story = story;
    this.forget(moves ? step + 1 : step);
    this.last = step;
    this.tell("story");
    await this.go(moves ? step + 1 : step);
  }

  /** Takes back the last act of the viewer. */
  async undo() {
    const last = this.story?.acts.at(-1);
    if (!last) return false;
    this.pause();
    this.tell("acting");
    // An act that came with a link has no story before it.
    const { story, verified } = this.before.pop() ?? { story: { ...this.story, acts: this.story.acts.slice(0, -1) }, verified: null };
    Object.assign(this, { story, verified });
    this.forget(last.at);
    this.last = last.at;
    this.tell("story");
    await this.go(last.at);
    return true;
  }
}

/** Whether an act takes a step, or only changes states. */
const is_step = (act) => ["arc", "processes", "all", "message"].some((name) => name in act);

/** The first steps of a script, with its cycle unrolled. */
function unrolled({ steps, cycle }, count) {
  const first = cycle ?? steps.length;
  const lap = steps.length - first;
  return Array.from({ length: lap ? count : Math.min(count, steps.length) }, (_, i) => (i < steps.length ? steps[i] : steps[first + ((i - first) % lap)]));
}
