/** The same question to the corrected Worker, with one fault more. */

import { defineScenario } from "eutaxy/cloudflare";
import { question } from "./planted.sim.ts";

export default defineScenario({
  ...question,
  worker: { entry: "./worker.fixed.ts", config: "./wrangler.jsonc" },
  profile: "local-2026-11",
  bounds: { maxFaultsPerRun: 2 },
});
