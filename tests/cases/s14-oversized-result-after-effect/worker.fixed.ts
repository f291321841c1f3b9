/**
 * The same Worker. The step returns how many invoices there are, not the invoices, and each request
 * says which invoice it is about.
 */

import type { WorkflowStep } from "cloudflare:workers";
import { InvoiceMonth as Planted, type Month, RETRIES } from "./worker.ts";

export { default } from "./worker.ts";

export class InvoiceMonth extends Planted {
  protected override invoice(month: Month, step: WorkflowStep): Promise<number> {
    return step.do("create the invoices", RETRIES, async () => (await this.create(month)).length);
  }

  protected override headers(invoice: string): Record<string, string> {
    return { "idempotency-key": invoice };
  }
}
