import {
  atMostOncePerKey,
  defineScenario,
  external,
  fetchCall,
  http,
  unique,
  workflow,
  workflowRows,
} from "eutaxy/cloudflare";

export default defineScenario({
  name: "expenses",
  worker: { entry: "./worker.fixed.ts", config: "./wrangler.jsonc" },
  setup: [workflow("APPROVALS", "ExpenseApproval")],
  // One expense is filed; later the manager agrees.
  drive: http([
    { path: "/expenses", body: { expenseId: "exp-1", employee: "e-7", amountCents: 4200 } },
    { path: "/expenses/exp-1/decision", body: { approved: true, by: "m-1" } },
  ]),
  externals: [
    // A second request with a key that it knows is answered like the first, and pays nothing.
    external("payouts", "payouts.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/payouts", status: 201, body: { payoutId: "po-1" } }],
    }),
  ],
  invariants: [
    atMostOncePerKey("paid-once", fetchCall("payouts", "POST"), "args.body.expenseId"),
    unique("one-run-per-expense", workflowRows("APPROVALS"), "params.expenseId"),
  ],
  bounds: { maxFaultsPerRun: 1, maxRedeliveries: 2, maxConcurrentInvocations: 1, budgetMs: 4000 },
});
