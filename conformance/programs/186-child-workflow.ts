/** Shows R-CR-1, R-CR-7: an instance that creates and asks another from inside steps. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

interface Env {
  PARENT: Workflow;
  CHILD: Workflow;
}

export class Child extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<number>, step: WorkflowStep) {
    return await step.do("double", async () => {
      await log("double", event.payload);
      return event.payload * 2;
    });
  }
}

export class Parent extends WorkflowEntrypoint<Env> {
  async run(event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const id = await step.do("start child", async () => {
      const child = await this.env.CHILD.create({ id: `${event.instanceId}-child`, params: 21 });
      return child.id;
    });
    await log("started", id);
    return await step.do("await child", { retries: { limit: 20, delay: 100, backoff: "constant" } }, async () => {
      const status = await (await this.env.CHILD.get(id)).status();
      if (status.status !== "complete") throw new Error("not yet");
      return status.output as never;
    });
  }
}

export default driven();
