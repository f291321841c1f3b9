"""The same Worker. Money and journal change in one request, which says by a key what it is for."""

import worker
from worker import ACCOUNTS, Default, post

__all__ = ["Default", "Render"]


class Render(worker.Render):
    async def deduct(self, job, team, cents):
        await post(
            f"{ACCOUNTS}/transactions",
            {"debit": {"job": job, "team": team, "cents": cents}},
            {"idempotency-key": f"{job}:deduct"},
        )
