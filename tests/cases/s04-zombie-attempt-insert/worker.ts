/**
 * Imports the rows of a file into a store, then reports what is there.
 *
 *     POST /imports   starts one Workflow instance, named after the job
 *
 * The store keeps rows by job. A row that is sent to `/jobs/<job>/rows` is added to those that are
 * there; one that is sent to `/jobs/<job>/rows/<number>` replaces the one of that number.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

export interface Job {
  readonly job: string;
  readonly rows: readonly string[];
}

interface Env {
  readonly IMPORTS: Workflow<Job>;
}

export async function store(method: string, path: string, row?: string): Promise<Response> {
  const body = row === undefined ? {} : { body: row };
  const answer = await fetch(`https://store.example${path}`, { method, ...body });
  if (!answer.ok) throw new Error(`${method} ${path} gave ${answer.status}`);
  return answer;
}

export class Import extends WorkflowEntrypoint<Env, Job> {
  override async run(event: Readonly<WorkflowEvent<Job>>, step: WorkflowStep) {
    const { job } = event.payload;
    await step.do("import", { retries: { limit: 3, delay: "10 seconds" } }, () =>
      this.write(event.payload),
    );
    return step.do("count", async () => (await store("GET", `/jobs/${job}`)).json<string[]>());
  }

  /** Starts clean, so that a second attempt does not add to what the first has written. */
  protected async write({ job, rows }: Job): Promise<void> {
    await store("DELETE", `/jobs/${job}`);
    for (const row of rows) await store("POST", `/jobs/${job}/rows`, row);
  }
}

export default {
  async fetch(request, env) {
    const job = await request.json<Job>();
    await env.IMPORTS.create({ id: job.job, params: job });
    return Response.json({ accepted: job.job }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
