"use strict";
/**
 * Members that depend on time or on the attempt: reading one is noted, as reading a clock is. They
 * are accessors, and behave like plain members wherever a value is read, copied or shown.
 */

const { currentFiber, noteRead } = require("./evaluation.cjs");

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

let isShowing = false;

/**
 * @template T
 * @param {T} target
 * @param {string} key
 * @param {"clock" | "context"} read
 * @returns {T} the same
 */
function observe(target, key, read) {
  if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return target;
  const members = /** @type {any} */ (target);
  let value = members[key];
  Object.defineProperty(target, key, {
    get() {
      if (!isShowing && currentFiber() !== null) noteRead(read);
      return value;
    },
    set(replacement) {
      value = replacement;
    },
    enumerable: true,
    configurable: true,
  });
  Object.defineProperty(target, INSPECT, {
    value: (/** @type {number} */ depth, /** @type {object} */ options, /** @type {any} */ inspect) =>
      inspect({ ...target }, options),
    writable: true,
    configurable: true,
    enumerable: false,
  });
  return target;
}

/**
 * @template T
 * @param {() => T} show what makes text that user code does not get to see
 * @returns {T}
 */
function unnoted(show) {
  isShowing = true;
  try {
    return show();
  } finally {
    isShowing = false;
  }
}

module.exports = { observe, unnoted };
