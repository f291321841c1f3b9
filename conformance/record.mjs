// Records what the real local Workflows engine does with the programs; see README.md.
//
//   node record.mjs [--only PART-OF-A-NAME] [--check] [--repeat N] [--jobs N]

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Engine, engineVersions } from "./recorder/engine.mjs";
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
  },
});

process.exitCode = await main();

async function main() {
  const programs = loadPrograms(join(HERE, "programs"), options.only);
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
  writeFileSync(pathOf(recording), write(recording));
  return 0;
}

/** How a recording differs from the one that is kept, as lines to print. */
function found(recording) {
  if (recording.failure !== undefined) return [recording.failure];
  const path = pathOf(recording);
  if (!existsSync(path)) return ["there is no recording of it"];
  return compare(JSON.parse(readFileSync(path, "utf8")), recording);
}

function pathOf(recording) {
  return join(HERE, "recordings", `${recording.program}.json`);
}

function told(name, lines) {
  for (const line of lines) console.log(`${name}: ${line}`);
  return lines.length === 0 ? 0 : 1;
}
