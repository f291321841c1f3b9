"""A swallowed error of the engine is pointed out with file and line, and can be silenced."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy._base.verdict import VerdictKind
from eutaxy._session.session import check
from tests.hosts.project import LANGUAGES, write_project

pytestmark = pytest.mark.host

SWALLOWING = {
    "typescript": """
        export class Job extends WorkflowEntrypoint {
          async run(event, step) {
            try {
              await step.do("pay\\n", async () => {}); // here
            } catch {
              return "failed";
            }
          }
        }
        export default { async fetch(request, env) {
          await log({ key: "a" });
          await env.JOBS.create({ id: "j" });
          return new Response("ok");
        } };
        """,
    "python": """
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                @step.do("pay\\n")
                async def pay():
                    pass
                try:
                    await pay()  # here
                except Exception:
                    return "failed"
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                await log({"key": "a"})
                await self.env.JOBS.create({"id": "j"})
                return Response("ok")
        """,
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_pointed_out_with_its_line(tmp_path: Path, language: str) -> None:
    path = Path(write_project(tmp_path, language, SWALLOWING[language]))
    verdict = check(str(path))
    (found,) = verdict.suspicions
    assert (verdict.kind, found.rule) == (VerdictKind.BOUNDED, "swallowed-error")
    assert "exceeds max length (256 chars) or invalid characters found" in found.text
    worker = next(path.parent.glob("worker.*"))
    lines = worker.read_text(encoding="utf-8").split("\n")
    here = next(number for number, line in enumerate(lines, 1) if "here" in line)
    assert f"{worker.name}:{here}" in found.place

    text = path.read_text(encoding="utf-8")
    typescript, python = 'silenced: ["swallowed-error"],', 'silenced=["swallowed-error"],'
    silenced = typescript if language == "typescript" else python
    part = "  setup: [" if language == "typescript" else "    setup=["
    assert text.count(part) == 1
    path.write_text(text.replace(part, f"  {silenced}\n{part}"), encoding="utf-8")
    assert check(str(path)).suspicions == ()
