"use strict";
/** `node:crypto` for user code: deterministic parts from Node, randomness from the fiber. */

const nodeCrypto = require("node:crypto");
const { Buffer } = require("node:buffer");

const { unmodelled } = require("../evaluation.cjs");
const { inCallOrder } = require("../native_results.cjs");
const random = require("./random.cjs");

/** Exports that draw no randomness and keep no state between calls. */
const PURE = [
  "Cipheriv",
  "Decipheriv",
  "Hash",
  "Hmac",
  "KeyObject",
  "Verify",
  "X509Certificate",
  "constants",
  "createCipheriv",
  "createDecipheriv",
  "createHash",
  "createHmac",
  "createPrivateKey",
  "createPublicKey",
  "createSecretKey",
  "createVerify",
  "getCipherInfo",
  "getCiphers",
  "getCurves",
  "getHashes",
  "hash",
  "hkdfSync",
  "pbkdf2Sync",
  "privateDecrypt",
  "publicDecrypt",
  "scryptSync",
  "timingSafeEqual",
  "verify",
];

/** Exports that compute on other threads and call back. */
const CALLING_BACK = ["hkdf", "pbkdf2", "scrypt"];

/**
 * @param {string} name
 * @returns {Function}
 */
function calledBackInOrder(name) {
  const native = /** @type {any} */ (nodeCrypto)[name];
  return (/** @type {any[]} */ ...args) => {
    const callback = args.pop();
    if (typeof callback !== "function") return native(...args, callback);
    const result = new Promise((resolve, reject) => {
      native(...args, (/** @type {any} */ error, /** @type {any} */ value) =>
        error ? reject(error) : resolve(value),
      );
    });
    inCallOrder(result).then(
      (value) => queueMicrotask(() => callback(null, value)),
      (error) => queueMicrotask(() => callback(error)),
    );
    return undefined;
  };
}

/**
 * @param {number} size
 * @param {(error: null, bytes: Buffer) => void} [callback]
 * @returns {Buffer | undefined}
 */
function randomBytes(size, callback) {
  const bytes = Buffer.from(random.randomBytes(size));
  if (callback === undefined) return bytes;
  queueMicrotask(() => callback(null, bytes));
  return undefined;
}

/**
 * @param {number} low
 * @param {any} [high]
 * @param {(error: null, value: number) => void} [callback]
 * @returns {number | undefined}
 */
function randomInt(low, high, callback) {
  if (high === undefined || typeof high === "function") return randomInt(0, low, high);
  const span = high - low;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || span <= 0 || span > 2 ** 48) {
    throw new RangeError(`randomInt needs whole numbers, min below max; got ${low} and ${high}`);
  }
  let drawn;
  do {
    drawn = Buffer.from(random.randomBytes(6)).readUIntBE(0, 6);
  } while (drawn >= 2 ** 48 - (2 ** 48 % span));
  const value = low + (drawn % span);
  if (callback === undefined) return value;
  queueMicrotask(() => callback(null, value));
  return undefined;
}

/**
 * @param {any} view
 * @param {number} [offset]
 * @param {number} [size]
 * @returns {any}
 */
function randomFillSync(view, offset = 0, size = undefined) {
  const bytes = ArrayBuffer.isView(view)
    ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    : new Uint8Array(view);
  const part = bytes.subarray(offset, size === undefined ? undefined : offset + size);
  random.fillRandomly(part);
  return view;
}

/**
 * @param {any} view
 * @param {any[]} rest offset and size, both optional, then the callback
 */
function randomFill(view, ...rest) {
  const callback = rest.pop();
  randomFillSync(view, ...rest);
  queueMicrotask(() => callback(null, view));
}

/**
 * @param {any} crypto the global of user code
 * @returns {object} what `require("node:crypto")` gives
 */
function makeNodeCrypto(crypto) {
  const natives = /** @type {Record<string, any>} */ (nodeCrypto);
  /** @type {Record<string, any>} */
  const exports = {
    getRandomValues: random.getRandomValues,
    randomBytes,
    randomFill,
    randomFillSync,
    randomInt,
    randomUUID: () => random.randomUUID(),
    subtle: crypto.subtle,
    webcrypto: crypto,
  };
  for (const name of PURE) if (name in natives) exports[name] = natives[name];
  for (const name of CALLING_BACK) exports[name] = calledBackInOrder(name);
  for (const name of Object.keys(natives)) {
    if (name in exports) continue;
    exports[name] = function notModelled() {
      return unmodelled(`${name} of node:crypto`);
    };
  }
  return exports;
}

module.exports = { makeNodeCrypto };
