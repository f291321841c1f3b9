"""The same Worker; its steps have names that stay, and the mail provider hears which mail it is."""

import worker
from worker import Default

__all__ = ["Default", "SendInvoices"]


class SendInvoices(worker.SendInvoices):
    def step_name(self, invoice):
        return f"send {invoice['id']}"

    def headers(self, event, invoice):
        key = f"{event['instanceId']}:{invoice['id']}"
        return {**super().headers(event, invoice), "idempotency-key": key}
