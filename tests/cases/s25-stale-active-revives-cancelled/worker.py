"""Copies the state of a subscription from the payment provider's events to the database.

    POST /psp            the payment provider tells what has happened, with the subscription as it was
    GET  /orgs/<sub>     what the database says

Events come in any order.
"""

import json
from urllib.parse import urlsplit

from workers import Response, WorkerEntrypoint, fetch

DATABASE = "https://db.example"


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        if request.method == "GET":
            row = await fetch(DATABASE + urlsplit(request.url).path)
            return Response.json(await row.json())
        event = await request.json()
        row = await self.row(event)
        answer = await fetch(
            f"{DATABASE}/orgs/{event['data']['id']}",
            method="PUT",
            headers={"content-type": "application/json"},
            body=json.dumps(row),
        )
        if not answer.ok:
            return Response("try again\n", status=503)
        return Response.json({"id": event["data"]["id"]})

    async def row(self, event):
        """What to write."""
        if event["type"] == "sub.deleted":
            return {"plan": "free", "status": "canceled"}
        return {"plan": "pro", "status": event["data"]["status"]}
