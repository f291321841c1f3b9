/** Is each customer billed once a month, and does the run end well? */

import {
  defineScenario,
  exactlyOncePerKey,
  external,
  fetchCall,
  http,
  never,
  statusChange,
  workflow,
} from "eutaxy/cloudflare";

const month = "2026-07";
const customers = ["ada", "bob"];

export const question = {
  name: "oversized-result",
  setup: [workflow("MONTHS", "InvoiceMonth", { mayFail: true })],
  drive: http([{ path: "/months", body: { month, customers }, expectStatus: 202, retry: true }]),
  externals: [
    external("accounting", "accounting.example", {
      dedupeBy: "idempotency-key",
      // Two documents are more than a step may return (1 MiB), as are thousands in real life.
      responses: [
        {
          method: "POST",
          path: "/invoices",
          status: 201,
          body: { document: "%PDF".repeat(150_000) },
        },
      ],
    }),
    external("mail", "mail.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/messages", status: 202 }],
    }),
  ],
  invariants: [
    exactlyOncePerKey("billed-once", fetchCall("accounting", "POST"), "args.body.invoice", {
      keys: customers.map((customer) => `${month}:${customer}`),
    }),
    never("ends-well", statusChange("MONTHS", "errored")),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 0, maxRedeliveries: 1 },
});
