"use strict";
/** `process` as Workers have it with `nodejs_compat`. */

const nativeProcess = require("node:process");

const { Stopped, currentEvaluation, unmodelled } = require("../evaluation.cjs");
const { readClock } = require("./clock.cjs");

/** The Node version that the platform claims (Workers docs, "process", read November 2026). */
const NODE_VERSION = "22.19.0";

/**
 * @param {Record<string, string>} env
 * @returns {object}
 */
function makeProcess(env) {
  const own = {
    arch: "x64",
    argv: ["workerd"],
    cwd: () => "/bundle",
    emitWarning: (/** @type {unknown} */ warning) => currentEvaluation().print(String(warning)),
    env,
    execArgv: [],
    exit,
    hrtime: Object.assign(hrtime, { bigint: () => BigInt(readClock()) * 1_000_000n }),
    nextTick: (/** @type {Function} */ callback, /** @type {unknown[]} */ ...args) =>
      queueMicrotask(() => callback(...args)),
    pid: 1,
    platform: "linux",
    ppid: 0,
    release: { name: "node" },
    title: "workerd",
    version: `v${NODE_VERSION}`,
    versions: { node: NODE_VERSION },
  };
  for (const name of Object.keys(nativeProcess)) {
    if (name in own || name.startsWith("_")) continue;
    Object.defineProperty(own, name, {
      get: () => unmodelled(`process.${name}`),
      configurable: true,
      enumerable: false,
    });
  }
  return own;
}

/** @returns {never} */
function exit() {
  currentEvaluation().fail("process.exit was called");
  throw new Stopped("process.exit was called");
}

/**
 * @param {[number, number]} [since]
 * @returns {[number, number]}
 */
function hrtime(since = [0, 0]) {
  const now = readClock();
  const seconds = Math.floor(now / 1000) - since[0];
  const nanoseconds = (now % 1000) * 1_000_000 - since[1];
  return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1_000_000_000] : [seconds, nanoseconds];
}

module.exports = { makeProcess };
