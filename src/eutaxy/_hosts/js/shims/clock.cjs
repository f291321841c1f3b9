"use strict";
/** Clocks that show virtual time: Date, performance, and the "now" hidden in Intl. */

const { currentEvaluation, currentFiber, noteRead, unmodelled } = require("../evaluation.cjs");

const NativeDate = Date;

/**
 * Virtual time; in module scope the platform's clock stands at the epoch.
 *
 * @returns {number} ms since the epoch
 */
function readClock() {
  if (currentFiber() === null) return 0;
  noteRead("clock");
  return currentEvaluation().now;
}

/** @returns {DateConstructor} */
function makeDate() {
  const replacement = function Date(/** @type {any[]} */ ...args) {
    if (new.target === undefined) return new NativeDate(readClock()).toString();
    return Reflect.construct(NativeDate, args.length === 0 ? [readClock()] : args, new.target);
  };
  Object.defineProperties(replacement, Object.getOwnPropertyDescriptors(NativeDate));
  const hidden = { writable: true, configurable: true, enumerable: false };
  Object.defineProperty(replacement, "now", {
    value: function now() {
      return readClock();
    },
    ...hidden,
  });
  Object.defineProperty(replacement, "length", { value: 7, configurable: true });
  Object.defineProperty(NativeDate.prototype, "constructor", { value: replacement, ...hidden });
  return /** @type {any} */ (replacement);
}

/** `format()` without an argument means the time of the machine; let it mean virtual time. */
function patchDateTimeFormat() {
  const prototype = Intl.DateTimeFormat.prototype;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "format");
  const nativeFormat = /** @type {() => (date: any) => string} */ (descriptor?.get);
  const nativeParts = prototype.formatToParts;
  /** @type {WeakMap<object, Function>} */
  const bound = new WeakMap();
  Object.defineProperty(prototype, "format", {
    ...descriptor,
    get() {
      const format = nativeFormat.call(this);
      let own = bound.get(this);
      if (own === undefined) {
        own = (/** @type {any} */ date) => format(date === undefined ? readClock() : date);
        bound.set(this, own);
      }
      return own;
    },
  });
  Object.defineProperty(prototype, "formatToParts", {
    value: function formatToParts(/** @type {any} */ date) {
      return nativeParts.call(this, date === undefined ? readClock() : date);
    },
    writable: true,
    configurable: true,
    enumerable: false,
  });
}

/** @returns {object} `performance`; its origin is the epoch, as on the platform */
function makePerformance() {
  const performance = {
    now: () => readClock(),
    timeOrigin: 0,
    toJSON: () => ({ timeOrigin: 0 }),
  };
  const missing = [
    "clearMarks",
    "clearMeasures",
    "clearResourceTimings",
    "eventLoopUtilization",
    "getEntries",
    "getEntriesByName",
    "getEntriesByType",
    "mark",
    "measure",
    "timerify",
  ];
  for (const name of missing) {
    Object.defineProperty(performance, name, {
      value: () => unmodelled(`performance.${name}`),
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }
  return performance;
}

module.exports = { makeDate, makePerformance, patchDateTimeFormat, readClock };
