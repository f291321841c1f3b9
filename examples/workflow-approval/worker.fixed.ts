/**
 * The same Worker, safe to repeat: every attempt to pay one expense carries the same idempotency
 * key, so the payouts service answers a repetition with the first payout instead of paying again.
 */

import { type Expense, ExpenseApproval as Planted } from "./worker.ts";

export { default } from "./worker.ts";

export class ExpenseApproval extends Planted {
  protected override headers(expense: Expense): Record<string, string> {
    // From the expense, never from the attempt: a random key would be a new one each time.
    return { ...super.headers(expense), "idempotency-key": `pay-${expense.expenseId}` };
  }
}
