/**
 * The same Worker, which first creates the instance that waits and lets that one submit the job; and
 * which lets the renderer call again when the instance could not be told. A callback that arrives
 * when the wait has just run out is accepted and not heard, so the instance asks before it gives up.
 */

import { type WorkflowStep } from "cloudflare:workers";
import {
  call,
  type Env,
  ExportReport as Planted,
  type Job,
  render,
  type Rendered,
  start,
} from "./worker.ts";

export class ExportReport extends Planted {
  protected override async rendered(job: string, step: WorkflowStep): Promise<string> {
    await step.do("submit", () => render(job));
    try {
      return await super.rendered(job, step);
    } catch {
      return await step.do("ask the renderer", async () => {
        const answer = await call("GET", `https://renderer.example/jobs/${job}`);
        return (await answer.json<Rendered>()).url;
      });
    }
  }
}

export default {
  async fetch(request, env) {
    const [, route, id] = new URL(request.url).pathname.split("/");
    if (route === "cb" && id) {
      try {
        const instance = await env.EXPORTS.get(id);
        await instance.sendEvent({ type: "done", payload: await request.json<Rendered>() });
      } catch {
        return new Response("call again\n", { status: 503 });
      }
      return new Response("thank you\n");
    }
    const { job } = await request.json<Job>();
    await start(job, env);
    return Response.json({ accepted: job }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
