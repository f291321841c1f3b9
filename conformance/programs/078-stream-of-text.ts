/** Shows R-RES-5: a stream that gives text instead of bytes. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, seen } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    try {
      const stream = await step.do("stream", { retries: { limit: 1, delay: 0 } }, async () => {
        await log("made");
        return new ReadableStream({
          start(controller) {
            controller.enqueue("text");
            controller.close();
          },
        }) as never;
      });
      await log("given");
      await log("text", await new Response(stream).text());
    } catch (error) {
      await log("caught", seen(error));
    }
    await log("after");
  }
}

export default driven();
