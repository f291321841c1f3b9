"""Mails the invoices of a batch one by one, with a pause after each.

    POST /batches   starts one Workflow instance, named after the batch

The name of each step says when it was sent, so that the dashboard reads well. `fixed.py` differs in
what a step is called, and in what it tells the mail provider.
"""

import json
import time

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch


class SendInvoices(WorkflowEntrypoint):
    pause = "10 minutes"

    async def run(self, event, step):
        for invoice in event["payload"]["invoices"]:
            await self.send(event, step, invoice)
            await step.sleep(f"pause after {invoice['id']}", self.pause)

    async def send(self, event, step, invoice):
        @step.do(self.step_name(invoice))
        async def mail():
            answer = await fetch(
                "https://mail.example/messages",
                method="POST",
                headers=self.headers(event, invoice),
                body=json.dumps({"to": invoice["to"], "invoice": invoice["id"]}),
            )
            if not answer.ok:
                raise RuntimeError(f"the mail provider answered {answer.status}")

        await mail()

    def step_name(self, invoice):
        return f"send {invoice['id']} at {time.time()}"

    def headers(self, event, invoice):
        return {"content-type": "application/json"}


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        batch = await request.json()
        try:
            await self.env.INVOICES.create(id=batch["id"], params=batch)
        except Exception as error:
            # The client asks again when it got no answer.
            if "already_exists" not in str(error):
                raise
        return Response.json({"accepted": batch["id"]}, status=202)
