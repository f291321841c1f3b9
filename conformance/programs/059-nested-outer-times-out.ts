/** Shows R-NEST-1, R-TO-3: the outer step times out while its inner step works; the inner step goes on. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      await step.do("outer", { retries: { limit: 0, delay: 0 }, timeout: 300 }, async () => {
        await log("outer");
        const value = await step.do("inner", async () => {
          await pass(700);
          await log("inner");
          return "inner";
        });
        await log("outer-end", value);
      });
    } catch (error) {
      await log("caught", seen(error));
    }
    await step.sleep("stay", 900);
  }
}

export default driven();
