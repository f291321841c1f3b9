"""The same Worker. It asks the provider how the subscription is now, and writes that only over an older
version: two events may ask in one order and write in the other.
"""

import worker
from workers import fetch

__all__ = ["Default"]


class Default(worker.Default):
    async def row(self, event):
        answer = await fetch(f"https://psp.example/subscriptions/{event['data']['id']}")
        if not answer.ok:
            raise RuntimeError(f"the provider answered {answer.status}")
        now = await answer.json()
        plan = "free" if now["status"] == "canceled" else "pro"
        return {"plan": plan, "status": now["status"], "version": now["version"]}
