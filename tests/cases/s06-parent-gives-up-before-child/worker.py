"""Renders a picture: one instance has the job, and starts another that does the work.

    POST /jobs   starts the instance that has the job, named after it

The one that has the job waits for an event from the other, and books the job as done or as failed.
"""

import json

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch

PATIENCE = "30 minutes"


async def send(method, url, body):
    answer = await fetch(
        url,
        method=method,
        headers={"content-type": "application/json"},
        body=json.dumps(body),
    )
    if not answer.ok:
        raise RuntimeError(f"{url} answered {answer.status}")


async def book(job, state):
    await send("PUT", f"https://shop.example/jobs/{job}", {"job": job, "state": state})


async def start_once(workflow, instance_id, params):
    """Start an instance unless a request or an attempt that was not heard has started it."""
    try:
        await workflow.create(id=instance_id, params=params)
    except Exception as error:
        if "already_exists" not in str(error):
            raise


class DoJob(WorkflowEntrypoint):
    async def run(self, event, step):
        job = event["payload"]["job"]

        @step.do("start")
        async def start():
            params = {"job": job, "parent": event["instanceId"]}
            await start_once(self.env.RENDERS, f"{job}-render", params)

        await start()
        await self.await_render(job, step)

    async def await_render(self, job, step):
        try:
            await step.wait_for_event("rendered", "rendered", timeout=PATIENCE)
        except Exception:
            await self.finish(job, step, "failed")
        else:
            await self.finish(job, step, "done")

    async def finish(self, job, step, state):
        @step.do(f"book as {state}")
        async def book_it():
            await book(job, state)

        await book_it()


class Render(WorkflowEntrypoint):
    async def run(self, event, step):
        job = event["payload"]["job"]

        @step.do("book as failed")
        async def book_as_failed():
            await book(job, "failed")

        try:
            await self.render(job, step)
            await self.notify(event["payload"]["parent"], step)
        except Exception:
            await book_as_failed()
            raise

    async def render(self, job, step):
        @step.do("render", config={"timeout": "60 minutes"})
        async def render():
            await send("POST", "https://gpu.example/renders", {"job": job})
            await send("PUT", f"https://store.example/out/{job}", {"job": job})

        await render()

    async def notify(self, parent, step):
        @step.do("notify")
        async def notify():
            await self.tell(parent)

        await notify()

    async def tell(self, parent):
        instance = await self.env.JOBS.get(parent)
        await instance.send_event({"type": "rendered"})


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        job = await request.json()
        await start_once(self.env.JOBS, job["job"], job)
        return Response.json({"accepted": job["job"]}, status=202)
