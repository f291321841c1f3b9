/** Has every event that was answered with 200 been applied? */

import {
  atLeastOncePerKey,
  defineScenario,
  external,
  fetchCall,
  http,
  implies,
  response,
} from "eutaxy/cloudflare";

const upgrade = { event: "ev-1", user: "u-1", plan: "pro" };
const acknowledged = response(undefined, { status: 200, path: "/psp" });
const licensed = fetchCall("licences", "PUT");
const stored = fetchCall("db", "PUT", { path: "/users/:user" });

export const question = {
  name: "dedupe-marker-before-work",
  drive: http([{ path: "/psp", body: upgrade, expectStatus: 200, retry: true }]),
  externals: [
    external("licences", "licences.example", {
      responses: [{ method: "PUT", path: "/:user" }],
      failures: [503],
    }),
    external("db", "db.example", {
      responses: [
        { method: "PUT", path: "/seen/:event", once: "PUT /seen/:event", status: 200 },
        { method: "PUT", path: "/seen/:event", status: 201 },
        { method: "PUT", path: "/users/:user" },
      ],
    }),
  ],
  invariants: [
    implies(
      "acknowledged-is-licensed",
      [acknowledged, "body.event"],
      [licensed, "args.body.event"],
    ),
    implies("acknowledged-is-stored", [acknowledged, "body.event"], [stored, "args.body.event"]),
    atLeastOncePerKey("acknowledged-in-the-end", acknowledged, "body.event", {
      keys: [upgrade.event],
    }),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 1, maxConcurrentInvocations: 2 },
});
