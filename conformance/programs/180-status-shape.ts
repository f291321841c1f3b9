/**
 * Shows R-ST-1, R-ST-3, R-ST-4, DIFF-15: which keys status() gives while running, complete, errored and
 * terminated.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

interface Env {
  FLOW: Workflow;
}

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    if (event.payload === "fail") throw new TypeError("failed");
    const one = await step.do("one", async () => ({ date: new Date(1000) }));
    if (event.payload === "hang") await step.sleep("long", "10 minutes");
    await step.do("two", async () => undefined);
    return { one, nothing: undefined };
  }
}

export default driven({
  async fetch(request: Request, env: Env): Promise<Response> {
    const id = new URL(request.url).pathname.split("/")[2];
    const instance = await env.FLOW.get(id);
    const status = await instance.status();
    return Response.json({ id: instance.id, keys: Object.keys(status).sort(), hasError: status.error !== undefined, status: status.status });
  },
});
