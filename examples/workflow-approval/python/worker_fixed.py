"""The same Worker, safe to repeat: every attempt to pay one expense carries the same idempotency
key, so the payouts service answers a repetition with the first payout instead of paying again.
"""

import worker
from worker import Default

__all__ = ["Default", "ExpenseApproval"]


class ExpenseApproval(worker.ExpenseApproval):
    def headers(self, expense):
        # From the expense, never from the attempt: a random key would be a new one each time.
        key = f"pay-{expense['expenseId']}"
        return {**super().headers(expense), "idempotency-key": key}
