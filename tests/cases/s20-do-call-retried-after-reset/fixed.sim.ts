/** The same question to the corrected Worker. */

import { defineScenario } from "eutaxy/cloudflare";
import { question } from "./planted.sim.ts";

export default defineScenario({
  ...question,
  worker: { entry: "./worker.fixed.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 2, maxConcurrentInvocations: 2 },
});
