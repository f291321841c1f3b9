"""Pays an expense once a manager and then somebody in finance have agreed.

POST /expenses       files an expense: one Workflow instance, named after it
POST /approve/<id>   tells that instance that somebody agrees; X-User says who
"""

import json
from urllib.parse import urlsplit

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch

LEVELS = ("manager", "finance")
LEVEL_OF_USER = {"mia": "manager", "finn": "finance"}


class PayExpense(WorkflowEntrypoint):
    async def run(self, event, step):
        expense = event["payload"]
        for level in LEVELS:
            approval = await step.wait_for_event(
                f"approval by {level}", self.approval_type.format(level=level), timeout="7 days"
            )
            if not self.counts(approval["payload"], level):
                return "refused"

        @step.do("pay")
        async def pay():
            answer = await fetch(
                "https://bank.example/transfers",
                method="POST",
                headers={"content-type": "application/json", "idempotency-key": expense["id"]},
                body=json.dumps({"expense": expense["id"], "cents": expense["cents"]}),
            )
            if not answer.ok:
                raise RuntimeError(f"the bank answered {answer.status}")

        await pay()
        return "paid"

    approval_type = "approval"

    def counts(self, approval, level):
        return approval["ok"]


class Default(WorkerEntrypoint):
    approval_type = "approval"

    async def fetch(self, request):
        match urlsplit(request.url).path.split("/")[1:]:
            case ["expenses"]:
                expense = await request.json()
                await self.file(expense)
                return Response.json({"filed": expense["id"]}, status=202)
            case ["approve", expense_id]:
                user = request.headers["x-user"]
                instance = await self.env.EXPENSES.get(expense_id)
                await instance.send_event(
                    {
                        "type": self.approval_type.format(level=LEVEL_OF_USER[user]),
                        "payload": {"ok": True, "by": user},
                    }
                )
                return Response.json({"approved": expense_id})
        return Response("no such page\n", status=404)

    async def file(self, expense):
        try:
            await self.env.EXPENSES.create(id=expense["id"], params=expense)
        except Exception as error:
            # The client asks again when it got no answer.
            if "already_exists" not in str(error):
                raise
