// The verdict on a configuration: from the proof's safe set, or from the checker where it knows every configuration.

/** Schedulers with fewer schedules than the checker's table covers: a configuration that the table calls unsafe may be safe under them. */
const NARROWER = ["alternating", "round-robin"];

/** Whether the table decides if a configuration is safe under the scheduler of the run. */
export const decides = (subject, here) => here?.state === "known" && here.safe !== undefined && (here.safe || !NARROWER.includes(subject.scheduler));

/** A badge, and the line under the number of leaders. `here` is what the checker knows of this configuration, or null; `lied` says that the viewer answers
 * for the oracle, `final` that no step changes anything. The table and the proofs are about a perfect oracle. */
export function judged(subject, frame, here, lied = false, final = false) {
  const said = final && frame.correct ? { kind: "good", badge: "✓ safe", under: "correct for ever: no step changes anything" } : truthful(subject, frame, here), lies = subject.oracle && (lied || !subject.truthful);
  return said.kind === "good" && lies ? { kind: "warm", badge: "safe once the oracle tells the truth", under: "safe once the oracle tells the truth" } : said;
}

function truthful(subject, frame, here) {
  const set = subject.own ? "the text's safe set" : subject.safe_set && subject.safe_set.length < 20 ? subject.safe_set : "the proof's safe set";
  const for_ever = subject.safety === "ever" ? "safe, for ever" : "safe";
  if (decides(subject, here)) {
    if (here.safe) return { kind: "good", badge: "✓ safe", under: "safe, for ever" };
    if (frame.safe && subject.safety === "long") return { kind: "good", badge: "✓ safe for a long time", under: "safe, but not for ever" };
    if (frame.safe) return { kind: "bad", badge: "in the safe set, but not safe", under: "some schedule makes it incorrect again" };
    return frame.correct ? { kind: "warm", badge: "correct, not yet safe", under: "correct now, but some schedule can undo it" } : { kind: "bad", badge: "not safe", under: "" };
  }
  // The author of a text has named this set; nobody has proved here that it cannot be left.
  if (frame.safe && subject.own && subject.safety !== "unknown") return { kind: "warm", badge: "in the text's safe set", under: "in the text's safe set, which is not checked" };
  if (frame.safe && subject.safety === "unknown") return { kind: "warm", badge: "correct now", under: "correct now; no safe set is stated" };
  if (frame.safe) return { kind: "good", badge: subject.safety === "ever" ? "✓ safe" : "✓ safe for a long time", under: for_ever };
  // A configuration outside of the proof's set may be safe: only the checker can tell.
  return frame.correct ? { kind: "warm", badge: `correct now, not in ${set}`, under: `correct now, not in ${set}` } : { kind: "bad", badge: "not safe", under: "" };
}

/** The verdict of a check, as a sentence. */
export function verdict({ holds, almost_surely, scheduler, oracle, identities, unchecked = [] }) {
  const with_oracle = oracle ? `, with ${{ perfect: "a perfect oracle", "eventually-correct": "an oracle that is right only eventually" }[oracle]}` : "";
  const on = with_oracle + (identities ? `, ${identities}` : "");
  const under = { random: "under the random scheduler", synchronous: "when all processes step at once", possible: "on every run", unfair: "under every schedule, fair or not" }[scheduler] ?? `under every ${scheduler} schedule`;
  if (holds && unchecked.length) return `No failure was found${on}. Not checked: ${unchecked.join("; ")}.`;
  if (holds) return `Holds ${almost_surely ? "with probability 1 " : ""}${under}${on}.`;
  if (scheduler === "possible") return `Fails: some run breaks the promise${on}.`;
  if (scheduler === "random" || scheduler === "synchronous") return `Fails ${under}${on}.`;
  if (scheduler === "unfair") return `Fails: some schedule breaks the promise${on}.`;
  return `Fails: not every ${scheduler} schedule keeps the promise${on}.`;
}

/** The banner for a run that follows recorded steps: its words, and whether the run is a counterexample. Every word is from `verified`, which the engines
 * computed from the steps, or from `found`, the check that wrote this page. */
export function told_of({ script, acts }, verified, found, number) {
  const steps = script?.steps.length ?? 0, count = `${number(steps)} step${steps === 1 ? "" : "s"}`;
  if (!steps) return null;
  const first = Math.min(...acts.map(({ at }) => at));
  if (first < steps) return { words: `A recorded run with a change by the viewer at step ${number(first)}: from there on it is another run, which shows nothing.` };
  if (acts.length) return { words: `The first ${count} are recorded; the later steps are not.` };
  if (!verified) return { words: `A recorded run of ${count}. It is being verified.` };
  if (verified.wrong) return { words: `Not verified, so this run shows nothing: ${verified.wrong}.` };
  const open = verified.open.length ? ` Not verified: ${verified.open.join("; ")}.` : "";
  const lap = verified.closes && !open ? ` It repeats ${steps - script.cycle === 1 ? "after every step" : `every ${number(steps - script.cycle)} steps`}, for ever.` : "";
  // Every schedule is one of the schedules that need not be fair.
  const under = verified.under && verified.under !== "unfair" ? ` The schedule is ${verified.under}.` : "";
  const outside = verified.claimed ? `${verified.claimed === "fair coins" ? "The claim assumes fair coins; here the daemon chose them" : `The claim is about other schedules (${verified.claimed}), so this run does not contradict it`}. In this run, ` : null;
  if (verified.shows && outside) return { words: `${outside}${verified.shows}.${lap}${under}${open}` };
  if (verified.shows) return { failure: true, words: `Counterexample${verified.claim ? ` to the claim ${verified.claim.replaceAll("`", "")}, which is not the algorithm’s own` : ""}: ${verified.shows}.${lap}${under}${open}` };
  if (found && outside) return { words: `${outside}${found}.${lap}${under} Verified: ${verified.verified.join("; ")}.${open}` };
  if (found) return { failure: true, words: `Counterexample: the check that wrote this page found: ${found}.${lap}${under} Verified: ${verified.verified.join("; ")}.${open}` };
  return { words: `A recorded run of ${count}: ${verified.verified.join("; ")}. ${open ? "Whether it shows a failure is unknown." : "It shows no failure."}${lap}${open}` };
}
