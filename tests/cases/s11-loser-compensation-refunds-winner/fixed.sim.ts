/**
 * The same question to the corrected Worker, which still gives the money back when there is nothing
 * to sell.
 */

import { defineScenario, http } from "eutaxy/cloudflare";
import { cart, question } from "./planted.sim.ts";

export default defineScenario({
  ...question,
  worker: { entry: "./worker.fixed.ts", config: "./wrangler.jsonc" },
  drive: http([
    { path: "/return", body: cart, expectStatus: 202, retry: true },
    { path: "/psp-webhook", body: cart, expectStatus: 202, retry: true },
    { path: "/return", body: { cart: "sold-out" }, expectStatus: 202, retry: true },
  ]),
  bounds: { maxFaultsPerRun: 2 },
});
