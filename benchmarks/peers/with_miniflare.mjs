// The real local engine on the example of the README: one fault-free run after another, then 32 at a time.

import { createRequire } from "node:module";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

const [, , BUDGET_S, EXAMPLE] = process.argv;
const ORIGIN = "http://example.test";
const { version } = createRequire(import.meta.url)("miniflare/package.json");

// The Worker of the example, and a way to ask whether an instance has ended.
const ENTRY = `
  import worker, { ExpenseApproval } from "./worker.ts";
  export { ExpenseApproval };
  export default {
    async fetch(request, env, context) {
      const [, status, id] = new URL(request.url).pathname.split("/");
      if (status !== "status") return worker.fetch(request, env, context);
      return Response.json(await (await env.APPROVALS.get(id)).status());
    },
  };
`;

const storage = await mkdtemp(join(tmpdir(), "eutaxy-peers-"));
const start = performance.now();
const engine = await started();
const startS = (performance.now() - start) / 1000;
let filed = 0;
try {
  await run();
  for (const atOnce of [1, 32]) await measure(atOnce);
} finally {
  await engine.dispose();
  await rm(storage, { recursive: true, force: true });
}

async function started() {
  const bundle = await build({
    stdin: { contents: ENTRY, resolveDir: EXAMPLE, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*", "node:*"],
  });
  const worker = {
    name: "example",
    routes: ["example.test/*"],
    modules: [{ type: "ESModule", path: "worker.mjs", contents: bundle.outputFiles[0].text }],
    compatibilityDate: "2026-04-01",
    workflows: { APPROVALS: { name: "expense-approval", className: "ExpenseApproval" } },
    outboundService: () => Response.json({ payoutId: "po-1" }, { status: 201 }),
  };
  const options = { workers: [worker], log: new Log(LogLevel.NONE), handleStructuredLogs() {} };
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions(options),
    resourcePersistencePath: storage,
  });
  await miniflare.ready;
  return miniflare;
}

/** One run: an expense is filed, the manager agrees, the instance ends. */
async function run() {
  filed += 1;
  const id = `exp-${filed}`;
  await post("/expenses", { expenseId: id, employee: "e-7", amountCents: 4200 });
  await post(`/expenses/${id}/decision`, { approved: true, by: "m-1" });
  for (;;) {
    const answer = await engine.dispatchFetch(`${ORIGIN}/status/${id}`);
    const { status } = await answer.json();
    if (status === "complete") return;
    if (status === "errored") throw new Error(`${id} ended as ${status}`);
    await pass(1);
  }
}

async function post(path, body) {
  const answer = await engine.dispatchFetch(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
  await answer.arrayBuffer();
}

async function measure(atOnce) {
  const begin = performance.now();
  let runs = 0;
  const isOver = () => performance.now() - begin > Number(BUDGET_S) * 1000;
  const work = async () => {
    while (!isOver()) {
      await run();
      runs += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const row = {
    tool: `miniflare ${version}`,
    shape: null,
    planted: false,
    found: false,
    schedules: runs,
    distinct: 1,
    exhaustive: false,
    seconds: (performance.now() - begin) / 1000,
    note: `${atOnce} at a time; its start took ${startS.toFixed(1)} s`,
  };
  console.log(JSON.stringify(row));
}
