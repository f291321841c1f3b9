/** Does the store hold each row of the file once, when the import says that it is done? */

import {
  always,
  defineScenario,
  external,
  http,
  workflow,
  workflowRows,
} from "eutaxy/cloudflare";

const rows = ["2 bolts", "5 nuts"];

export const question = {
  name: "zombie-attempt-insert",
  setup: [workflow("IMPORTS", "Import")],
  drive: http([{ path: "/imports", body: { job: "j-1", rows }, expectStatus: 202 }]),
  externals: [
    external("store", "store.example", {
      state: [] as string[],
      handle(request, stored) {
        const number = /\/rows\/(\d+)$/.exec(request.path)?.[1];
        if (request.method === "GET") return { response: { body: stored }, applied: false };
        if (request.method === "DELETE") return { state: [], response: {} };
        if (number === undefined) return { state: [...stored, request.body], response: {} };
        const state = [...stored];
        state[Number(number)] = request.body;
        return { state, response: {} };
      },
    }),
  ],
  invariants: [
    always("complete-means-imported", workflowRows("IMPORTS"), (imports) =>
      imports.every(
        ({ status, output }) =>
          status !== "complete" || JSON.stringify(output) === JSON.stringify(rows),
      ),
    ),
  ],
};

export default defineScenario({
  ...question,
  worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
  bounds: { maxFaultsPerRun: 1 },
});
