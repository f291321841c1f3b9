"""Keeps short links of organisations, and deletes an organisation with all its links.

    DELETE /orgs/<id>         marks the organisation, then starts a Workflow instance that deletes it
                              at night
    POST   /orgs/<id>/links   adds a link, unless the organisation is marked

The database answers 201 when it has marked the organisation or stored the link, 409 when the
organisation was marked already.
"""

from urllib.parse import urlsplit

from workers import Response, WorkerEntrypoint, WorkflowEntrypoint, fetch


async def database(method, path):
    answer = await fetch(f"https://db.example{path}", method=method)
    if not answer.ok and answer.status != 409:
        raise RuntimeError(f"{method} {path} gave {answer.status}")
    return answer.status


class OrgDelete(WorkflowEntrypoint):
    async def run(self, event, step):
        org = event["payload"]["org"]

        @step.do("delete the links")
        async def delete_links():
            await database("DELETE", f"/orgs/{org}/links")

        @step.do("delete the organisation")
        async def delete_org():
            await database("DELETE", f"/orgs/{org}")

        await step.sleep("until the night", "6 hours")
        await delete_links()
        await delete_org()


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        match request.method, urlsplit(request.url).path.split("/")[1:]:
            case "DELETE", ["orgs", org]:
                return await self.delete(org)
            case "POST", ["orgs", org, "links"]:
                status = await database("POST", f"/orgs/{org}/links")
                return Response.json({"org": org}, status=status)
        return Response("no such page\n", status=404)

    async def delete(self, org):
        if await database("PUT", f"/orgs/{org}/mark") == 409:
            return Response.json({"org": org}, status=202)
        try:
            await self.env.ORG_DELETE.create(id=org, params={"org": org})
        except Exception:
            # The organisation must not stay unusable when its deletion did not start.
            await database("DELETE", f"/orgs/{org}/mark")
            raise
        return Response.json({"org": org}, status=202)
