"""Bills a team for rendering a film, then has it rendered.

    POST /renders   starts one Workflow instance, named after the job

The accounts service keeps a balance and a journal for each team. Both take what they are told.
"""

import json

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch

ACCOUNTS = "https://accounts.example"


async def post(url, body, headers=None):
    answer = await fetch(
        url,
        method="POST",
        headers={"content-type": "application/json", **(headers or {})},
        body=json.dumps(body),
    )
    if not answer.ok:
        raise RuntimeError(f"{url} answered {answer.status}")


class Render(WorkflowEntrypoint):
    async def run(self, event, step):
        job, team, cents = (event["payload"][name] for name in ("job", "team", "cents"))

        @step.do("deduct", config={"retries": {"limit": 3, "delay": "10 seconds"}})
        async def deduct():
            await self.deduct(job, team, cents)

        @step.do("render")
        async def render():
            await post("https://renderer.example/jobs", {"job": job}, {"idempotency-key": job})

        await deduct()
        await render()

    async def deduct(self, job, team, cents):
        """Take the money, and note for what."""
        await post(f"{ACCOUNTS}/debits", {"job": job, "team": team, "cents": cents})
        await post(f"{ACCOUNTS}/journal", {"job": job, "team": team, "cents": cents})


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        job = await request.json()
        await self.env.RENDERS.create(id=job["job"], params=job)
        return Response.json({"accepted": job["job"]}, status=202)
