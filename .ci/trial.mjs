// Shared by the tests of the lab in a browser: parts with verdicts, labs, and the actions of a viewer.

import { spawn } from "node:child_process";
import { join } from "node:path";

const wrong = [];
let now = "";
export const expect = (fine, what) => { if (!fine) { wrong.push(now + what); console.log(`  WRONG: ${now}${what}`); } };
export const same = (a, b, what) => expect(JSON.stringify(a) === JSON.stringify(b), `${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`);
export const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

/** One part of a trial. ONLY=words runs those whose names have these words. */
export async function part(name, work, failed = () => {}) {
  if (!new RegExp(process.env.ONLY ?? "").test(name)) return;
  const begun = Date.now();
  now = `${name}: `;
  try { await work(); } catch (error) { expect(false, error.stack); await failed(); }
  now = "";
  console.log(`${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
}

/** Ends the trial with all that was wrong. */
export function end(name) {
  console.log(wrong.length ? `\n${name}: ${wrong.length} WRONG\n${wrong.join("\n")}` : `${name}: all well`);
  process.exit(wrong.length ? 1 : 0);
}

/** A lab, and the address that it prints. */
export async function lab(program, ...flags) {
  const child = spawn(program, ["lab", "--no-open", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found, lost) => {
    let told = "";
    child.stdout.on("data", (data) => { told += data; const match = told.match(/http:\S+/); if (match) found(match[0]); });
    child.on("exit", () => lost(new Error("the lab ended")));
  });
  return { child, address };
}

export const READY = `document.documentElement.dataset.ready === "yes"`;
export const STATES = `[...document.querySelectorAll(".scene .agent")].map((agent) => agent.getAttribute("aria-label"))`;
export const STEP = `Number(document.querySelector("#count b").textContent.replaceAll(",", ""))`;

/** What a viewer of a page of the lab does and sees; pictures go to the directory. */
export function viewer(page, address, directory) {
  const ready = async (where, seconds) => { await page.open(where); await page.until(READY, seconds); };
  const at = (step, seconds) => page.until(`${STEP} === ${step}`, seconds);
  const set = (selector, change, event) => page.evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); ${change}; e.dispatchEvent(new Event("${event}")); })()`);
  let opened = 0;
  return {
    // An address of the same page would only change its hash: each time it has another query, which says nothing to the lab. (An empty page in
    // between would cost a process of the browser.)
    open: async (hash, seconds) => { opened += 1; await page.open(`${address}?${opened}${hash}`); await page.until(`location.search === "?${opened}" && ${READY}`, seconds); },
    saved: (file) => ready(`file://${file}`),
    picture: (name) => page.picture(join(directory, `${name}.png`)),
    // A stage is laid out anew within some frames of a change: until some frames in a row show the same.
    settled: (frames = 2) => page.evaluate(`new Promise((done) => {
      let last = "", alike = 0;
      const shown = () => document.querySelector(".stage").innerHTML + [...document.querySelectorAll("#main, .run > *, .guide, .stage, .stage *")].map((e) => { const { x, y, width, height } = e.getBoundingClientRect(); return [x, y, width, height]; });
      const look = () => { const now = shown(); alike = now === last ? alike + 1 : 0; last = now; if (alike === ${frames}) done(); else requestAnimationFrame(look); };
      requestAnimationFrame(look);
    })`),
    text: (selector) => page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`),
    has: (selector, words, seconds) => page.until(`document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(words)})`, seconds),
    agents: (count, seconds) => page.until(`document.querySelectorAll(".scene .agent").length === ${count}`, seconds),
    at,
    key: async (name, step) => { await page.key(name); if (step !== undefined) await at(step); },
    press: (selector) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`),
    choose: (selector, value) => set(selector, `e.value = ${JSON.stringify(value)}`, "change"),
    enter: (selector, value) => set(selector, `e.value = ${JSON.stringify(value)}`, "input"),
    replace: (selector, from, to) => set(selector, `e.value = e.value.replace(${JSON.stringify(from)}, ${JSON.stringify(to)})`, "input"),
    scrub: async (step) => { await set("#scrub", `e.max = Math.max(e.max, ${step}); e.value = ${step}`, "input"); await at(step); },
  };
}
