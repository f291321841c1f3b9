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
    binding,
    cwd: () => "/bundle",
    emitWarning: (/** @type {unknown} */ warning) => currentEvaluation().print(String(warning)),
    env,
    execArgv: [],
    exit,
    hrtime: Object.assign((/** @type {any} */ since) => hrtime(since), {
      bigint: () => BigInt(readClock()) * 1_000_000n,
    }),
    nextTick: (/** @type {Function} */ callback, /** @type {unknown[]} */ ...args) =>
      queueMicrotask(() => callback(...args)),
    pid: 1,
    platform: "linux",
    ppid: 0,
    release: { name: "node" },
    stderr: output(2),
    stdout: output(1),
    title: "workerd",
    version: `v${NODE_VERSION}`,
    versions: { node: NODE_VERSION },
  };
  for (const [name, descriptor] of MISSING) {
    if (!(name in own)) Object.defineProperty(own, name, descriptor);
  }
  return own;
}

/** What Node's `process` has besides: methods report when called, other members when read. */
const MISSING = namesOfNative().map((name) => {
  const report = () => unmodelled(`process.${name}`);
  const isMethod =
    typeof Object.getOwnPropertyDescriptor(nativeProcess, name)?.value === "function";
  const hidden = { configurable: true, enumerable: false };
  const descriptor = isMethod
    ? { value: report, writable: true, ...hidden }
    : { get: report, ...hidden };
  return /** @type {const} */ ([name, descriptor]);
});

/** @returns {string[]} */
function namesOfNative() {
  const events = [
    "addListener",
    "emit",
    "off",
    "on",
    "once",
    "removeAllListeners",
    "removeListener",
  ];
  return [...Object.keys(nativeProcess).filter((name) => !name.startsWith("_")), ...events];
}

/**
 * Libraries try it to find Node's internals and live without; Workers have none.
 *
 * @returns {never}
 */
function binding() {
  throw new Error("process.binding is not implemented");
}

/**
 * @param {number} descriptor
 * @returns {object} a stream that can be written to
 */
function output(descriptor) {
  const write = (/** @type {unknown} */ text) => {
    currentEvaluation().print(String(text).replace(/\n$/, ""));
    return true;
  };
  return { fd: descriptor, isTTY: false, write };
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
