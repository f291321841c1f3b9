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
 * @returns {{waited: Promise<void>, cancel: () => void}}
 */
function waitFor(delay, place = callerPlace()) {
  const fiber = issuingFiber();
  const waited = fiber.issue({
    kind: "timer",
    name: "Timer",
    operation: "timer",
    args: { ms: toDelay(delay) },
    place,
  });
  const { ordinal } = fiber;
  return { waited, cancel: () => fiber.cancel(ordinal) };
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
  let timer = waitFor(delay, place);
  const evaluation = currentEvaluation();
  evaluation.timerCount += 1;
  const id = evaluation.timerCount;
  let isCleared = false;
  evaluation.timers.set(id, () => {
    isCleared = true;
    timer.cancel();
  });
  const fire = () => {
    if (isCleared) return;
    if (!isRepeated) evaluation.timers.delete(id);
    callBack(callback, args);
    if (!isRepeated || isCleared) return;
    timer = waitFor(delay, place);
    timer.waited.then(fire, ignore);
  };
  timer.waited.then(fire, ignore);
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
  const { waited, cancel } = waitFor(delay);
  if (signal === undefined) return waited;
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
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
  waitFor(delay).waited.then(expire, ignore);
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
