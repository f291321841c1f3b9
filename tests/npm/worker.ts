/** Type-checked only: the scenario API gets along with the types of Workers. */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

interface Env {
  readonly ORDERS: Workflow<{ readonly id: string }>;
}

export class OrderFlow extends WorkflowEntrypoint<Env, { readonly id: string }> {
  override async run(event: WorkflowEvent<{ readonly id: string }>, step: WorkflowStep) {
    return step.do("pay", async () => event.payload.id);
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    await env.ORDERS.create({ params: await request.json() });
    return new Response("ok");
  },
} satisfies ExportedHandler<Env>;
