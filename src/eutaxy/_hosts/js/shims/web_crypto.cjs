"use strict";
/**
 * `crypto`: what is deterministic comes from Node, its results in call order; what can be seeded is
 * seeded; what draws from the machine's generator and cannot be seeded is not modelled.
 */

const nodeCrypto = require("node:crypto");

const { unmodelled } = require("../evaluation.cjs");
const { inCallOrder } = require("../native_results.cjs");
const { getRandomValues, randomBytes, randomUUID } = require("./random.cjs");

const native = /** @type {any} */ (nodeCrypto.webcrypto.subtle);

/** Algorithms whose signatures or ciphertexts hold bytes that cannot be seeded. */
const UNSEEDABLE = /^(ECDSA|RSA-PSS|RSA-OAEP)$/i;

/** Operations that draw nothing, whatever the algorithm. */
const PLAIN_OPERATIONS = [
  "decrypt",
  "deriveBits",
  "deriveKey",
  "digest",
  "exportKey",
  "importKey",
  "unwrapKey",
  "verify",
];

/** Operations that draw when the algorithm is one of `UNSEEDABLE`, by where they are given it. */
const DRAWING_OPERATIONS = { encrypt: 0, sign: 0, wrapKey: 3 };

/**
 * @param {any} algorithm
 * @returns {string}
 */
function algorithmName(algorithm) {
  return String(typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm);
}

/**
 * @param {string} operation
 * @param {any[]} args
 * @returns {Promise<any>}
 */
function callNative(operation, args) {
  return inCallOrder(native[operation](...args));
}

/**
 * @param {any} algorithm
 * @param {boolean} isExtractable
 * @param {string[]} usages
 * @returns {Promise<any>}
 */
async function generateKey(algorithm, isExtractable, usages) {
  const name = algorithmName(algorithm).toUpperCase();
  if (/^AES-(GCM|CBC|CTR|KW)$/.test(name)) {
    const key = randomBytes(Number(algorithm.length) / 8);
    return callNative("importKey", ["raw", key, algorithm, isExtractable, usages]);
  }
  if (name === "HMAC") {
    const hash = algorithmName(algorithm.hash).toUpperCase();
    const bits = algorithm.length ?? (/^SHA-(384|512)$/.test(hash) ? 1024 : 512);
    const key = randomBytes(Math.ceil(bits / 8));
    return callNative("importKey", ["raw", key, algorithm, isExtractable, usages]);
  }
  return unmodelled(`crypto.subtle.generateKey for ${name}, which cannot be seeded`);
}

/** @returns {object} */
function makeSubtle() {
  /** @type {Record<string, Function>} */
  const methods = { generateKey };
  for (const operation of PLAIN_OPERATIONS) {
    methods[operation] = async (/** @type {any[]} */ ...args) => callNative(operation, args);
  }
  for (const [operation, position] of Object.entries(DRAWING_OPERATIONS)) {
    methods[operation] = async (/** @type {any[]} */ ...args) => {
      const name = algorithmName(args[position]);
      if (UNSEEDABLE.test(name)) {
        unmodelled(`crypto.subtle.${operation} with ${name}, whose randomness cannot be seeded`);
      }
      return callNative(operation, args);
    };
  }
  methods.timingSafeEqual = (/** @type {any} */ left, /** @type {any} */ right) =>
    nodeCrypto.timingSafeEqual(left, right);
  return withHiddenMethods(SubtleCrypto.prototype, methods);
}

/** @returns {any} `crypto` */
function makeCrypto() {
  class DigestStream {
    constructor() {
      unmodelled("crypto.DigestStream");
    }
  }
  const members = { getRandomValues, randomUUID, subtle: makeSubtle(), DigestStream };
  return withHiddenMethods(Crypto.prototype, members);
}

/**
 * @param {object} prototype
 * @param {Record<string, any>} members
 * @returns {object} an object that passes `instanceof` and has the members
 */
function withHiddenMethods(prototype, members) {
  const target = Object.create(prototype);
  for (const [name, value] of Object.entries(members)) {
    const hidden = { value, writable: true, configurable: true, enumerable: false };
    Object.defineProperty(target, name, hidden);
  }
  return target;
}

module.exports = { makeCrypto };
