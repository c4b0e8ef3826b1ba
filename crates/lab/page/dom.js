// Small helpers to make elements, and the one tooltip of the page.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element: h("button", {class: "primary", onclick}, "Play"). */
export const h = (name, properties, ...children) => fill(document.createElement(name), properties, children);

/** The same in a picture. */
export const svg = (name, properties, ...children) => fill(document.createElementNS(SVG, name), properties, children);

/** A number for people: 12,345 or 3.46. */
export function number(value, digits = 1) {
  if (value === null || value === undefined) return "?";
  const rounded = Math.abs(value) >= 1000 || Number.isInteger(value) ? Math.round(value) : Number(value.toFixed(digits));
  return rounded.toLocaleString("en-GB");
}

/** Words with the thousands of their whole numbers set apart. */
export const grouped = (words) => words.replaceAll(/(?<![.\d])\d{5,}/g, (digits) => BigInt(digits).toLocaleString("en-GB"));

/** The present value of a colour in CSS. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Shows a text beside the pointer, or beside an element that has the focus, while it is there. After a click it is shown only if `stays()`, for a finger. */
export function tip(element, text, stays = () => false) {
  const box = document.getElementById("tip");
  if (!box) return;
  const show = (x, y) => {
    const words = typeof text === "function" ? text() : text;
    box.hidden = !words;
    if (!words) return;
    box.textContent = words;
    const { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(6, Math.min(x + 14, innerWidth - width - 6))}px`;
    box.style.top = `${y + 18 + height > innerHeight ? y - height - 10 : y + 18}px`;
  };
  const hide = () => { box.hidden = true; };
  element.addEventListener("pointermove", (event) => show(event.clientX, event.clientY));
  element.addEventListener("pointerleave", hide);
  element.addEventListener("click", (event) => {
    if (!stays()) return hide();
    // The button loses the focus after a click; the words stay until the next one.
    setTimeout(() => { show(event.clientX, event.clientY); addEventListener("pointerdown", hide, { once: true }); });
  });
  element.addEventListener("focus", () => {
    if (!element.matches(":focus-visible")) return;
    const { right, top } = element.getBoundingClientRect();
    show(right, top);
  });
  element.addEventListener("blur", hide);
}

/** Makes an element a button: by click, Enter or Space. One of a picture has a `name`; another one has words. */
export function button(element, name, act) {
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "button");
  if (name) element.setAttribute("aria-label", name);
  element.addEventListener("click", act);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act(event);
  });
}

/** What is drawn on in a canvas, empty, in units of CSS; null while the canvas is hidden. */
export function sheet(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas, dense = devicePixelRatio || 1;
  if (!width || !height) return null;
  const [wide, high] = [Math.round(width * dense), Math.round(height * dense)], context = canvas.getContext("2d");
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  context.reset();
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.font = "11px system-ui, sans-serif";
  return { context, width, height };
}

/** A button clicked with the mouse loses the focus: the space bar plays and pauses, it does not press the button again. */
export function let_go() {
  addEventListener("click", ({ detail, target }) => { if (detail > 0) target.closest?.("button, [role=button]")?.blur(); });
}

/** Gives a file to the reader. */
export function download(name, content, type) {
  const link = h("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A value that this browser remembers; without storage, nothing is remembered. */
export const remembered = {
  get(name, otherwise = null) { try { return JSON.parse(localStorage.getItem(`lab.${name}`)) ?? otherwise; } catch { return otherwise; } },
  set(name, value) { try { if (value === null) localStorage.removeItem(`lab.${name}`); else localStorage.setItem(`lab.${name}`, JSON.stringify(value)); } catch { /* A browser without storage. */ } },
};

/** Makes the heading of a panel fold its content; the browser remembers which panels are folded. */
export function folds(panel, name) {
  const heading = panel.querySelector("h2");
  heading.classList.add("folds");
  const show = (folded) => { panel.classList.toggle("folded", folded); heading.setAttribute("aria-expanded", String(!folded)); };
  const toggle = () => { const folded = !panel.classList.contains("folded"); show(folded); remembered.set(`folded.${name}`, folded || null); };
  button(heading, null, toggle);
  show(Boolean(remembered.get(`folded.${name}`)));
  return panel;
}

/** Light or dark, and the size for a projector: two buttons, both remembered. `changed()` is called after a change. */
export function looks(changed) {
  const root = document.documentElement, theme = document.getElementById("theme"), large = document.getElementById("large");
  const apply = () => {
    const chosen = remembered.get("theme"), big = Boolean(remembered.get("large"));
    if (chosen) root.dataset.theme = chosen; else delete root.dataset.theme;
    root.toggleAttribute("data-large", big);
    large.setAttribute("aria-pressed", String(big));
  };
  // Three columns; two for a projector and on a low screen, as that of a phone held sideways; or one. The height above them is known to the style.
  const lay = () => {
    root.dataset.layout = innerWidth > 1080 ? (root.hasAttribute("data-large") ? "two" : "three") : innerWidth > 700 && innerHeight <= 800 ? "two" : "one";
    root.style.setProperty("--above", `${document.getElementById("main").offsetTop}px`);
  };
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    remembered.set("theme", dark ? "light" : "dark");
    root.dataset.theme = dark ? "light" : "dark";
    changed();
  });
  large.addEventListener("click", () => {
    const big = root.toggleAttribute("data-large");
    remembered.set("large", big || null);
    large.setAttribute("aria-pressed", String(big));
    lay();
    changed();
  });
  apply();
  lay();
  addEventListener("resize", lay);
  const above = new ResizeObserver(lay);
  for (const id of ["setup", "notice"]) above.observe(document.getElementById(id));
}
