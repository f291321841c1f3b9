"""Files expenses and pays them back once a manager agrees; the twin of `expenses.cjs`."""
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN201, ANN202 - written as users write Workers

import json
import re
from urllib.parse import urlsplit

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch

PAYOUTS = "https://payouts.example/payouts"


async def pay_out(expense):
    answer = await fetch(
        PAYOUTS,
        method="POST",
        headers={"Content-Type": "application/json"},
        body=json.dumps(expense, separators=(",", ":"), ensure_ascii=False),
    )
    if not answer.ok:
        raise RuntimeError(f"the payouts service said {answer.status}")
    return await answer.json()


class Job(WorkflowEntrypoint):
    async def run(self, event, step):
        expense = event["payload"]
        decision = await step.wait_for_event("manager decision", "decision", timeout="7 days")
        if not decision["payload"]["approved"]:
            return {"expenseId": expense["expenseId"], "paid": False}

        @step.do("pay out", config={"retries": {"limit": 3, "delay": 1000}})
        async def pay():
            return await pay_out(expense)

        payout = await pay()
        return {"expenseId": expense["expenseId"], "paid": True, "payoutId": payout["payoutId"]}


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        path = urlsplit(request.url).path
        decided = re.fullmatch(r"/expenses/([\w-]+)/decision", path)
        if request.method == "POST" and path == "/expenses":
            expense = await request.json()
            instance = await self.env.JOBS.create(id=expense["expenseId"], params=expense)
            return Response(f"filed {instance.id}", status=202)
        if request.method == "POST" and decided:
            instance = await self.env.JOBS.get(decided[1])
            state = await instance.status()
            if state["status"] == "complete":
                return Response("too late", status=409, headers={"X-State": "complete"})
            event = {"type": "decision", "payload": await request.json()}
            await instance.send_event(event)
            return Response(None, status=204)
        return Response("not found", status=404)
