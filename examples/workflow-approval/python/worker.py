"""Pays expenses back once a manager has agreed.

    POST /expenses                 files an expense: one Workflow instance, named after it
    POST /expenses/<id>/decision   tells that instance what the manager decided

The instance sleeps until the decision arrives, then pays inside a step. Whether "inside a step"
means "once" is what `expenses_sim.py` asks.
"""

import json
from urllib.parse import urlsplit

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch


class ExpenseApproval(WorkflowEntrypoint):
    async def run(self, event, step):
        expense = event["payload"]
        decision = await step.wait_for_event("the manager's decision", "decision", timeout="7 days")
        if not decision["payload"]["approved"]:
            return {"paid": False}

        @step.do("pay the employee")
        async def pay():
            answer = await fetch(
                "https://payouts.example/payouts",
                method="POST",
                headers=self.headers(expense),
                body=json.dumps(expense),
            )
            if not answer.ok:
                # A step that raises is tried again.
                raise RuntimeError(f"the payouts service answered {answer.status}")
            return {"paid": True, "payout": await answer.json()}

        return await pay()

    def headers(self, expense):
        """Headers of the payout; `worker_fixed.py` adds one."""
        return {"content-type": "application/json"}


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        if request.method != "POST":
            return Response("only POST\n", status=405)
        match urlsplit(request.url).path.split("/")[1:]:
            case ["expenses"]:
                expense = await request.json()
                await self.env.APPROVALS.create(id=expense["expenseId"], params=expense)
                return Response.json({"filed": expense["expenseId"]}, status=202)
            case ["expenses", expense_id, "decision"]:
                decision = await request.json()
                approval = await self.env.APPROVALS.get(expense_id)
                await approval.send_event({"type": "decision", "payload": decision})
                return Response.json({"decided": expense_id})
        return Response("no such page\n", status=404)
