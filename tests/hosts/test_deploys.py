"""A deploy in the middle, from the scenario to the verdict, in both languages (F-RUN-5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy._base.verdict import VerdictKind
from eutaxy._session.session import check
from eutaxy.errors import ScenarioError
from tests.hosts.project import LANGUAGES, write_project

pytestmark = pytest.mark.host

RENAMING = {
    "typescript": """
        export class Job extends WorkflowEntrypoint {
          async run(event, step) {
            await step.do("pay", async () => { await log({ key: "a" }); });
            await step.sleep("a while", "1 hour");
          }
        }
        export class JobNext extends WorkflowEntrypoint {
          async run(event, step) {
            await step.do("pay the order", async () => { await log({ key: "a" }); });
            await step.sleep("a while", "1 hour");
          }
        }
        export default { async fetch(request, env) {
          await env.JOBS.create({ id: "j" });
          return new Response("ok");
        } };
        """,
    "python": """
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                @step.do("pay")
                async def pay():
                    await log({"key": "a"})
                await pay()
                await step.sleep("a while", "1 hour")
        class JobNext(WorkflowEntrypoint):
            async def run(self, event, step):
                @step.do("pay the order")
                async def pay():
                    await log({"key": "a"})
                await pay()
                await step.sleep("a while", "1 hour")
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                await self.env.JOBS.create({"id": "j"})
                return Response("ok")
        """,
}
CHANGES = {
    "typescript": (
        ('workflow("JOBS", "Job")', 'workflow("JOBS", "Job", {{ nextClass: "{next}" }})'),
        (
            "maxFaultsPerRun: 0,",
            (
                "maxFaultsPerRun: 1, faults: {{ crash: 0, requestLost: 0, answerLost: 0, "
                "answerLate: 0, storeFailed: 0, deployed: {deploys} }},"
            ),
        ),
    ),
    "python": (
        ('workflow("JOBS", "Job")', 'workflow("JOBS", "Job", next_class="{next}")'),
        (
            "max_faults_per_run=0,",
            (
                'max_faults_per_run=1, faults={{"crash": 0, "request_lost": 0, "answer_lost": 0, '
                '"answer_late": 0, "store_failed": 0, "deployed": {deploys}}},'
            ),
        ),
    ),
}


def scenario(folder: Path, language: str, *, deploys: int = 1, named: str = "JobNext") -> str:
    """A scenario in which nothing but so many deploys may come."""
    path = Path(write_project(folder, language, RENAMING[language]))
    text = path.read_text(encoding="utf-8")
    for part, other in CHANGES[language]:
        assert text.count(part) == 1
        text = text.replace(part, other.format(next=named, deploys=deploys))
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_renamed_step_pays_again_after_a_deploy(tmp_path: Path, language: str) -> None:
    """F-RUN-5."""
    verdict = check(scenario(tmp_path, language))
    assert verdict.kind is VerdictKind.VIOLATED
    (violation,) = verdict.violations
    assert [mark.fault.value for mark in violation.faults] == ["deployed"]
    without = check(scenario(tmp_path, language, deploys=0))
    assert without.kind is VerdictKind.BOUNDED


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_class_of_the_new_version_has_to_be_exported(tmp_path: Path, language: str) -> None:
    with pytest.raises(ScenarioError, match="exports no class JobNxt") as error:
        check(scenario(tmp_path, language, named="JobNxt"))
    assert "did you mean `JobNext`" in error.value.found
