/** Shows R-LC-9: restart from one of several parallel steps also forgets those that started after it. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const values = await Promise.all(
      ["a", "b", "c"].map((name) =>
        step.do(name, async () => {
          const answer = await fetch(`http://count.example/${name}`);
          return `${name}${await answer.text()}`;
        }),
      ),
    );
    await log("end", values);
    return values;
  }
}

export default driven();
