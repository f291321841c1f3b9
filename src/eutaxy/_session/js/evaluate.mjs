/**
 * Evaluates a bundled scenario and writes what it declares, as JSON, on the last line of stdout.
 * Runs in a Node child under the permission model: `node evaluate.mjs <bundle>`.
 */

import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

// Prints of the scenario must not mix with the answer.
for (const name of ["log", "info", "debug", "dir", "table"]) console[name] = console.error;

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

answer(await evaluate(process.argv[2]));

async function evaluate(path) {
  try {
    const module = await import(pathToFileURL(path).href);
    const scenarios = Object.keys(module).filter((name) => isScenario(module[name]));
    return { exported: portable(module.default), scenarios };
  } catch (error) {
    return { threw: thrown(error) };
  }
}

function answer(value) {
  let left = Buffer.from(`\n${JSON.stringify(value)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
  process.exit(0);
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

function thrown(error) {
  if (!(error instanceof Error)) return { name: "", message: String(error), stack: "" };
  const isDenied = error.code === "ERR_ACCESS_DENIED";
  const message = isDenied ? "a scenario may not touch files, processes or threads" : error.message;
  return { name: error.name, message, stack: String(error.stack ?? "") };
}

/** JSON keeps only some values; what it would drop or change is named, so that it can be refused. */
function portable(value, above = []) {
  if (value === null || ["string", "boolean"].includes(typeof value)) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : odd(String(value));
  if (typeof value === "bigint") return odd(`${value}n`);
  if (typeof value !== "object") return odd(value === undefined ? "undefined" : `a ${typeof value}`);
  if (above.includes(value)) return odd("an object that contains itself");
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((item) => portable(item, inside));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return odd(`a ${prototype.constructor?.name ?? "strange object"}`);
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, portable(member, inside)]));
}

function odd(what) {
  return { $eutaxy: "odd", what };
}
