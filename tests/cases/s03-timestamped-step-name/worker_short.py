"""The planted Worker with pauses that are too short for an instance to leave memory."""

import worker
from worker import Default

__all__ = ["Default", "SendInvoices"]


class SendInvoices(worker.SendInvoices):
    pause = "1 minute"
