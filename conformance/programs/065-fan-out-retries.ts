/** Shows R-PAR-1, R-RT-1: parallel steps are retried each on its own. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const values = await Promise.all(
      ["a", "b", "c"].map((name) =>
        step.do(name, { retries: { limit: 3, delay: 0 } }, async (ctx) => {
          const answer = await fetch(`http://items.example/${name}`);
          if (!answer.ok) throw new Error(`${name} ${answer.status}`);
          return `${name}${ctx.attempt}`;
        }),
      ),
    );
    return values;
  }
}

export default driven();
