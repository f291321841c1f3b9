#!/usr/bin/env node
/**
 * Runs the Python program `eutaxy`: the one that EUTAXY_PROGRAM names, else the one on the PATH, else
 * through uvx or pipx. Arguments, standard streams and the exit code pass through unchanged.
 *
 * This script is itself called `eutaxy` on many PATHs, sometimes behind a small shell script that a
 * package manager wrote; EUTAXY_NPM_TRIED keeps those from calling each other in a circle.
 */

import { spawnSync } from "node:child_process";
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { constants as machine } from "node:os";
import { delimiter, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const isWindows = process.platform === "win32";
const self = realpathSync(fileURLToPath(import.meta.url));
const tried = (process.env.EUTAXY_NPM_TRIED ?? "").split(delimiter).filter(Boolean);

const program = findProgram();
if (program === undefined) {
  process.stderr.write(
    "eutaxy: the Python program eutaxy is not installed\n" +
      "  install it: `uv tool install eutaxy`, `pipx install eutaxy` or `pip install eutaxy`,\n" +
      "  or install uv or pipx, or set EUTAXY_PROGRAM to the path of the program\n",
  );
  process.exit(2);
}

const [command, ...options] = program;
const done = spawnSync(command, [...options, ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, EUTAXY_NPM_TRIED: [...tried, command].join(delimiter) },
});
if (done.error !== undefined) {
  process.stderr.write(`eutaxy: ${command} cannot be run: ${done.error.message}\n`);
  process.exit(2);
}
process.exit(done.status ?? 128 + (machine.signals[done.signal] ?? 0));

/** The command to run, as a list; undefined when there is none. */
function findProgram() {
  if (process.env.EUTAXY_PROGRAM) return [process.env.EUTAXY_PROGRAM];
  const own = onPath("eutaxy", isNotThis);
  if (own !== undefined) return [own];
  const uvx = onPath("uvx", () => true);
  if (uvx !== undefined) return [uvx, "eutaxy"];
  const pipx = onPath("pipx", () => true);
  if (pipx !== undefined) return [pipx, "run", "eutaxy"];
  return undefined;
}

function onPath(name, isWanted) {
  const names = isWindows ? [`${name}.exe`] : [name];
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders
    .flatMap((folder) => names.map((each) => join(folder, each)))
    .find((path) => isProgram(path) && isWanted(path));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a program called `eutaxy` is another one than this script and the scripts that call it. */
function isNotThis(path) {
  const isOfNpm = path.includes(`${sep}node_modules${sep}.bin${sep}`);
  return !isOfNpm && realpathSync(path) !== self && !tried.includes(path);
}
