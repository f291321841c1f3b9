"""Charges an order: POST /orders starts one Workflow instance, named after the order.

A step may run more than once, and its author knows it: before it charges, it asks the payments
service whether that order is charged already. `charge_sim.py` asks whether that is enough.
"""

import json
from urllib.parse import urlsplit

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch

CHARGES = "https://payments.example/charges"
CONFIG = {
    "retries": {"limit": 3, "delay": "10 seconds", "backoff": "constant"},
    "timeout": "30 seconds",
}


class ChargeOrder(WorkflowEntrypoint):
    async def run(self, event, step):
        order = event["payload"]

        @step.do("charge the order", config=CONFIG)
        async def charge():
            await self.charge_unless_charged(order)

        await charge()
        return {"charged": order["orderId"]}

    async def charge_unless_charged(self, order):
        known = await fetch(f"{CHARGES}/{order['orderId']}")
        if known.ok:
            return
        if known.status != 404:
            raise RuntimeError(f"asking for the charge gave {known.status}")
        made = await fetch(
            CHARGES,
            method="POST",
            headers=self.headers(order),
            body=json.dumps(order),
        )
        if not made.ok:
            raise RuntimeError(f"charging gave {made.status}")

    def headers(self, order):
        """Headers of a charge; `worker_fixed.py` adds one."""
        return {"content-type": "application/json"}


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        if request.method != "POST" or urlsplit(request.url).path != "/orders":
            return Response("only POST /orders\n", status=404)
        order = await request.json()
        await self.env.ORDERS.create(id=order["orderId"], params=order)
        return Response.json({"accepted": order["orderId"]}, status=202)
