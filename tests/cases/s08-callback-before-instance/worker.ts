/**
 * Has a report rendered elsewhere, and publishes it.
 *
 *     POST /exports    gives the job to the renderer, and starts an instance that waits for it
 *     POST /cb/<job>   the renderer has finished: tells the instance
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

export interface Job {
  readonly job: string;
}

export interface Rendered {
  readonly url: string;
}

export interface Env {
  readonly EXPORTS: Workflow<Job>;
}

export class ExportReport extends WorkflowEntrypoint<Env, Job> {
  override async run(event: Readonly<WorkflowEvent<Job>>, step: WorkflowStep) {
    const { job } = event.payload;
    const url = await this.rendered(job, step);
    await step.do("publish", async () => {
      await call("PUT", `https://site.example/reports/${job}`, { url });
    });
  }

  /** The address of the rendered report. The handler has submitted the job already. */
  protected async rendered(_job: string, step: WorkflowStep): Promise<string> {
    const done = await step.waitForEvent<Rendered>("rendered", {
      type: "done",
      timeout: "15 minutes",
    });
    return done.payload.url;
  }
}

/** All services here know a job by its id, and do each only once. */
export async function call(method: string, url: string, body?: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer;
}

export async function render(job: string): Promise<void> {
  await call("PUT", `https://renderer.example/jobs/${job}`, { callback: `/cb/${job}` });
}

export async function start(job: string, env: Env): Promise<void> {
  try {
    await env.EXPORTS.create({ id: job, params: { job } });
  } catch (error) {
    // The client asks again when it got no answer.
    if (!String(error).includes("already_exists")) throw error;
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
        // Nobody is interested in it any more.
      }
      return new Response("thank you\n");
    }
    const { job } = await request.json<Job>();
    await render(job);
    await start(job, env);
    return Response.json({ accepted: job }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
