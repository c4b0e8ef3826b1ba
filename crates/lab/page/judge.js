// The verdict on a configuration: from the proof's safe set, or from the checker where it knows every configuration.

/** Schedulers with fewer schedules than the checker's table covers: a configuration that the table calls unsafe may be safe under them. */
const NARROWER = ["alternating", "round-robin"];

/** Whether the table decides if a configuration is safe under the scheduler of the run. */
export const decides = (subject, here) => here?.state === "known" && here.safe !== undefined && (here.safe || !NARROWER.includes(subject.scheduler));

/** A badge, and the line under the number of leaders. `here` is what the checker knows of this configuration, or null. */
export function judged(subject, frame, here) {
  const set = subject.safe_set && subject.safe_set.length < 20 ? subject.safe_set : "the proof's safe set";
  const for_ever = subject.safety === "ever" ? "safe, for ever" : "safe";
  if (decides(subject, here)) {
    if (here.safe) return { kind: "good", badge: "✓ safe", under: "safe, for ever" };
    if (frame.safe && subject.safety === "long") return { kind: "good", badge: "✓ safe for a long time", under: "safe, but not for ever" };
    if (frame.safe) return { kind: "bad", badge: "in the safe set, but not safe", under: "some schedule makes it incorrect again" };
    return frame.correct ? { kind: "warm", badge: "correct, not yet safe", under: "correct now, but some schedule can undo it" } : { kind: "bad", badge: "not safe", under: "" };
  }
  if (frame.safe && subject.safety === "unknown") return { kind: "warm", badge: "correct now", under: "correct now; no safe set is stated" };
  if (frame.safe) return { kind: "good", badge: subject.safety === "ever" ? "✓ safe" : "✓ safe for a long time", under: for_ever };
  // A configuration outside of the proof's set may be safe: only the checker can tell.
  return frame.correct ? { kind: "warm", badge: `correct now, not in ${set}`, under: `correct now, not in ${set}` } : { kind: "bad", badge: "not safe", under: "" };
}

/** The verdict of a check, as a sentence. */
export function verdict({ holds, almost_surely, scheduler }) {
  const under = { random: "under the random scheduler", synchronous: "when all processes step at once", possible: "on every run" }[scheduler] ?? `under every ${scheduler} schedule`;
  if (holds) return `Holds ${almost_surely ? "with probability 1 " : ""}${under}.`;
  if (scheduler === "possible") return "Fails: some run breaks the promise.";
  if (scheduler === "random" || scheduler === "synchronous") return `Fails ${under}.`;
  return `Fails: not every ${scheduler} schedule keeps the promise.`;
}

/** The banner for a run that follows a script. */
export function told_of(script, number) {
  if (!script) return "";
  if (!script.shows) return script.steps.length ? `The first ${number(script.steps.length)} steps are those of a run that a check found; the later steps are not.` : "";
  const lap = script.cycle === null || script.cycle === undefined ? 0 : script.steps.length - script.cycle;
  return `Counterexample: ${script.shows}.${lap ? ` It repeats every ${number(lap)} steps, for ever.` : ""}`;
}
