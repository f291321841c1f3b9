/** Is the money that a client withdraws taken once? */

import {
  defineScenario,
  exactlyOncePerKey,
  external,
  fetchCall,
  http,
  implies,
  response,
} from "eutaxy/cloudflare";

const withdrawn = fetchCall("account", "POST");
const confirmed = response(undefined, { status: 200 });

interface Account {
  readonly cents: number;
  /** What was answered to each request id. */
  readonly answered: Readonly<Record<string, number>>;
}

export const question = {
  name: "call-retried-after-reset",
  drive: http([
    {
      path: "/withdrawals",
      body: { request: "r-1", cents: 300 },
      expectStatus: 200,
      retry: true,
    },
  ]),
  externals: [
    external("account", "account.example", {
      state: { cents: 1000, answered: {} } as Account,
      handle({ body }, { cents, answered }) {
        const before = answered[body.request];
        if (before !== undefined) return { response: { body: { cents: before } }, applied: false };
        if (cents < body.cents) return { response: { status: 409, body: {} }, applied: false };
        const left = cents - body.cents;
        const noted = body.request === undefined ? {} : { [body.request]: left };
        return {
          state: { cents: left, answered: { ...answered, ...noted } },
          response: { body: { cents: left } },
        };
      },
    }),
  ],
  invariants: [
    // One client wants one thing, so all withdrawals are of one key.
    exactlyOncePerKey("withdrawn-once", withdrawn, "args.path", { keys: ["/withdrawals"] }),
    implies("confirmed-is-withdrawn", [confirmed, "path"], [withdrawn, "args.path"]),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 1, maxRedeliveries: 0 },
});
