/** Shows R-PAR-1, R-DO-6: twenty steps at once, each asking a service. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const values = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        step.do(`item ${index}`, async () => {
          const answer = await fetch(`http://items.example/${index}`);
          return `${index}:${await answer.text()}`;
        }),
      ),
    );
    return values;
  }
}

export default driven();
