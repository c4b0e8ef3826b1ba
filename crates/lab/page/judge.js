// What is said of a moment: by the proof's safe set at once, by the checker where it knows every configuration.

/** Schedules that are fewer than what the checker's table is about: what it calls unsafe may be safe under them. */
const NARROWER = ["alternating", "round-robin"];

/** Whether what the table says of a configuration decides what a run under its scheduler will do. */
export const decides = (subject, here) => here?.state === "known" && here.safe !== undefined && (here.safe || !NARROWER.includes(subject.scheduler));

/** A badge, and the line under the number of leaders. `here` is what the checker knows of this moment, or null. */
export function judged(subject, frame, here) {
  const set = subject.safe_set && subject.safe_set.length < 20 ? subject.safe_set : "the proof's safe set";
  const for_ever = subject.safety === "ever" ? "safe, for ever" : "safe";
  if (decides(subject, here)) {
    if (here.safe) return { kind: "good", badge: "✓ safe", under: "safe, for ever" };
    if (frame.safe && subject.safety === "long") return { kind: "good", badge: "✓ safe for long", under: "safe, but not for ever" };
    if (frame.safe) return { kind: "bad", badge: "called safe, and is not", under: "some schedule undoes it" };
    return frame.correct ? { kind: "warm", badge: "right, not yet safe", under: "right now, but not for ever yet" } : { kind: "bad", badge: "not safe", under: "" };
  }
  if (frame.safe && subject.safety === "unknown") return { kind: "warm", badge: "right now", under: "right now; nobody has said for how long" };
  if (frame.safe) return { kind: "good", badge: subject.safety === "ever" ? "✓ safe" : "✓ safe for long", under: for_ever };
  // Outside of the proof's set it may be safe all the same: only the checker can tell.
  return frame.correct ? { kind: "warm", badge: `right now, not in ${set}`, under: `right now, not in ${set}` } : { kind: "bad", badge: "not safe", under: "" };
}

/** What a check found, in a sentence that is true. */
export function verdict({ holds, almost_surely, scheduler }) {
  const under = { random: "under the random scheduler", synchronous: "when all step at once", possible: "on every run" }[scheduler] ?? `under every ${scheduler} schedule`;
  if (holds) return `It holds ${almost_surely ? "with probability 1 " : ""}${under}.`;
  if (scheduler === "possible") return "It fails: there is a run that breaks its promise.";
  if (scheduler === "random" || scheduler === "synchronous") return `It fails ${under}.`;
  return `It fails: there is ${/^[aeu]/.test(scheduler) ? "an" : "a"} ${scheduler} schedule under which it never becomes safe.`;
}

/** What a recorded script is, for the line above the stage. */
export function told_of(script, number) {
  if (!script) return "";
  if (!script.shows) return script.steps.length ? `Its first ${number(script.steps.length)} steps are those of a run that a check found; since then the schedule is another.` : "";
  const lap = script.cycle === null || script.cycle === undefined ? 0 : script.steps.length - script.cycle;
  return `Counterexample: ${script.shows}.${lap ? ` It repeats every ${number(lap)} steps, for ever.` : ""}`;
}
