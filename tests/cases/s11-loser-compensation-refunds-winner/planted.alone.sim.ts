/** The same with one trigger only: can a run give back the money of its own order? */

import { defineScenario, http } from "eutaxy/cloudflare";
import { cart, question } from "./planted.sim.ts";

export default defineScenario({
  ...question,
  name: "own-compensation",
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  drive: http([{ path: "/return", body: cart, expectStatus: 202 }]),
  bounds: { maxFaultsPerRun: 1, maxRedeliveries: 0 },
});
