/** Shows R-RES-4, DIFF-11: results of 1, 2 and 5 MiB are stored by the local engine. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const sizes: number[] = [];
    for (const mebibytes of [1, 2, 5]) {
      const text = await step.do(`${mebibytes} MiB`, { retries: { limit: 0, delay: 0 } }, async () => "z".repeat(mebibytes * 1024 * 1024));
      sizes.push(text.length);
    }
    return sizes;
  }
}

export default driven();
