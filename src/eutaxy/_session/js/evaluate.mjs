/**
 * Evaluates a bundled scenario and writes what it declares, as JSON, on the last line of stdout.
 * Runs in a Node child under the permission model: `node evaluate.mjs <bundle>`.
 */

import { writeSync } from "node:fs";

import { declarationsOf, thrown } from "./declarations.mjs";

// Prints of the scenario must not mix with the answer.
for (const name of ["log", "info", "debug", "dir", "table"]) console[name] = console.error;

answer(await evaluate(process.argv[2]));

async function evaluate(path) {
  try {
    const { exported, scenarios } = await declarationsOf(path);
    return { exported, scenarios };
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
