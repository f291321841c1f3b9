/** The same question to the corrected Worker, with one fault more. */

import { defineScenario, workflow } from "eutaxy/cloudflare";
import { question } from "./planted.sim.ts";

export default defineScenario({
  ...question("1799 seconds", false),
  setup: [workflow("ORDERS", "SellOrder")],
  worker: { entry: "./worker.fixed.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 2 },
});
