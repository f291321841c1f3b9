"use strict";
/** Timers as effects: they fire when the model says that the time has passed. */

const { Stopped, currentEvaluation, issuingFiber } = require("../evaluation.cjs");
const { callerPlace, describe } = require("../stacks.cjs");

/**
 * @param {unknown} delay
 * @returns {number} whole ms, not negative
 */
function toDelay(delay) {
  const ms = Math.trunc(Number(delay));
  return ms > 0 && Number.isFinite(ms) ? ms : 0;
}

/**
 * @param {unknown} delay
 * @param {string} [place]
 * @returns {Promise<void>}
 */
function waitFor(delay, place = callerPlace()) {
  return issuingFiber().issue({
    kind: "timer",
    name: "Timer",
    operation: "timer",
    args: { ms: toDelay(delay) },
    place,
  });
}

/**
 * @param {Function} callback
 * @param {unknown[]} args
 */
function callBack(callback, args) {
  try {
    callback(...args);
  } catch (error) {
    if (!(error instanceof Stopped)) {
      currentEvaluation().print(`uncaught exception: ${describe(error)}`);
    }
  }
}

/**
 * @param {unknown} callback
 * @param {unknown} delay
 * @param {unknown[]} args
 * @param {boolean} isRepeated
 * @returns {number} id
 */
function startTimer(callback, delay, args, isRepeated) {
  if (typeof callback !== "function") {
    throw new TypeError("Failed to set a timer: parameter 1 is not of type 'Function'.");
  }
  const place = callerPlace();
  const first = waitFor(delay, place);
  const evaluation = currentEvaluation();
  evaluation.timerCount += 1;
  const id = evaluation.timerCount;
  let isCleared = false;
  evaluation.timers.set(id, () => {
    isCleared = true;
  });
  const fire = () => {
    if (isCleared) return;
    if (!isRepeated) evaluation.timers.delete(id);
    callBack(callback, args);
    if (isRepeated && !isCleared) waitFor(delay, place).then(fire, ignore);
  };
  first.then(fire, ignore);
  return id;
}

/** A timer whose wait fails (the model never does that) just does not fire. */
function ignore() {}

/** @param {unknown} id */
function clearTimer(id) {
  const evaluation = currentEvaluation();
  const timer = Number(id);
  evaluation.timers.get(timer)?.();
  evaluation.timers.delete(timer);
}

/**
 * @param {unknown} delay
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<void>}
 */
function wait(delay, options) {
  const signal = options?.signal;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const waited = waitFor(delay);
  if (signal === undefined) return waited;
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    waited.then(resolve, reject);
  });
}

/**
 * @param {unknown} delay
 * @returns {AbortSignal}
 */
function timeoutSignal(delay) {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  waitFor(delay).then(expire, ignore);
  return controller.signal;
}

/** Timer functions by global name; the two of Node's own only for those who ask for Node. */
const timers = {
  setTimeout: (
    /** @type {any} */ callback,
    /** @type {any} */ delay,
    /** @type {any[]} */ ...args
  ) => startTimer(callback, delay, args, false),
  setInterval: (
    /** @type {any} */ callback,
    /** @type {any} */ delay,
    /** @type {any[]} */ ...args
  ) => startTimer(callback, delay, args, true),
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
};
const nodeTimers = {
  setImmediate: (/** @type {any} */ callback, /** @type {any[]} */ ...args) =>
    startTimer(callback, 0, args, false),
  clearImmediate: clearTimer,
};

module.exports = { nodeTimers, timeoutSignal, timers, wait };
