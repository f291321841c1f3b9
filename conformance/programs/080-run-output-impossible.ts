/** Shows R-RES-6: outputs that cannot be stored end the instance with an error. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<string>, step: WorkflowStep) {
    class Point {
      constructor(readonly x: number) {}
    }
    const outputs: Record<string, () => unknown> = {
      function: () => () => 1,
      symbol: () => Symbol("s"),
      instance: () => new Point(1),
      response: () => new Response("r"),
    };
    return outputs[event.payload]() as never;
  }
}

export default driven();
