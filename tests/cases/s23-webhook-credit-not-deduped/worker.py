"""Adds the credits that a customer has bought to the customer's account.

    POST /psp   the payment provider tells what has happened

The accounts service has a table of accounts and a table of events. It adds what it is told to add;
when it is told of an event too, it notes that in the same transaction, and refuses one that it has.
"""

import json

from workers import Response, WorkerEntrypoint, fetch


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        event = await request.json()
        if event["type"] != "checkout.completed":
            return Response("ignored\n")
        answer = await fetch(
            "https://accounts.example/credits",
            method="POST",
            headers={"content-type": "application/json"},
            body=json.dumps(self.credit(event)),
        )
        if not self.is_done(answer.status):
            return Response("try again\n", status=503)
        return Response("thank you\n")

    def credit(self, event):
        """What is added, to which account."""
        return {"user": event["user"], "credits": event["credits"]}

    def is_done(self, status):
        """Whether the credits are there, by what the accounts service answered."""
        return status == 200
