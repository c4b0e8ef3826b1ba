// The lab in a real browser: every view opened, a run stepped forth and back, an agent edited, an arc chosen, a counterexample
// played to its closing, a protocol with an error and without one, a recorded page.
//
//   node .ci/lab.mjs PROGRAM DIRECTORY [AXE]
//
// Leaves screenshots in the directory. AXE is the file of axe-core, by which accessibility is looked at.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "./chromium.mjs";

const [program = "target/debug/ringleader", directory = "target/lab", axe] = process.argv.slice(2);
mkdirSync(directory, { recursive: true });
const child = spawn(program, ["lab", "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((found, lost) => {
  let told = "";
  child.stdout.on("data", (data) => { told += data; const match = told.match(/http:\S+/); if (match) found(match[0]); });
  child.on("exit", () => lost(new Error("the lab ended")));
});
const browser = await chromium();
const page = await browser.page(address);
const wrong = [];
const expect = (fine, what) => { if (!fine) { wrong.push(what); console.log(`  WRONG: ${what}`); } };
const same = (a, b, what) => expect(JSON.stringify(a) === JSON.stringify(b), `${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`);
const picture = (name) => page.picture(join(directory, `${name}.png`));
const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

const READY = `document.documentElement.dataset.ready === "yes"`;
const STATES = `[...document.querySelectorAll(".scene .agent")].map((agent) => agent.getAttribute("aria-label"))`;
const STEP = `Number(document.querySelector("#count b").textContent.replaceAll(",", ""))`;
const open = async (hash) => { await page.open("about:blank"); await page.open(address + hash); await page.until(READY); };
const key = async (name, step) => { await page.key(name); if (step !== undefined) await page.until(`${STEP} === ${step}`); };
const part = async (name, work) => {
  const begun = Date.now();
  try { await work(); } catch (error) { expect(false, `${name}: ${error.message}`); await picture("failed"); }
  console.log(`${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
};

await part("the page loads, in less than 300 kB", async () => {
  await page.until(READY, 60);
  expect(page.loaded() < 300_000, `${page.loaded()} bytes loaded`);
  console.log(`  ${page.loaded()} bytes`);
});

await part("a run is stepped forth, and back to the same states", async () => {
  await open("#run?algorithm=yokota-ring&size=8&seed=3");
  const seen = [await page.evaluate(STATES)];
  for (let step = 1; step <= 15; step++) { await key("ArrowRight", step); seen.push(await page.evaluate(STATES)); }
  for (let step = 14; step >= 0; step--) { await key("ArrowLeft", step); same(await page.evaluate(STATES), seen[step], `back at step ${step}`); }
  expect(new Set(seen.map(String)).size > 5, "hardly anything happens");
  await key("End", 15);
  same(await page.evaluate(STATES), seen[15], "at the end again");
  await picture("run");
});

await part("an arc is chosen", async () => {
  await page.click(`.scene .arc[aria-label="let 3 and 4 meet"] .hit`);
  await page.until(`${STEP} === 16`);
  const said = await page.until(`document.querySelector(".log .now")?.textContent`);
  expect(said.includes("3 → 4"), `the arc that was chosen is not the one that fired: ${said}`);
});

await part("an agent is edited, by keyboard alone", async () => {
  await page.evaluate(`document.querySelectorAll(".scene .agent")[2].focus()`);
  await page.key("Enter");
  await page.until(`document.querySelector(".popover select")`);
  await page.evaluate(`(() => { const s = document.querySelector(".popover [name=leader]"); s.value = s.value === "1" ? "0" : "1"; return s.value; })()`);
  const wanted = await page.evaluate(`document.querySelector(".popover [name=leader]").value`);
  await page.key("Enter");
  await page.until(`!document.querySelector(".popover")`);
  await page.until(`(${STATES})[2].includes("leader=${wanted}")`);
  expect((await page.evaluate(`document.querySelector(".log").textContent`)).includes("fault"), "the fault is not in the log");
});

await part("the address holds what is shown", async () => {
  const [states, step, hash] = [await page.evaluate(STATES), await page.evaluate(STEP), await page.evaluate("location.hash")];
  await open(hash);
  await page.until(`${STEP} === ${step}`);
  same(await page.evaluate(STATES), states, "after a reload");
});

await part("it heals, and the diagram shows it", async () => {
  await page.key("s");
  await page.until(`document.querySelector(".verdict .good")`, 60);
  await pause(300);
  await picture("healed");
});

await part("what is known here, and the configuration graph", async () => {
  await open("#run?algorithm=fischer-jiang-ring&size=4&seed=2");
  await page.until(`document.querySelector(".facts").textContent.includes("steps expected")`, 60);
  await page.until(`!document.querySelector(".map").hidden`, 30);
  const before = await page.evaluate(STEP);
  await page.key("w");
  await page.until(`${STEP} === ${before + 1}`);
  await page.evaluate(`document.querySelector(".map").scrollIntoView()`);
  await pause(400);
  await picture("known");
});

await part("a counterexample is played to its closing", async () => {
  await open("#run?algorithm=fich-johnen&size=4&seed=1");
  await page.key("k");
  await page.until(`document.querySelector("#play-run")`, 90);
  await picture("check");
  await page.click("#play-run");
  await page.until(`document.querySelector("#closed")`, 90);
  const closing = await page.evaluate(STATES), step = await page.evaluate(STEP);
  await page.click("#play");
  const lap = Number((await page.evaluate(`document.querySelector("#lap").textContent`)).match(/of (\d+)/)[1]);
  await page.evaluate(`document.querySelector("#scrub").max = 1000, document.querySelector("#scrub").value = ${step + lap}, document.querySelector("#scrub").dispatchEvent(new Event("input"))`);
  await page.until(`${STEP} === ${step + lap}`);
  same(await page.evaluate(STATES), closing, "a lap later");
  await picture("counterexample");
});

await part("a check is cancelled", async () => {
  await open("#run?algorithm=yokota-ring&size=3&seed=1");
  await page.click(".check button.primary");
  await pause(150);
  await page.click(".check button.primary");
  await page.until(`/cancelled|holds/.test(document.querySelector(".check").textContent)`, 60);
});

await part("a text protocol with an error, and without it", async () => {
  await page.evaluate(`(() => { const s = document.querySelector("#algorithm"); s.value = "own text"; s.dispatchEvent(new Event("change")); })()`);
  await page.until(`!document.querySelector(".editor").closest(".panel").hidden && document.querySelector(".editor textarea").value.includes("protocol")`);
  const put = (from, to) => page.evaluate(`(() => { const area = document.querySelector(".editor textarea"); area.value = area.value.replace(${JSON.stringify(from)}, ${JSON.stringify(to)}); area.dispatchEvent(new Event("input")); })()`);
  await put("when leader", "when ledaer");
  await page.until(`document.querySelector(".complaints li:not(.doubt)")`);
  expect((await page.evaluate(`document.querySelector(".under .wrong").textContent`)) === "ledaer", "the wrong word is not marked");
  await picture("mistake");
  await put("when ledaer", "when leader");
  await page.until(`!document.querySelector(".complaints li:not(.doubt)")`);
  await put("size 6", "size 7");
  await page.until(`document.querySelectorAll(".scene .agent").length === 7`);
  await page.key("Escape");
});

await part("messages, one of them delivered by hand", async () => {
  await open("#run?algorithm=franklin&size=5&seed=2");
  for (let step = 1; step <= 4; step++) await key("ArrowRight", step);
  const chosen = await page.until(`document.querySelector(".pill.ready")?.getAttribute("aria-label")`);
  await page.evaluate(`document.querySelector(".pill.ready").focus()`);
  await page.key("Enter");
  await page.until(`${STEP} === 5`);
  const said = await page.until(`document.querySelector(".log .now")?.textContent`);
  expect(said.includes("takes"), `${chosen}: ${said}`);
  await picture("messages");
});

await part("growth is measured", async () => {
  await open("#measure");
  await page.evaluate(`(() => { const [sizes] = document.querySelectorAll(".measure input"); sizes.value = "4, 8, 16"; })()`);
  await page.click("#measure");
  await page.until(`document.querySelectorAll(".figures tbody tr").length === 3 && document.querySelector("#measure").textContent === "Measure"`, 90);
  expect(await page.evaluate(`document.querySelectorAll(".plot polyline").length === 1 && !document.querySelector(".plot").innerHTML.includes("NaN")`), "the plot is not drawn");
  await picture("measure");
});

await part("a cluster's leader is killed, and another is seen", async () => {
  await open("#cluster");
  const leads = `Number(document.querySelector(".cluster .verdict .good")?.textContent.match(/(\\d+) leads/)?.[1] ?? -1)`;
  await page.until(`${leads} >= 0`, 60);
  const first = await page.evaluate(leads);
  await page.key(String(first));
  await page.key("k");
  await page.until(`${leads} >= 0 && ${leads} !== ${first}`, 60);
  await page.key("r");
  await pause(1500);
  expect(await page.evaluate(`document.querySelectorAll(".cluster .follows").length === 5`), "not all nodes are drawn");
  await picture("cluster");
});

await part("every tour can be walked to its end", async () => {
  await open("#tours");
  await picture("tours");
  const tours = await page.evaluate(`document.querySelectorAll(".card").length`);
  expect(tours === 6, `${tours} tours`);
  for (let tour = 0; tour < tours; tour++) {
    await page.click(`nav [data-view="tours"]`);
    await page.evaluate(`document.querySelectorAll(".card")[${tour}].click()`);
    for (let stop = 1; ; stop++) {
      await page.until(`document.querySelector(".guide small")?.textContent.startsWith("${stop} of")`);
      await pause(500);
      if (await page.evaluate(`Boolean(document.querySelector(".guide .primary"))`)) {
        await page.evaluate(`document.querySelector(".guide .primary").click()`);
        await page.until(`!document.querySelector(".guide .primary:disabled")`, 90);
      }
      expect(!(await page.evaluate(`document.querySelector("#notice.bad:not([hidden])")?.textContent`)), `tour ${tour}, stop ${stop}: ${await page.evaluate(`document.querySelector("#notice").textContent`)}`);
      if (tour === 0 && stop === 3) await picture("tour");
      const last = await page.evaluate(`(() => { const next = [...document.querySelectorAll(".guide .row button")].at(-1); const last = next.textContent === "Done"; next.click(); return last; })()`);
      if (last) break;
    }
  }
});

await part("a thousand agents are played", async () => {
  await open("#run?algorithm=yokota-ring&size=1000&seed=1");
  const times = await page.evaluate(`new Promise((done) => { document.querySelector("#play").click(); const times = []; let then = performance.now(); const tick = (now) => { times.push(now - then); then = now; if (times.length < 150) requestAnimationFrame(tick); else done(times); }; requestAnimationFrame(tick); })`);
  await page.click("#play");
  const slow = times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
  console.log(`  95 % of frames within ${slow.toFixed(1)} ms`);
  // How busy the machine is decides more than the page: only what cannot be used is wrong.
  expect(slow < 1500, `frames take ${slow} ms`);
  await picture("thousand");
});

await part("a million steps, and any of them at once", async () => {
  await open("#run?algorithm=yokota-ring&size=16&seed=1");
  const jump = (step) => page.evaluate(`new Promise((done) => { const scrub = document.querySelector("#scrub"), then = performance.now(); scrub.max = 1000000; scrub.value = ${step}; scrub.dispatchEvent(new Event("input")); const look = () => (${STEP}) === ${step} ? done(performance.now() - then) : setTimeout(look, 2); look(); })`);
  console.log(`  the first time: ${(await jump(1000000) / 1000).toFixed(1)} s`);
  const times = [];
  for (const step of [500001, 3, 999999, 250077, 777777, 1024, 640001]) times.push(await jump(step));
  const most = Math.max(...times);
  console.log(`  jumps take at most ${most.toFixed(0)} ms`);
  expect(most < 3000, `a jump takes ${most} ms`);
});

await part("light and dark, and a narrow screen", async () => {
  await page.scheme("dark");
  await open("#run?algorithm=yokota-ring&size=8&seed=3&step=60");
  await page.until(`${STEP} === 60`);
  await pause(400);
  await picture("dark");
  await page.scheme("light");
  await page.size(390, 780);
  await open("#run?algorithm=fischer-jiang-ring&size=5&seed=3&step=9");
  await page.until(`${STEP} === 9`);
  await pause(400);
  expect(await page.evaluate(`document.documentElement.scrollWidth <= innerWidth`), "at 390 px the page is wider than the screen");
  for (const control of ["#play", "#forth", "#share", ".check button"]) expect(await page.evaluate(`(() => { const b = document.querySelector(${JSON.stringify(control)}).getBoundingClientRect(); return b.width > 20 && b.right <= innerWidth; })()`), `at 390 px ${control} is out of reach`);
  await picture("narrow");
  await page.size(1280, 860);
});

await part("a recorded page needs no lab", async () => {
  const file = resolve(directory, "recorded.html");
  execFileSync(program, ["draw", "yokota-ring", "--size", "8", "--seed", "3", "--html", file]);
  await open("#run?algorithm=yokota-ring&size=8&seed=3&step=40");
  await page.until(`${STEP} === 40`);
  const states = await page.evaluate(STATES.replace("aria-label", "data-none"));
  const words = `[...document.querySelectorAll(".scene .label")].map((label) => label.textContent)`;
  const lab = await page.evaluate(words);
  await page.open(`file://${file}`);
  await page.until(READY);
  for (let step = 1; step <= 5; step++) await key("ArrowRight", step);
  await page.evaluate(`document.querySelector("#scrub").value = 40, document.querySelector("#scrub").dispatchEvent(new Event("input"))`);
  await page.until(`${STEP} === 40`);
  same(await page.evaluate(words), lab, "the recorded run at step 40");
  expect(states.length === lab.length, "agents are missing");
  await picture("recorded");
});

if (axe) {
  await part("accessibility: no serious finding", async () => {
    for (const hash of ["#run?algorithm=fischer-jiang-ring&size=5&seed=3", "#measure", "#cluster", "#tours"]) {
      await open(hash);
      await pause(300);
      await page.evaluate(readFileSync(axe, "utf8"));
      const found = await page.evaluate(`axe.run().then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join("; ")))`);
      expect(!found.length, `${hash}: ${found.join(" | ")}`);
    }
  });
}

expect(!page.complaints.length, `the console says: ${page.complaints.slice(0, 5).join(" | ")}`);
await browser.close();
child.kill("SIGINT");
console.log(wrong.length ? `lab: ${wrong.length} WRONG` : "lab: all well");
process.exit(wrong.length ? 1 : 0);
