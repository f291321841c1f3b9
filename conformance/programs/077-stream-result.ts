/** Shows R-RES-5: a stream of bytes as a result: stored, and given as a new stream, also after a replay. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";
import { log, pass } from "../lib/log.ts";

export class Flow extends WorkflowEntrypoint {
  async run(_event: WorkflowEvent<unknown>, step: WorkflowStep) {
    const stream = (await step.do("stream", async () => {
      await log("made");
      return new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("hello "));
          controller.enqueue(new TextEncoder().encode("stream"));
          controller.close();
        },
      }) as never;
    })) as ReadableStream;
    await log("text", await new Response(stream).text());
    await step.do("hold", async () => {
      await log("hold");
      await pass(400);
    });
    return "end";
  }
}

export default driven();
