/** Shows R-DLY-1, R-ERR-2: what a delay function is told of errors of several kinds. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const kinds = [new TypeError("typed"), new RangeError("ranged"), Object.assign(new Error("coded"), { code: 7 }), "text"];
    for (const [index, thrown] of kinds.entries()) {
      try {
        await step.do(
          `kind ${index}`,
          {
            retries: {
              limit: 1,
              delay: async ({ error }) => {
                await log(`kind-${index}`, { name: error.name, message: error.message, code: (error as { code?: number }).code });
                return 0;
              },
            },
          },
          async () => {
            throw thrown;
          },
        );
      } catch {
        await log(`kind-${index}-failed`);
      }
    }
  }
}

export default driven();
