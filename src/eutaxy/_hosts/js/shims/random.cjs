"use strict";
/** Randomness drawn from the generator of the running fiber. */

const { currentEvaluation, currentFiber, issuingFiber, noteRead } = require("../evaluation.cjs");

/** How many bytes one call of getRandomValues may ask for (Web Crypto). */
const RANDOM_BYTES_MAX = 65_536;

/** @returns {number} what Math.random gives; allowed in module scope too */
function randomFraction() {
  noteRead("random");
  const generator = currentFiber()?.generator ?? currentEvaluation().moduleGenerator;
  return generator.fraction();
}

/**
 * @param {number} count
 * @returns {Uint8Array}
 */
function randomBytes(count) {
  const fiber = issuingFiber();
  noteRead("random");
  return fiber.generator.bytes(count);
}

/** @returns {string} a version 4 UUID */
function randomUUID() {
  const bytes = randomBytes(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, index) => hex.slice(cuts[index], end))
    .join("-");
}

/**
 * @template {ArrayBufferView} T
 * @param {T} view
 * @returns {T}
 */
function getRandomValues(view) {
  const isInteger =
    ArrayBuffer.isView(view) &&
    !(view instanceof DataView) &&
    !/^Float/.test(view.constructor.name);
  if (!isInteger) {
    throw new DOMException(
      "The data argument must be an integer-type TypedArray",
      "TypeMismatchError",
    );
  }
  if (view.byteLength > RANDOM_BYTES_MAX) {
    throw new DOMException(
      `The requested length exceeds ${RANDOM_BYTES_MAX} bytes`,
      "QuotaExceededError",
    );
  }
  fillRandomly(view);
  return view;
}

/** @param {ArrayBufferView} view */
function fillRandomly(view) {
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(randomBytes(view.byteLength));
}

module.exports = { fillRandomly, getRandomValues, randomBytes, randomFraction, randomUUID };
