/**
 * Bills all customers for a month, then tells the office how many invoices there are.
 *
 *     POST /months   starts one Workflow instance, named after the month
 *
 * The accounting service answers each new invoice with the whole document.
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

export interface Month {
  readonly month: string;
  readonly customers: readonly string[];
}

interface Invoice {
  readonly document: string;
}

export const RETRIES = { retries: { limit: 3, delay: "10 seconds" } } as const;

interface Env {
  readonly MONTHS: Workflow<Month>;
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<Response> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer;
}

export class InvoiceMonth extends WorkflowEntrypoint<Env, Month> {
  override async run(event: Readonly<WorkflowEvent<Month>>, step: WorkflowStep) {
    const { month } = event.payload;
    const count = await this.invoice(event.payload, step);
    await step.do("tell the office", async () => {
      await post("https://mail.example/messages", { "idempotency-key": month }, { month, count });
    });
  }

  /** Bills everybody; how many invoices that made. */
  protected async invoice(month: Month, step: WorkflowStep): Promise<number> {
    const created = await step.do("create the invoices", RETRIES, () => this.create(month));
    return created.length;
  }

  protected async create({ month, customers }: Month): Promise<Invoice[]> {
    const created: Invoice[] = [];
    for (const customer of customers) {
      const invoice = `${month}:${customer}`;
      const answer = await post(
        "https://accounting.example/invoices",
        this.headers(invoice),
        { invoice },
      );
      created.push(await answer.json<Invoice>());
    }
    return created;
  }

  /** What the accounting service is told besides the invoice; `worker.fixed.ts` adds a key. */
  protected headers(_invoice: string): Record<string, string> {
    return {};
  }
}

export default {
  async fetch(request, env) {
    const month = await request.json<Month>();
    await env.MONTHS.create({ id: month.month, params: month });
    return Response.json({ accepted: month.month }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
