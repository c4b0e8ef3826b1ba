// Runs a test program that was compiled for wasm32-wasip1: numbers of 32 bits, one thread.
//
//   node .ci/twins.mjs PROGRAM [WORD]..        the tests whose names have one of the words

import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...words] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...words], returnOnExit: true });
const instance = await WebAssembly.instantiate(await WebAssembly.compile(await readFile(program)), wasi.getImportObject());
process.exit(wasi.start(instance));
