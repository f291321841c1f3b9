/**
 * Shows R-CR-1, R-EV-1: a Worker with its own requests: submit, approve, pay; a failing service is tried
 * again.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

interface Env {
  FLOW: Workflow;
}

export class Flow extends WorkflowEntrypoint {
  async run(event: WorkflowEvent<{ id: string; cents: number }>, step: WorkflowStep) {
    const expense = event.payload;
    const decision = await step.waitForEvent<{ approved: boolean }>("decision", { type: "decision", timeout: "10 seconds" });
    if (!decision.payload.approved) return { paid: false };
    const payout = await step.do("pay", { retries: { limit: 2, delay: 0 } }, async () => {
      const answer = await fetch("http://payouts.example/payouts", { method: "POST", body: JSON.stringify(expense) });
      if (!answer.ok) throw new Error(`payout failed with ${answer.status}`);
      return (await answer.json()) as { payoutId: string };
    });
    return { paid: true, ...payout };
  }
}

export default driven({
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, , id, action] = new URL(request.url).pathname.split("/");
    try {
      if (id === undefined) {
        const expense = (await request.json()) as { id: string };
        const instance = await env.FLOW.create({ id: expense.id, params: expense });
        return Response.json({ submitted: instance.id }, { status: 202 });
      }
      const instance = await env.FLOW.get(id);
      if (action === "decision") {
        await instance.sendEvent({ type: "decision", payload: await request.json() });
        return Response.json({ decided: id });
      }
      const { status, output } = await instance.status();
      return Response.json({ status, output });
    } catch (error) {
      return Response.json({ error: (error as Error).message }, { status: 409 });
    }
  },
});
