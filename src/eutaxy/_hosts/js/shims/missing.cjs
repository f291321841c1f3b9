"use strict";
/**
 * Stand-ins for what the platform has and the model lacks. Naming them is harmless (code tests for
 * their presence, or hands them on); using them is reported.
 */

const { unmodelled } = require("../evaluation.cjs");

/** Properties that the language or a debugger asks any object for; asking is no use. */
const ASKED_OF_ANYTHING = new Set(["__esModule", "constructor", "prototype"]);

/**
 * @param {string} what
 * @returns {any} reports any use
 */
function missingObject(what) {
  const report = () => unmodelled(what);
  return new Proxy(Object.create(null), {
    get: (_, key) => (isUse(key) ? report() : undefined),
    has: report,
    set: report,
    ownKeys: report,
    getOwnPropertyDescriptor: (_, key) => (isUse(key) ? report() : undefined),
  });
}

/**
 * @param {string | symbol} key
 * @returns {boolean}
 */
function isUse(key) {
  return typeof key === "string" && !ASKED_OF_ANYTHING.has(key);
}

/**
 * @param {string} name
 * @returns {any} a class that reports when it is constructed, extended upon or asked for a static
 */
function missingClass(name) {
  const Class = class {
    constructor() {
      unmodelled(name);
    }
  };
  Object.defineProperty(Class, "name", { value: name, configurable: true });
  return Class;
}

/**
 * @param {string} name
 * @returns {Function} reports when it is called
 */
function missingFunction(name) {
  return () => unmodelled(name);
}

/**
 * A module whose members are all missing. Bundlers copy the own members of a module and keep its
 * prototype, so the report sits in the prototype.
 *
 * @param {string} specifier
 * @param {Record<string, any>} [known] members that are there
 * @returns {any}
 */
function moduleWithMissing(specifier, known = {}) {
  const prototype = new Proxy(Object.create(null), {
    get: (_, key) =>
      isUse(key) && key !== "then" && key !== "default"
        ? unmodelled(`${String(key)} of ${specifier}`)
        : undefined,
  });
  return Object.defineProperties(Object.create(prototype), Object.getOwnPropertyDescriptors(known));
}

/** Globals of the platform that are not modelled. */
const MISSING_CLASSES = [
  "EventSource",
  "HTMLRewriter",
  "MessageChannel",
  "WebSocket",
  "WebSocketPair",
  "FixedLengthStream",
  "IdentityTransformStream",
  "BroadcastChannel",
  "Worker",
];
const MISSING_FUNCTIONS = ["addEventListener", "dispatchEvent", "removeEventListener"];
const MISSING_OBJECTS = ["Cloudflare", "caches"];

module.exports = {
  MISSING_CLASSES,
  MISSING_FUNCTIONS,
  MISSING_OBJECTS,
  missingClass,
  missingFunction,
  missingObject,
  moduleWithMissing,
};
