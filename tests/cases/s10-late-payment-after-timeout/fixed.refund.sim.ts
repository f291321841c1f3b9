/** The same of a payment service that takes late payments, and of a client who makes one. */

import { defineScenario, workflow } from "eutaxy/cloudflare";
import { question } from "./planted.sim.ts";

export default defineScenario({
  ...question("1801 seconds", true),
  setup: [workflow("ORDERS", "SellOrder"), workflow("PAYMENTS", "SettlePayment")],
  worker: { entry: "./worker.refund.ts", config: "./wrangler.refund.jsonc" },
  bounds: { maxFaultsPerRun: 2 },
});
