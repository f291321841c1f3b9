/**
 * Pays expenses back once a manager has agreed.
 *
 *     POST /expenses                 files an expense: one Workflow instance, named after it
 *     POST /expenses/<id>/decision   tells that instance what the manager decided
 *
 * The instance sleeps until the decision arrives, then pays inside a step. Whether "inside a step"
 * means "once" is what `expenses.sim.ts` asks.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

export interface Expense {
  readonly expenseId: string;
  readonly employee: string;
  readonly amountCents: number;
}

export interface Decision {
  readonly approved: boolean;
  readonly by: string;
}

interface Payout {
  readonly payoutId: string;
}

interface Env {
  readonly APPROVALS: Workflow<Expense>;
}

export class ExpenseApproval extends WorkflowEntrypoint<Env, Expense> {
  override async run(event: Readonly<WorkflowEvent<Expense>>, step: WorkflowStep) {
    const expense = event.payload;
    const decision = await step.waitForEvent<Decision>("the manager's decision", {
      type: "decision",
      timeout: "7 days",
    });
    if (!decision.payload.approved) return { paid: false };

    return step.do("pay the employee", async () => {
      const answer = await fetch("https://payouts.example/payouts", {
        method: "POST",
        headers: this.headers(expense),
        body: JSON.stringify(expense),
      });
      // A step that throws is tried again.
      if (!answer.ok) throw new Error(`the payouts service answered ${answer.status}`);
      return { paid: true, payout: await answer.json<Payout>() };
    });
  }

  /** Headers of the payout; `worker.fixed.ts` adds one. */
  protected headers(_expense: Expense): Record<string, string> {
    return { "content-type": "application/json" };
  }
}

export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response("only POST\n", { status: 405 });
    const [, collection, id, action] = new URL(request.url).pathname.split("/");
    if (collection === "expenses" && id === undefined) {
      const expense = await request.json<Expense>();
      await env.APPROVALS.create({ id: expense.expenseId, params: expense });
      return Response.json({ filed: expense.expenseId }, { status: 202 });
    }
    if (collection === "expenses" && id && action === "decision") {
      const decision = await request.json<Decision>();
      const approval = await env.APPROVALS.get(id);
      await approval.sendEvent({ type: "decision", payload: decision });
      return Response.json({ decided: id });
    }
    return new Response("no such page\n", { status: 404 });
  },
} satisfies ExportedHandler<Env>;
