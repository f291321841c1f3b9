"""The same Worker. "Failed" may mean "done, and the answer was lost", so it asks the payments service,
and goes on asking until it answers. A charge that is not there is voided, so that it cannot be made
later by a request that is still under way.
"""

import worker
from worker import PAYMENTS, Default
from workers import fetch

__all__ = ["Default", "Order"]

PATIENTLY = {"retries": {"limit": 20, "delay": "30 seconds", "backoff": "constant"}}


class Order(worker.Order):
    async def is_charged(self, step, order):
        @step.do("ask for the charge", config=PATIENTLY)
        async def ask():
            charge = await fetch(f"{PAYMENTS}/charges/{order}")
            if charge.status == 200:
                return True
            voided = await fetch(f"{PAYMENTS}/charges/{order}", method="DELETE")
            # 409: it has been charged in the meantime.
            if voided.status not in (200, 409):
                raise RuntimeError(f"voiding the charge gave {voided.status}")
            return voided.status == 409

        return await ask()
