// fast-check's scheduler on the same race, as promises.

import { createRequire } from "node:module";
import fc from "fast-check";

const BUDGET_MS = Number(process.argv[2]) * 1000;
const { version } = createRequire(import.meta.url)("fast-check/package.json");

for (const shape of [[2, 20], [3, 10]]) {
  await search(shape, true);
  await search(shape, false);
}

async function search([tasks, effects], planted) {
  const orders = new Set();
  let schedules = 0;
  const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    schedules += 1;
    const shared = { balance: 0, total: 0, order: "" };
    for (let number = 0; number < tasks; number += 1) {
      task(scheduler, shared, number, tasks, effects, planted);
    }
    await scheduler.waitIdle();
    if (shared.total + 2 * tasks !== tasks * effects) throw new Error("a task did not end");
    orders.add(shared.order);
    return shared.balance === tasks;
  });
  const start = performance.now();
  const result = await fc.check(property, {
    numRuns: 1e9,
    interruptAfterTimeLimit: BUDGET_MS,
    endOnFailure: true,
    seed: 1,
  });
  const row = {
    tool: `fast-check ${version}`,
    shape: [tasks, effects],
    planted,
    found: result.failed && !result.interrupted,
    schedules,
    distinct: planted ? null : orders.size,
    exhaustive: false,
    seconds: (performance.now() - start) / 1000,
    note: "random",
  };
  console.log(JSON.stringify(row));
}

async function task(scheduler, shared, number, tasks, effects, planted) {
  const middle = Math.floor((effects * (2 * number + 1)) / (2 * tasks));
  let seen = 0;
  for (let effect = 1; effect <= effects; effect += 1) {
    await scheduler.schedule(Promise.resolve());
    if (!planted) shared.order += number;
    if (effect === middle) {
      if (planted) seen = shared.balance;
      else shared.balance += 1;
    } else if (effect === middle + 1) {
      if (planted) shared.balance = seen + 1;
    } else shared.total += 1;
  }
}
