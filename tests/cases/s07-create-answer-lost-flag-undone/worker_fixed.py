"""The same Worker. An error of `create` may mean "started, and the answer was lost", so the mark stays,
and the client hears that it has to ask again. Asking again starts the instance unless it is there.
"""

import worker
from worker import OrgDelete, database
from workers import Response

__all__ = ["Default", "OrgDelete"]


class Default(worker.Default):
    async def delete(self, org):
        await database("PUT", f"/orgs/{org}/mark")
        try:
            await self.env.ORG_DELETE.create(id=org, params={"org": org})
        except Exception as error:
            if "already exists" not in str(error):
                return Response("try again\n", status=503)
        return Response.json({"org": org}, status=202)
