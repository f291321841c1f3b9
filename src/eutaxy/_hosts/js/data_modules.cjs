"use strict";
/** Modules of a Worker that are not code: text, data and WebAssembly. */

const { Buffer } = require("node:buffer");

const NativeWasmModule = WebAssembly.Module;

/** @typedef {{type: "text" | "data" | "wasm", base64: string}} DataModule */

/**
 * What the import of a data module gives; a new value for each isolate, since data may be changed.
 *
 * @param {DataModule} module
 * @returns {string | ArrayBuffer | WebAssembly.Module}
 */
function valueOf({ type, base64 }) {
  const bytes = Buffer.from(base64, "base64");
  if (type === "text") return new TextDecoder().decode(bytes);
  if (type === "wasm") return new NativeWasmModule(bytes);
  return new Uint8Array(bytes).buffer;
}

/**
 * The name of a data module in an import of the bundle; the query says nothing more.
 *
 * @param {string} name
 * @returns {string}
 */
function nameIn(name) {
  return name.split("?")[0];
}

module.exports = { nameIn, valueOf };
