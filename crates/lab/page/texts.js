// The viewer's own texts: kept in this browser per document, with their earlier versions.

import { remembered } from "./dom.js";

/** The most versions of a document that are kept. */
const MOST = 60;
/** Versions that follow each other within this time, in ms, are one. */
const NEAR = 8000;

/** The name of a text: the one that its first line gives it. */
export const name_of = (text) => text.match(/^\s*protocol\s+([\w-]+)/m)?.[1] ?? "unnamed";

const key = (name) => `text.${name}`;

/** The versions of a document, the newest last: their text and the time at which they were kept. */
export const versions = (name) => remembered.get(key(name), []);

/** The names of all documents, the one that was kept last first. */
export function documents() {
  return remembered.get("texts", []);
}

/** Keeps a text. A version is replaced only by one that was typed right after it; `typing` says that this one was. */
export function keep(text, { typing = false, now = Date.now() } = {}) {
  const name = name_of(text), kept = versions(name), last = kept.at(-1);
  if (last?.text === text) {
    if (!typing && last.typing) remembered.set(key(name), [...kept.slice(0, -1), { text, at: last.at }]);
    return;
  }
  const same = typing && last?.typing && now - last.at < NEAR && kept.length > 1 && now - kept.at(-2).at < 10 * NEAR;
  const all = [...(same ? kept.slice(0, -1) : kept), typing ? { text, at: now, typing } : { text, at: now }];
  remembered.set(key(name), all.slice(-MOST));
  remembered.set("texts", [name, ...documents().filter((other) => other !== name)]);
}

const KEYWORDS = ["protocol", "summary", "claim", "cite", "citation", "identities", "identity", "messages", "channels", "fifo", "bag", "send", "onward", "skip", "step", "invariant", "unidirectional-ring", "model", "population", "ring", "line", "message", "on", "complete", "graph", "directed", "undirected", "size", "require", "supports", "parameter", "state", "given", "when", "show",
  "shade", "goal", "one", "leader", "token", "safe", "first", "any", "all", "always", "eventually", "closed", "recurring", "response", "leads", "to", "oracle", "start", "scheduler", "reads", "both", "bit", "and", "or", "not", "mod", "some", "if", "then", "else", "bottom", "top", "enabled", "left", "right", "i", "l", "r", "n"];
const WORDS = new Set(KEYWORDS);
const TOKENS = /(?<comment>#.*)|(?<string>"[^"\n]*"?)|(?<number>\b\d+\b)|(?<word>[A-Za-z_][\w-]*)|(?<sign>->|:=|[<>=!]=?|[-+*:])/g;

/** The coloured parts of a text: from, to, kind. */
export function tokens(text) {
  const found = [];
  for (const match of text.matchAll(TOKENS)) {
    const { comment, string, number, word, sign } = match.groups;
    const kind = comment ? "comment" : string ? "string" : number ? "number" : sign ? "sign" : word && WORDS.has(word) ? "keyword" : null;
    if (kind) found.push({ from: match.index, to: match.index + match[0].length, kind });
  }
  return found;
}

/** The names that may follow at a place of a text: those that it declares, and the words of the language. */
export function completions(text, at) {
  const typed = text.slice(0, at).match(/[A-Za-z_][\w-]*$/)?.[0] ?? "";
  if (typed.length < 2 || /[\w-]/.test(text[at] ?? "")) return { typed, names: [] };
  const declared = [...text.matchAll(/^\s*(?:state|parameter)\s+([\w, ]+?)\s*:/gm)].flatMap((match) => match[1].split(/\s*,\s*/)).concat([...text.matchAll(/^\s*(\w[\w-]*)\s*(?:\([^)]*\))?\s*=(?!=)/gm)].map((match) => match[1]));
  const names = [...new Set([...declared, ...KEYWORDS])].filter((name) => name.startsWith(typed) && name !== typed);
  return { typed, names: names.slice(0, 8) };
}
