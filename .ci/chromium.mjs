// Drives a headless Chromium over its debugging pipe: no package is needed, only Node and Chromium.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function chromium({ width = 1280, height = 860 } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "lab-chromium-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe", `--user-data-dir=${profile}`, `--window-size=${width},${height}`, "about:blank"];
  const child = spawn("chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [out, back] = [child.stdio[3], child.stdio[4]];
  const waiting = new Map(), listeners = [];
  let number = 0, buffer = "";
  back.setEncoding("utf8");
  back.on("data", (data) => {
    buffer += data;
    for (let end; (end = buffer.indexOf("\0")) >= 0; buffer = buffer.slice(end + 1)) {
      const message = JSON.parse(buffer.slice(0, end));
      if (message.id) {
        const { resolve, reject } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
      } else for (const listener of listeners) listener(message);
    }
  });
  const send = (method, params = {}, sessionId) => new Promise((resolve, reject) => {
    number += 1;
    waiting.set(number, { resolve, reject });
    out.write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
  });
  const close = async () => {
    await send("Browser.close").catch(() => {});
    await new Promise((resume) => { child.on("exit", resume); setTimeout(() => { child.kill("SIGKILL"); resume(); }, 5000).unref(); });
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { send, listeners, close, page: (address) => page(send, listeners, address, { width, height }) };
}

async function page(send, listeners, address, size) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const tell = (method, params) => send(method, params, sessionId);
  const complaints = [];
  // The bytes of the page's files. Answers of the engine do not count: how many there are depends on the time.
  let loaded = 0;
  const answers = new Set();
  // The answers that the page waits for, and when it asked or heard last.
  const asked = new Set();
  let heard = 0;
  listeners.push((message) => {
    if (message.sessionId !== sessionId) return;
    const { method, params } = message;
    if (method === "Runtime.exceptionThrown") complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && (params.type === "error" || params.type === "warning")) complaints.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
    if (method === "Log.entryAdded" && params.entry.level === "error") complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    if (method === "Network.requestWillBeSent" && params.request.url.includes("/api/")) { answers.add(params.requestId); asked.add(params.requestId); heard = Date.now(); }
    if (["Network.loadingFinished", "Network.loadingFailed"].includes(method) && asked.delete(params.requestId)) heard = Date.now();
    // Another page does not wait for them.
    if (method === "Runtime.executionContextsCleared") asked.clear();
    if (method === "Network.dataReceived" && !answers.has(params.requestId)) loaded += params.dataLength;
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await tell(`${domain}.enable`);
  await tell("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 1, mobile: false });
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  };
  const until = async (expression, seconds = 20) => {
    for (const end = Date.now() + seconds * 1000; ;) {
      // While a page is on its way there is nothing to ask.
      const value = await evaluate(expression).catch(() => null);
      if (value) return value;
      if (Date.now() > end) throw new Error(`in vain waited for ${expression}`);
      await new Promise((resume) => setTimeout(resume, 20));
    }
  };
  // Until the page has asked nothing for a while.
  const quiet = async (milliseconds = 200, seconds = 20) => {
    for (const end = Date.now() + seconds * 1000; asked.size || Date.now() < heard + milliseconds;) {
      if (Date.now() > end) throw new Error(`the page does not cease to ask: ${asked.size} answers are missing`);
      await new Promise((resume) => setTimeout(resume, 20));
    }
  };
  // The middle of an element, or of a curve.
  const place = (selector) => until(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null; e.scrollIntoView({block: "nearest"}); if (e.getPointAtLength) { const m = e.getPointAtLength(e.getTotalLength() / 2).matrixTransform(e.getScreenCTM()); return [m.x, m.y]; } const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`);
  // Nobody clicks on what still moves.
  const centre = async (selector) => {
    for (let last = ""; ;) {
      const found = await place(selector);
      if (String(found) === last) return found;
      last = String(found);
      await new Promise((resume) => setTimeout(resume, 120));
    }
  };
  const mouse = async (type, x, y) => tell("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
  const at = async (x, y) => { await mouse("mouseMoved", x, y); await mouse("mousePressed", x, y); await mouse("mouseReleased", x, y); };
  const KEYS = { " ": ["Space", 32], ArrowRight: ["ArrowRight", 39], ArrowLeft: ["ArrowLeft", 37], Home: ["Home", 36], End: ["End", 35], Enter: ["Enter", 13], Escape: ["Escape", 27], Tab: ["Tab", 9], PageUp: ["PageUp", 33], PageDown: ["PageDown", 34] };
  const key = async (name) => {
    const [code, windowsVirtualKeyCode] = KEYS[name] ?? [`Key${name.toUpperCase()}`, name.toUpperCase().charCodeAt(0)];
    const text = name.length === 1 ? name : name === "Enter" ? "\r" : undefined;
    await tell("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key: name, code, windowsVirtualKeyCode, text });
    await tell("Input.dispatchKeyEvent", { type: "keyUp", key: name, code, windowsVirtualKeyCode });
  };
  const open = async (where) => { await tell("Page.navigate", { url: where }); };
  await open(address);
  return {
    tell, evaluate, until, quiet, complaints, key, open, at,
    loaded: () => loaded,
    // A page that another one hides draws nothing, and its clocks are slow.
    close: async () => send("Target.closeTarget", { targetId }),
    front: async () => tell("Page.bringToFront"),
    click: async (selector) => at(...(await centre(selector))),
    hover: async (selector) => mouse("mouseMoved", ...(await centre(selector))),
    type: (text) => tell("Input.insertText", { text }),
    size: async (width, height) => { await tell("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false }); await until(`innerWidth === ${width} && innerHeight === ${height}`); },
    scheme: async (value) => { await tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] }); await until(`matchMedia("(prefers-color-scheme: ${value})").matches`); },
    picture: async (file) => writeFileSync(file, Buffer.from((await tell("Page.captureScreenshot", { format: "png" })).data, "base64")),
  };
}
