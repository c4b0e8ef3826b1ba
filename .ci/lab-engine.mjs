// The lab without a server: its engine gives the answers of the server, and the exported folder works in a real browser.
//
//   node .ci/lab-engine.mjs PROGRAM ENGINE DIRECTORY
//
// ENGINE is the file that scripts/build-lab-engine wrote. Leaves the exported folder and screenshots in the directory. ONLY=words runs the parts whose names have
// these words.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "./chromium.mjs";
import { STEP, end, expect, lab, part, pause, viewer } from "./trial.mjs";

const [program, engine, directory] = process.argv.slice(2);
const folder = join(directory, "exported");
mkdirSync(directory, { recursive: true });

const OWN = `protocol own-duel
model population on complete
state leader : bit
show leader when leader
goal one leader
first:
  1: l.leader and r.leader -> r.leader := 0
`;
writeFileSync(join(directory, "tour.md"), "# A tour of its own\nAbout nothing.\n\n## The only stop (1 min)\nLook.\n\n[open](#run?algorithm=dijkstra-k-state&size=5&seed=1)\n[Run](until-safe)\n");
// Refused in one line, without an engine.
await part("a program without an engine says how to get one", async () => {
  let said = "";
  try { execFileSync(program, ["lab", "--export", join(directory, "none")], { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, NO_COLOR: "1" } }); } catch (error) { said = String(error.stderr); }
  expect(said.trim().split("\n").length === 1 && said.includes("scripts/build-lab-engine"), `without an engine it says ${said}`);
});
execFileSync(program, ["lab", "--export", folder, "--engine", engine], { stdio: "inherit" });
execFileSync(program, ["lab", "--export", join(folder, "lecture"), "--engine", engine, "--tour", join(directory, "tour.md")], { stdio: "inherit" });

/** The page's own worker, in this process. */
function worker(opening) {
  const sent = [], module = new WebAssembly.Module(readFileSync(join(folder, "engine.wasm")));
  let listener;
  new Function("postMessage", "addEventListener", readFileSync(join(folder, "worker.js"), "utf8"))((message) => sent.push(message), (_, hears) => { listener = hears; });
  const post = (data) => {
    sent.length = 0;
    listener({ data });
    const failed = sent.find((message) => message.failed);
    if (failed) throw new Error(failed.failed);
    return sent.find((message) => message.told)?.told;
  };
  post({ module, opening: JSON.stringify(opening) });
  return (verb, body, more = {}) => post({ id: 1, verb, body: JSON.stringify(body), ...more });
}

/** An answer without seconds and memory. */
const timeless = (told) => told.replace(/"seconds":[\d.e-]+/g, `"seconds":0`).replace(/(?<![\d.])\d+(\.\d+)? (ns|µs|ms|s|min|[KMG]i?B)\b/g, "?");

await part("server and worker give the same answers, for every algorithm", async () => {
  const memory = 64 << 20;
  const { child, address } = await lab(program, "--port", "0", "--memory", String(memory / 2 ** 30));
  try {
    const server = async (verb, body) => (await fetch(`${address}api/${verb}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).text();
    const local = worker({ memory });
    const finished = async (verb, body) => {
      const begun = await server(verb, body);
      if (JSON.parse(begun).job === undefined) return begun;
      for (let wait = 2; ; wait = Math.min(wait * 1.5, 200)) { const told = await server("job", JSON.parse(begun)); if (!("progress" in JSON.parse(told))) return told; await pause(wait); }
    };
    const settled = async (verb, body) => { for (;;) { const told = await server(verb, body); if (!told.includes(`"state":"soon"`)) return told; await pause(3); } };
    let compared = 0, bytes = 0;
    const compare = (verb, body, there, here) => {
      compared += 1;
      bytes += there.length;
      const [a, b] = [timeless(there), timeless(here)];
      if (a === b) return;
      const at = [...a].findIndex((c, i) => c !== b[i]);
      expect(false, `${verb} ${JSON.stringify(body).slice(0, 300)}: ${a.slice(Math.max(0, at - 60), at + 60)} | ${b.slice(Math.max(0, at - 60), at + 60)}`);
    };
    const both = async (verb, body) => { const there = await server(verb, body); compare(verb, body, there, local(verb, body)); return JSON.parse(there); };
    const job = async (verb, body) => { const there = await finished(verb, body); compare(verb, body, there, local(verb, body, { job: true })); return JSON.parse(there); };
    const soon = async (verb, body) => { const there = await settled(verb, body); local(verb, body, { stay: true }); compare(verb, body, there, local(verb, body)); };
    const { cards } = JSON.parse(await server("cards", {}));
    compare("cards", {}, await server("cards", {}), local("cards", {}).replace(`"cluster":false`, `"cluster":true`));
    const setups = cards.filter((card) => card.runnable).flatMap(({ name }) => [2, 3, 4].map((size) => ({ algorithm: name, size, seed: 7 }))).concat({ algorithm: "tree-leader", graph: "binary-tree", size: 7, seed: 7 }, { algorithm: "hsu-huang", graph: "grid", size: 6, seed: 7 }, { algorithm: "huang-chen", graph: "random-tree:5", size: 5, seed: 7 }, { algorithm: "arora-gouda", graph: "grid:5x5", seed: 7 }, { text: OWN, size: 4, seed: 7 }, { text: "protocol", size: 3, seed: 1 });
    for (const setup of setups) {
      const opened = await both("open", { setup });
      if (opened.refused !== undefined) continue;
      await both("frames", { story: { setup }, from: 0, to: 60, every: 1, watch: opened.kind === "message" ? [] : ["n > 0", "n - 1"] });
      await both("frames", { story: { setup, acts: [{ at: 5, corrupt: [0, 1] }] }, from: 3000, to: 3010, every: 2 });
      if (opened.kind !== "message") { await soon("choices", { story: { setup }, step: 7 }); await soon("graph", { setup }); }
      const { done } = await job("check", { setup, memory: 16 });
      if (done?.run?.story) await both("verify", { story: done.run.story });
      if (setup.size === 3) await job("record", { story: { setup }, step: 20 });
    }
    await both("lint", { text: OWN.replace("r.leader :=", "r.ledaer :=") });
    await both("lint", { text: OWN });
    // The limits of sizes do not fit into the 32 bits of the browser.
    await both("open", { setup: { text: OWN, size: 300, seed: 7 } });
    await both("expression", { setup: { algorithm: "yokota-ring", size: 4 }, text: "one i : ledaer[i]" });
    await job("check", { setup: { algorithm: "fischer-jiang-ring", size: 3, seed: 1 }, scheduler: "random", claims: [{ eventually: "one i : leader[i]" }, { closed: "one i : leader[i]" }] });
    await job("check", { setup: { algorithm: "herman", size: 5, seed: 1 }, within: 20, quantile: 0.99 });
    await job("check", { setup: { algorithm: "herman", size: 3, seed: 1 }, scheduler: "unfair", coins: "fair" });
    await job("check", { setup: { algorithm: "dijkstra-k-state", size: 4, seed: 1 }, scheduler: "distributed", rounds: true, moves: true });
    await job("check", { setup: { algorithm: "fischer-jiang-complete", size: 5, seed: 1 }, start: "leader=1: 3, leader=0: 2" });
    await job("check", { setup: { algorithm: "yokota-ring", size: 12, seed: 1 } });
    await job("measure", { curves: ["yokota-ring", "fischer-jiang-ring"].map((algorithm) => ({ algorithm, seed: 3 })), sizes: [4, 6, 8], runs: 20 });
    await both("no-such-verb", {});
    console.log(`  ${compared} answers, ${bytes} bytes`);
    expect(compared > 200, `only ${compared} answers were compared`);
  } finally { child.kill(); }
});

// A plain file server with the strict policy, in a subfolder; it can be cut off.
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".md": "text/markdown", ".json": "application/json", ".wasm": "application/wasm" };
const asked = [];
let reachable = true;
const server = createServer((request, response) => {
  if (!reachable) { request.socket.destroy(); return; }
  const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)), name = path.replace(/^\/some\/folder\//, "");
  asked.push([request.method, path]);
  try {
    if (request.method !== "GET" || name === path) throw new Error("no such file");
    const whole = name === "" || name.endsWith("/") ? `${name}index.html` : name, file = readFileSync(join(folder, whole));
    response.writeHead(200, { "Content-Type": TYPES[extname(whole)] ?? "application/octet-stream", "Content-Security-Policy": POLICY }).end(file);
  } catch { response.writeHead(404).end(); }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const address = `http://127.0.0.1:${server.address().port}/some/folder/`;
const browser = await chromium();
const page = await browser.page("about:blank");
const { open: opened, picture, agents, at, choose, key } = viewer(page, address, directory);
const open = (hash) => opened(hash, 60);
const link = (setup) => `#run?${new URLSearchParams(setup)}`;

await part("the folder opens, and its first screen is checked", async () => {
  const begun = Date.now();
  await open("#run?algorithm=dijkstra-k-state&size=4&seed=1");
  await key("ArrowRight", 1);
  const seconds = (Date.now() - begun) / 1000, files = readdirSync(folder, { recursive: true }).filter((name) => !name.startsWith("lecture")).map((name) => join(folder, name)).filter((name) => statSync(name).isFile());
  console.log(`  first step after ${seconds.toFixed(2)} s; engine ${statSync(join(folder, "engine.wasm")).size} bytes, all files ${files.reduce((sum, name) => sum + statSync(name).size, 0)} bytes`);
  await open("");
  await page.until(`document.querySelector(".outcome b")`, 60);
  await page.until(`!document.querySelector(".map").hidden`, 60);
  await picture("first");
});

await part("a run, its facts and its map", async () => {
  await open("#run?algorithm=fischer-jiang-ring&size=4&seed=2");
  await page.until(`document.querySelector(".facts").textContent.includes("steps expected")`, 60);
  await page.until(`!document.querySelector(".map").hidden`, 30);
  await key("w", 1);
  await page.key("s");
  await page.until(`document.querySelector(".verdict .good")`, 60);
  await picture("known");
});

await part("a check, its counterexample, and the link to it", async () => {
  await open("#run?algorithm=fich-johnen&size=4&seed=1");
  await page.key("k");
  await page.until(`document.querySelector("#play-run")`, 120);
  await page.click("#play-run");
  await page.until(`${STEP} > 3`, 60);
  const hash = await page.evaluate("location.hash");
  expect(hash.includes("script="), "the link has no counterexample");
  await open(hash);
  await page.until(`document.querySelector("#banner")?.textContent.includes("It repeats every")`, 60);
  await picture("counterexample");
});

await part("messages, their check and a saved page", async () => {
  await open(link({ algorithm: "franklin-no-bit", size: 3, seed: 5, channels: "bag", ".ids": 3 }));
  await page.key("k");
  await page.until(`document.querySelector("#play-run")`, 120);
  await picture("messages");
});

await part("a long check tells its progress and is cancelled, and the page answers meanwhile", async () => {
  await open("#run?algorithm=yokota-ring&size=4&seed=1");
  await page.key("k");
  await page.until(`/: [\\d,]+ of/.test(document.querySelector(".check .bar")?.parentElement.textContent ?? "")`, 60);
  const before = await page.evaluate(STEP);
  await page.key("ArrowRight");
  await at(before + 1, 30);
  await page.key("k");
  await page.until(`document.querySelector(".check").textContent.includes("cancelled")`, 30);
});

await part("an own text with an error, and without one", async () => {
  await open(link({ text: OWN.replace("r.leader :=", "r.ledaer :="), size: 4, seed: 1 }));
  await page.until(`document.body.textContent.includes("ledaer")`, 30);
  await open(link({ text: OWN, size: 4, seed: 1 }));
  await page.key("k");
  await page.until(`document.querySelector(".outcome b")`, 60);
  await picture("own-text");
});

await part("an exercise: a link with a text and a claim that becomes green", async () => {
  // Agents that all follow have no leader, and none arises.
  await open(link({ text: OWN, size: 3, seed: 1, claims: "closed one i : leader[i]\neventually one i : leader[i]" }));
  await page.key("k");
  await page.until(`document.querySelectorAll(".claimed li").length === 2`, 60);
  expect(await page.evaluate(`[...document.querySelectorAll(".claimed li")].map((claim) => claim.className).join()`) === "good,bad", "the claims of the first text");
  await open(link({ text: OWN.replace("r.leader := 0", "r.leader := 0\n  2: not l.leader and not r.leader -> l.leader := 1"), size: 3, seed: 1, claims: "eventually one i : leader[i]" }));
  await page.key("k");
  await page.until(`document.querySelector(".claimed li.good")`, 60);
  await picture("exercise");
});

await part("tours, one of the exporter's own, and no cluster", async () => {
  await open("lecture/");
  await page.until(`document.querySelector(".guide:not([hidden])")?.textContent.includes("The only stop")`, 60);
  // A link counts more than the tour.
  await open("lecture/#run?algorithm=herman&size=5&seed=2");
  await page.until(`document.querySelectorAll(".scene .agent").length === 5 && document.querySelector(".guide").hidden`);
  await open("#tours");
  await page.until(`document.querySelectorAll(".tours button, .tours a").length >= 9`, 30);
  await open("#cluster");
  await page.until(`document.querySelector(".cluster").textContent.includes("no server")`);
  await picture("no-cluster");
});

await part("offline: nothing was asked of anybody else, and nothing but files", async () => {
  expect(asked.every(([method, path]) => method === "GET" && path.startsWith("/some/folder/")), `it asked for ${JSON.stringify(asked.filter(([method, path]) => method !== "GET" || !path.startsWith("/some/folder/")))}`);
  expect(!page.complaints.length, `the console says: ${page.complaints.join("; ")}`);
});

await part("without its server the page goes on: checks, one after the other, and tours", async () => {
  await open("#run?algorithm=dijkstra-k-state&size=5&seed=1");
  await pause(500);
  reachable = false;
  for (const size of [6, 5]) {
    await choose("#size", size);
    await agents(size);
    await page.key("k");
    await page.until(`document.querySelector(".outcome b")?.textContent.startsWith("Holds")`, 60);
  }
  await page.click(`nav [data-view="tours"]`);
  await page.until(`document.querySelectorAll(".tours button, .tours a").length >= 9`);
});

await browser.close();
server.close();
end("lab-engine");
