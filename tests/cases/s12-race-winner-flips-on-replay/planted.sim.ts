/** Is the carrier that is paid the one that was booked? */

import {
  atMostOncePerKey,
  defineScenario,
  external,
  fetchCall,
  http,
  implies,
  ordered,
  workflow,
} from "eutaxy/cloudflare";

const booked = fetchCall("carriers", "POST", { path: "/bookings" });
const paid = fetchCall("bank", "POST", { path: "/payments" });

export const question = {
  name: "race-winner-flips",
  setup: [workflow("PARCELS", "SendParcel")],
  drive: http([{ path: "/parcels", body: { parcel: "p-1" }, expectStatus: 202 }]),
  externals: [
    external("carriers", "carriers.example", {
      dedupeBy: "idempotency-key",
      responses: [
        {
          path: "/quotes/snail",
          body: { carrier: "snail", cents: 700 },
          latency: "20 seconds",
        },
        { path: "/quotes/hare", body: { carrier: "hare", cents: 900 }, latency: "1 second" },
        { method: "POST", path: "/bookings", status: 201 },
      ],
    }),
    external("bank", "bank.example", {
      dedupeBy: "idempotency-key",
      responses: [{ method: "POST", path: "/payments", status: 201 }],
    }),
  ],
  invariants: [
    ordered("paid-is-booked", [booked, "args.body.carrier"], [paid, "args.body.to"]),
    atMostOncePerKey("booked-once", booked, "args.body.parcel"),
    implies("booked-is-paid", [booked, "args.body.parcel"], [paid, "args.body.parcel"]),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 0, maxRedeliveries: 1 },
});
