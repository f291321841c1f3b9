"use strict";
/** `console`: what it prints is told to the parent. */

const util = require("node:util");

const { currentEvaluation } = require("../evaluation.cjs");
const { unnoted } = require("../observed.cjs");
const { callerStack } = require("../stacks.cjs");
const { readClock } = require("./clock.cjs");

/** @param {unknown[]} args */
function print(...args) {
  currentEvaluation().print(unnoted(() => util.format(...args)));
}

/** @param {unknown} label */
function elapsed(label) {
  const started = currentEvaluation().stopwatches.get(String(label));
  if (started !== undefined) print(`${label}: ${readClock() - started}ms`);
}

/** Methods of `console` by name; those that only change looks are left without effect. */
const methods = {
  debug: print,
  error: print,
  info: print,
  log: print,
  warn: print,
  dir: (/** @type {unknown} */ value, /** @type {any} */ options) =>
    print(unnoted(() => util.inspect(value, { ...options, colors: false }))),
  dirxml: print,
  table: (/** @type {unknown} */ value) => print(unnoted(() => util.inspect(value))),
  trace: (/** @type {unknown[]} */ ...args) =>
    print([`Trace: ${util.format(...args)}`, callerStack()].join("\n")),
  assert: (/** @type {unknown} */ condition, /** @type {unknown[]} */ ...args) => {
    if (!condition) print(`Assertion failed: ${util.format(...args)}`);
  },
  count: (label = "default") => {
    const { counts } = currentEvaluation();
    counts.set(label, (counts.get(label) ?? 0) + 1);
    print(`${label}: ${counts.get(label)}`);
  },
  countReset: (label = "default") => {
    currentEvaluation().counts.delete(label);
  },
  time: (label = "default") => {
    currentEvaluation().stopwatches.set(String(label), readClock());
  },
  timeLog: (label = "default") => elapsed(label),
  timeEnd: (label = "default") => {
    elapsed(label);
    currentEvaluation().stopwatches.delete(String(label));
  },
  group: (/** @type {unknown[]} */ ...args) => {
    if (args.length > 0) print(...args);
  },
  groupCollapsed: (/** @type {unknown[]} */ ...args) => {
    if (args.length > 0) print(...args);
  },
  groupEnd: () => {},
  clear: () => {},
};

module.exports = { methods };
