"use strict";
/**
 * The realm that user code shares with this host: what `globalThis` offers, and undoing what user
 * code changed in it.
 *
 * The globals are replaced in place, once, before any user code runs; afterwards nothing reachable
 * from `globalThis` leads to the machine. So `globalThis.fetch = ..` and a bare `fetch` mean the
 * same thing, as on the platform. Host modules keep what they need of Node in their own variables.
 */

const vm = require("node:vm");

const { Snapshot, keepWatchedConfigurable } = require("./snapshot.cjs");
const { closeNetwork } = require("./network.cjs");
const clock = require("./shims/clock.cjs");
const { CompressionStreamInOrder, DecompressionStreamInOrder } = require("./shims/compression.cjs");
const consoleShim = require("./shims/console.cjs");
const { fetch } = require("./shims/fetch.cjs");
const { completeBodies, makeRequest, makeResponse } = require("./shims/http_classes.cjs");
const missing = require("./shims/missing.cjs");
const { randomFraction } = require("./shims/random.cjs");
const { nodeTimers, timeoutSignal, timers, wait } = require("./shims/timers.cjs");
const { makeCrypto } = require("./shims/web_crypto.cjs");
const { inCallOrder } = require("./native_results.cjs");
const { currentEvaluation } = require("./evaluation.cjs");
const { describe, formatStack } = require("./stacks.cjs");

/** Web globals that Node has as Workers have them. */
const KEPT = [
  "AbortController",
  "AbortSignal",
  "Blob",
  "ByteLengthQueuingStrategy",
  "CountQueuingStrategy",
  "Crypto",
  "CryptoKey",
  "CustomEvent",
  "DOMException",
  "Event",
  "EventTarget",
  "File",
  "FormData",
  "Headers",
  "MessageEvent",
  "ReadableByteStreamController",
  "ReadableStream",
  "ReadableStreamBYOBReader",
  "ReadableStreamBYOBRequest",
  "ReadableStreamDefaultController",
  "ReadableStreamDefaultReader",
  "SubtleCrypto",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TextEncoderStream",
  "TransformStream",
  "TransformStreamDefaultController",
  "URL",
  "URLPattern",
  "URLSearchParams",
  "WritableStream",
  "WritableStreamDefaultController",
  "WritableStreamDefaultWriter",
  "atob",
  "btoa",
  "queueMicrotask",
  "structuredClone",
];

/** Parts of the language that read the machine's clock and are not replaced. */
const DROPPED = ["Temporal"];

const NativeBuffer = Buffer;

/**
 * Names that Node's own web classes look up in the global scope. They stay visible there, but not
 * as properties of `globalThis`; the bundle sees its own, as parameters (see isolate.cjs).
 */
const SCOPED_FOR_NODE =
  "let Buffer = globalThis.Buffer; let process = { emitWarning() {}, env: {} };";

/**
 * Replace the globals. Called once.
 *
 * @returns {void}
 */
function seal() {
  preload();
  closeNetwork();
  vm.runInThisContext(SCOPED_FOR_NODE);
  const crypto = makeCrypto();
  const language = /** @type {string[]} */ (
    vm.runInNewContext("Object.getOwnPropertyNames(globalThis)")
  ).filter((name) => !DROPPED.includes(name));
  const kept = new Set([...language, ...KEPT]);
  for (const key of Reflect.ownKeys(globalThis)) {
    if (typeof key === "symbol") hideSymbol(key);
    else if (!kept.has(key)) Reflect.deleteProperty(globalThis, key);
  }
  for (const [name, value] of Object.entries(replacements(crypto))) setGlobal(name, value);
  for (const name of KEPT) if (!(name in globalThis)) setGlobal(name, missing.missingClass(name));
  patchLanguage();
}

/** Touch what Node makes at first use, so that it captures the originals and is warm. */
function preload() {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    // Node 24 warns about this one, and it is dropped anyway.
    if (name !== "localStorage") void Reflect.get(globalThis, name);
  }
  const request = new Request("http://preload.example/", { method: "POST", body: "x" });
  void request.text();
  void Response.json({}).text();
  void new Response(new Blob(["x"]).stream()).arrayBuffer();
}

/**
 * Node's HTTP client hangs on a symbol of `globalThis`; there it must not stay.
 *
 * @param {symbol} key
 */
function hideSymbol(key) {
  if (key === Symbol.toStringTag) return;
  if (!Reflect.deleteProperty(globalThis, key)) Reflect.set(globalThis, key, undefined);
}

/**
 * @param {object} crypto
 * @returns {Record<string, unknown>} globals by name
 */
function replacements(crypto) {
  /** @type {Record<string, unknown>} */
  const globals = {
    ...timers,
    CompressionStream: CompressionStreamInOrder,
    Date: clock.makeDate(),
    DecompressionStream: DecompressionStreamInOrder,
    FinalizationRegistry: NeverFinalizing,
    Request: makeRequest(),
    Response: makeResponse(),
    WeakRef: NeverCollected,
    console: { ...consoleShim.methods },
    crypto,
    fetch: (/** @type {any} */ input, /** @type {any} */ init) => fetch(input, init),
    navigator: { userAgent: "Cloudflare-Workers" },
    performance: clock.makePerformance(),
    reportError: (/** @type {unknown} */ error) =>
      currentEvaluation().print(`uncaught exception: ${describe(error)}`),
    scheduler: { wait },
    self: globalThis,
  };
  for (const name of missing.MISSING_CLASSES) globals[name] = missing.missingClass(name);
  for (const name of missing.MISSING_FUNCTIONS) globals[name] = missing.missingFunction(name);
  for (const name of missing.MISSING_OBJECTS) globals[name] = missing.missingObject(name);
  return globals;
}

/** A WeakRef whose target lives on: when it is collected is chance. */
class NeverCollected {
  /** @type {object} */
  #target;

  /** @param {object} target */
  constructor(target) {
    this.#target = target;
  }

  deref() {
    return this.#target;
  }
}
Object.defineProperty(NeverCollected, "name", { value: "WeakRef" });

/** A registry whose callbacks never run; the language does not promise that they do. */
class NeverFinalizing {
  register() {}

  unregister() {
    return false;
  }
}
Object.defineProperty(NeverFinalizing, "name", { value: "FinalizationRegistry" });

/** Patch members of built-in objects that read the machine. */
function patchLanguage() {
  keepWatchedConfigurable();
  completeBodies();
  clock.patchDateTimeFormat();
  setHidden(Math, "random", () => randomFraction());
  setHidden(AbortSignal, "timeout", (/** @type {unknown} */ delay) => timeoutSignal(delay));
  Reflect.deleteProperty(Atomics, "wait");
  Reflect.deleteProperty(Atomics, "waitAsync");
  setHidden(Error, "prepareStackTrace", formatStack);
  for (const name of ["compile", "instantiate"]) {
    const native = /** @type {any} */ (WebAssembly)[name];
    setHidden(WebAssembly, name, (/** @type {any[]} */ ...args) => inCallOrder(native(...args)));
  }
  for (const name of ["compileStreaming", "instantiateStreaming"]) {
    setHidden(WebAssembly, name, missing.missingFunction(`WebAssembly.${name}`));
  }
  // A pool would show in `byteOffset` what ran before; unfilled memory would show even more.
  NativeBuffer.poolSize = 0;
  const zeroed = (/** @type {number} */ size) => NativeBuffer.alloc(size);
  setHidden(NativeBuffer, "allocUnsafe", zeroed);
  setHidden(NativeBuffer, "allocUnsafeSlow", zeroed);
}

/**
 * @param {object} target
 * @param {string} name
 * @param {unknown} value
 */
function setHidden(target, name, value) {
  Object.defineProperty(target, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: false,
  });
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function setGlobal(name, value) {
  setHidden(globalThis, name, value);
}

/**
 * Offer or withhold what depends on the compatibility flags, then remember the realm as it is.
 *
 * @param {boolean} hasNode whether `nodejs_compat` is on
 * @returns {InstanceType<typeof Snapshot>}
 */
function open(hasNode) {
  for (const [name, value] of Object.entries({ global: globalThis, ...nodeTimers })) {
    if (hasNode) setGlobal(name, value);
    else Reflect.deleteProperty(globalThis, name);
  }
  const snapshot = new Snapshot();
  snapshot.add(globalThis);
  for (const root of languageRoots()) snapshot.addWithMembers(root);
  for (const key of Object.getOwnPropertyNames(globalThis)) {
    const value = Reflect.get(globalThis, key);
    const isMissing = missing.MISSING_OBJECTS.includes(key);
    if (!isMissing && value !== globalThis) snapshot.addWithMembers(value);
  }
  return snapshot;
}

/** @returns {object[]} built-in objects that no global names */
function languageRoots() {
  const prototypeOf = Object.getPrototypeOf;
  const iterators = [
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ""[Symbol.iterator](),
    "".matchAll(/x/g),
  ];
  return [
    ...iterators.map(prototypeOf),
    prototypeOf(prototypeOf([][Symbol.iterator]())),
    prototypeOf(async () => {}),
    prototypeOf(function* () {}),
    prototypeOf(async function* () {}),
    prototypeOf(Int8Array),
    globalThis.crypto.subtle,
    ...Object.values(Intl),
  ];
}

module.exports = { open, seal };
