"""What is wrong with a scenario and shows only when the Worker runs: said with the user's line."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy._base.verdict import VerdictKind
from eutaxy._session.session import check
from eutaxy.errors import ScenarioError
from tests.hosts.project import LANGUAGES, write_project

pytestmark = pytest.mark.host

both = pytest.mark.parametrize("language", LANGUAGES)

LOGGING = {
    "typescript": """
        export class Job extends WorkflowEntrypoint { async run() {} }
        export default { async fetch() {
          await log({ key: "a", cents: 5 });
          return Response.json({ gone: true }, { status: 404 });
        } };
        """,
    "python": """
        class Job(WorkflowEntrypoint):
            async def run(self, event, step):
                pass
        class Default(WorkerEntrypoint):
            async def fetch(self, request):
                await log({"key": "a", "cents": 5})
                return Response.json({"gone": True}, status=404)
        """,
}


def project(folder: Path, language: str, part: str, replacement: str) -> tuple[str, str]:
    """A project whose scenario has something else in one place: its path, and "file:line"."""
    path = Path(write_project(folder, language, LOGGING[language]))
    text = path.read_text(encoding="utf-8")
    assert text.count(part) == 1
    path.write_text(text.replace(part, replacement), encoding="utf-8")
    return str(path), f"{path}:{text.count(chr(10), 0, text.index(part)) + 1}"


@both
def test_a_misspelt_key_path_names_the_keys_that_there_are(tmp_path: Path, language: str) -> None:
    path, line = project(tmp_path, language, '"args.body.key"', '"args.body.kye"')
    with pytest.raises(ScenarioError) as error:
        check(path)
    assert error.value.found == "there is no 'kye' in args.body; there is 'key', 'cents'"
    assert error.value.place.rsplit(":", 1)[0] == line


@both
def test_an_answer_that_is_not_expected_shows_the_answer(tmp_path: Path, language: str) -> None:
    member = "expectStatus" if language == "typescript" else '"expect_status"'
    part = 'method: "POST", body: {}' if language == "typescript" else '"POST", "body": {}'
    path, line = project(tmp_path, language, part, part.replace("{}", f"{{}}, {member}: 202"))
    with pytest.raises(ScenarioError) as error:
        check(path)
    assert error.value.found.startswith(
        "req-1 (POST https://worker.example/) is answered with status 404, but it expects 202: "
    )
    assert error.value.place.rsplit(":", 1)[0] == line


@both
def test_an_external_that_is_never_called_is_pointed_out(tmp_path: Path, language: str) -> None:
    host, more = '"log", "log.example"', '"mail", "mail.example"'
    part = f"external({host}"
    path, line = project(tmp_path, language, part, f"external({more}), {part}")
    verdict = check(path)
    assert verdict.kind is VerdictKind.BOUNDED
    (found,) = verdict.suspicions
    assert found.rule == "unused-external"
    assert found.text == 'external "mail" (mail.example) is never called in the whole search'
    assert found.place.rsplit(":", 1)[0] == line
