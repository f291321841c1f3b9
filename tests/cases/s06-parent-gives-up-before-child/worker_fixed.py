"""The same Worker. The instance that has the job looks before it gives up; and the one that does the
work books a failure only when rendering has failed, not when nobody wants to hear of it.
"""

from itertools import count

import worker
from worker import PATIENCE, Default, book

__all__ = ["Default", "DoJob", "Render"]


class DoJob(worker.DoJob):
    async def await_render(self, job, step):
        for number in count(1):
            try:
                await step.wait_for_event(f"rendered {number}", "rendered", timeout=PATIENCE)
            except Exception:
                status = await self.status_of_render(job, step, number)
            else:
                status = "complete"
            if status == "complete":
                await self.finish(job, step, "done")
                return
            if status in ("errored", "terminated"):
                # It has booked that itself.
                return

    async def status_of_render(self, job, step, number):
        @step.do(f"look {number}")
        async def look():
            instance = await self.env.RENDERS.get(f"{job}-render")
            return (await instance.status())["status"]

        return await look()


class Render(worker.Render):
    async def run(self, event, step):
        job = event["payload"]["job"]

        @step.do("book as failed")
        async def book_as_failed():
            await book(job, "failed")

        try:
            await self.render(job, step)
        except Exception:
            await book_as_failed()
            raise
        await self.notify(event["payload"]["parent"], step)

    async def tell(self, parent):
        instance = await self.env.JOBS.get(parent)
        try:
            await instance.send_event({"type": "rendered"})
        except Exception:
            # It may have ended, because it has looked, or because it was told by an earlier attempt.
            if (await instance.status())["status"] != "complete":
                raise
