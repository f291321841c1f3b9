// Finding programs and their drivers, and filling in what a driver file may leave out.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DEFAULT_FLAGS = ["enhanced_error_serialization", "workflows_preserve_non_retryable_error_message"];

/** Every program of the folder, in the order of its file names; `only` selects by a part of the name. */
export function loadPrograms(folder, only) {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -".ts".length))
    .filter((name) => only === undefined || name.includes(only))
    .sort();
  return names.map((name) => loadProgram(folder, name));
}

function loadProgram(folder, name) {
  const driver = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  return {
    name,
    entry: join(folder, `${name}.ts`),
    compatibilityFlags: driver.compatibility_flags ?? DEFAULT_FLAGS,
    workflows: driver.workflows ?? { FLOW: { class: "Flow" } },
    services: new Map((driver.services ?? []).map((service) => [service.host, service])),
    drive: driver.drive,
    end: driver.end,
    crashes: driver.drive.some((entry) => entry.crash !== undefined),
    lingerMs: driver.linger_ms ?? 0,
    instances: driver.instances ?? createdByDriver(driver.drive),
    observe: driver.observe ?? [],
  };
}

/** The instances that a driver creates by name, once each, as [workflow, id]. */
function createdByDriver(drive) {
  const found = new Map();
  for (const entry of drive) {
    const id = entry.call === "create" ? entry.argument?.id : undefined;
    if (typeof id === "string") found.set(`${entry.workflow} ${id}`, [entry.workflow, id]);
  }
  return [...found.values()];
}
