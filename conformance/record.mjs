// Records what the real local Workflows engine does with the programs; see README.md.
//
//   node record.mjs [--only PART-OF-A-NAME] [--check] [--repeat N] [--jobs N] [--older]

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { play } from "./recorder/play.mjs";
import { loadPrograms } from "./recorder/programs.mjs";
import { compare, normalise, write } from "./recorder/recording.mjs";
import { Services } from "./recorder/services.mjs";

const HERE = import.meta.dirname;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    check: { type: "boolean", default: false },
    repeat: { type: "string", default: "1" },
    jobs: { type: "string", default: "4" },
    older: { type: "boolean", default: false },
  },
});

// The engine of August 2026; what it does otherwise than the newer one is kept in a folder of its own.
if (options.older) process.env.CONFORMANCE_ENGINE = "miniflare-2026-08";
const { Engine, engineVersions } = await import("./recorder/engine.mjs");
const OLDER = "recordings-2026-08";
// Drives that wait for what that engine never does, one whose outcome is a matter of chance there, and
// those of a method that it lacks.
const NOT_OLDER = [
  "172-create-params",
  "175-create-batch-object",
  "176-create-batch-count",
  "244-create-batch-invalid",
];

process.exitCode = await main();

async function main() {
  const all = loadPrograms(join(HERE, "programs"), options.only);
  const isRecorded = ({ name }) => !NOT_OLDER.includes(name) && !name.includes("-subscribe");
  const programs = options.older ? all.filter(isRecorded) : all;
  if (programs.length === 0) return failed(`no program has "${options.only}" in its name`);
  let problems = 0;
  for (let round = 1; round <= Number(options.repeat); round += 1) {
    problems += await recordRound(programs, options.check || round > 1);
  }
  console.log(`${programs.length} programs, ${problems} that differ or failed`);
  return problems === 0 ? 0 : 1;
}

/** One round. What differs gets a second chance, alone: the machine may have been busy. */
async function recordRound(programs, checking) {
  const first = await recordAll(programs, Number(options.jobs));
  if (!checking) return sum(first.map(keep));
  const doubtful = programs.filter((_, index) => found(first[index]).length > 0);
  const second = await recordAll(doubtful, 1);
  return sum(second.map((recording) => told(recording.program, found(recording))));
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function failed(message) {
  console.error(message);
  return 2;
}

/** Record every program once, some at the same time; those that crash their engine have one of their own. */
async function recordAll(programs, jobs) {
  const services = new Map(programs.map((program) => [program.name, new Services(program.services)]));
  const outbound = (name) => (request) => services.get(name).answer(request);
  const calm = programs.filter((program) => !program.crashes);
  const shared = calm.length === 0 ? undefined : await Engine.start(calm, outbound);
  const recordings = [];
  const queue = programs.map((program, index) => ({ program, index }));
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { program, index } = next;
      const engine = program.crashes ? await Engine.start([program], outbound) : shared;
      recordings[index] = await recordOne(engine, program, services.get(program.name));
      if (engine !== shared) await engine.dispose();
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  await shared?.dispose();
  return recordings;
}

async function recordOne(engine, program, services) {
  try {
    const observed = normalise(await play(engine, program, services));
    return { program: program.name, engine: engineVersions(), ...observed };
  } catch (error) {
    const arrived = JSON.stringify(services.recorded());
    return { program: program.name, failure: `${error.message}\n    calls so far: ${arrived}` };
  }
}

/** Keep a recording; give the number of problems (0 or 1). */
function keep(recording) {
  if (recording.failure !== undefined) return told(recording.program, [recording.failure]);
  if (!options.older) writeFileSync(pathOf(recording), write(recording));
  else if (compare(asOfNow(newerPathOf(recording), recording), recording).length > 0) {
    writeFileSync(join(HERE, OLDER, `${recording.program}.json`), write(recording));
  }
  return 0;
}

/** How a recording differs from the one that is kept, as lines to print. */
function found(recording) {
  if (recording.failure !== undefined) return [recording.failure];
  const path = pathOf(recording);
  if (!existsSync(path)) return ["there is no recording of it"];
  return compare(options.older ? asOfNow(path, recording) : read(path), recording);
}

function read(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** What is kept, as if the engine that runs now had done it: one recording may stand for both engines. */
function asOfNow(path, recording) {
  return { ...read(path), engine: recording.engine };
}

/** Where a recording is kept: for the older engine with those of the newer one, where they are the same. */
function pathOf(recording) {
  const older = join(HERE, OLDER, `${recording.program}.json`);
  return options.older && existsSync(older) ? older : newerPathOf(recording);
}

function newerPathOf(recording) {
  return join(HERE, "recordings", `${recording.program}.json`);
}

function told(name, lines) {
  for (const line of lines) console.log(`${name}: ${line}`);
  return lines.length === 0 ? 0 : 1;
}
