/**
 * What a bundled scenario declares, as JSON can say it; its functions stay here, by number.
 *
 * Importing this module first takes clock and chance away from everything that comes after it.
 */

import { pathToFileURL } from "node:url";

forbid(Math, "random", "Math.random()");
forbid(crypto, "randomUUID", "crypto.randomUUID()");
forbid(crypto, "getRandomValues", "crypto.getRandomValues()");
forbid(performance, "now", "performance.now()");
forbid(Date, "now", "Date.now()");
globalThis.Date = new Proxy(Date, {
  construct(target, args, newTarget) {
    if (args.length === 0) throw notReproducible("new Date()");
    return Reflect.construct(target, args, newTarget);
  },
  apply() {
    throw notReproducible("Date()");
  },
});

/**
 * Evaluates a bundle.
 *
 * @param {string} path
 * @returns {Promise<{exported: unknown, scenarios: string[], functions: Function[]}>}
 */
export async function declarationsOf(path) {
  const module = await import(pathToFileURL(path).href);
  const functions = [];
  return {
    exported: portable(module.default, functions),
    scenarios: Object.keys(module).filter((name) => isScenario(module[name])),
    functions,
  };
}

/** What was thrown, for messages. */
export function thrown(error) {
  if (!(error instanceof Error)) return { name: "", message: String(error), stack: "" };
  const isDenied = error.code === "ERR_ACCESS_DENIED";
  const message = isDenied ? "a scenario may not touch files, processes or threads" : error.message;
  return { name: error.name, message, stack: String(error.stack ?? "") };
}

function isScenario(value) {
  return typeof value === "object" && value !== null && value.$eutaxy === "scenario";
}

function forbid(owner, name, shown) {
  owner[name] = () => {
    throw notReproducible(shown);
  };
}

function notReproducible(what) {
  return new Error(`${what} would make the scenario differ from run to run; write a fixed value`);
}

/**
 * JSON keeps only some values; what it would drop or change is named, so that it can be refused.
 * Functions are collected and stand there by their number.
 */
function portable(value, functions, above = []) {
  if (value === null || ["string", "boolean"].includes(typeof value)) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : odd(String(value));
  if (typeof value === "bigint") return odd(`${value}n`);
  if (typeof value === "function") return numbered(value, functions);
  if (typeof value !== "object") return odd(value === undefined ? "undefined" : `a ${typeof value}`);
  if (above.includes(value)) return odd("an object that contains itself");
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((item) => portable(item, functions, inside));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return odd(`a ${prototype.constructor?.name ?? "strange object"}`);
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => [key, portable(member, functions, inside)]),
  );
}

function numbered(value, functions) {
  if (!functions.includes(value)) functions.push(value);
  return { $eutaxy: "function", number: functions.indexOf(value) };
}

function odd(what) {
  return { $eutaxy: "odd", what };
}
