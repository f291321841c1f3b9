"""`eutaxy init`: what it sees in Workers of several styles, and that what it writes runs at once."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.scripted import Run

pytestmark = pytest.mark.host

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FLOW = {"name": "flow", "binding": "FLOW", "class_name": "Flow"}


@dataclass(frozen=True)
class Small:
    """A small Worker and what is to be seen in it."""

    main: str
    code: str
    says: tuple[str, ...]
    config: dict[str, Any] = field(default_factory=dict)
    check: int = 0
    files: dict[str, str] = field(default_factory=dict)


PLAIN = Small(
    "worker.ts",
    """\
const API: string = "https://api.mailer.example/v1";
interface Env { BASE: string }
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname === "/health") return new Response("ok");
    if (url.pathname === "/signup" && request.method === "POST") {
      const { email, plan } = await request.json<any>();
      const options = { method: "POST", body: JSON.stringify({ email, plan }) };
      await fetch(`${API}/send/${plan}?x=1`, options);
      await fetch(env.BASE + "/users", { method: "put", body: email });
      return new Response("done");
    }
    const match = url.pathname.match(/^\\/users\\/([^/]+)$/);
    if (match && request.method === "DELETE") return new Response(null, { status: 204 });
    return new Response("none", { status: 404 });
  },
};
""",
    (
        "GET /health  worker.ts:6",
        "POST /signup  worker.ts:7",
        "/users/id-1  worker.ts:14",
        "api.mailer.example: POST /v1/send/:part  worker.ts:10",
        "users.example: PUT /users  worker.ts:11",
        'body: { email: "someone@mail.example", plan: "plan-1" }',
    ),
    {"vars": {"BASE": "https://users.example"}},
)
ROUTER = Small(
    "src/index.ts",
    """\
import { Router } from "./router";
const pay = new Router().basePath("/pay");
pay.post("/:orderId", async (c) => {
  const body = await c.req.json();
  const answer = await fetch(new Request("https://bank.example/transfers", { method: "POST" }));
  return new Response(String(body.amountCents) + answer.status);
});
const app = new Router();
app.get("/orders/:id", () => new Response("an order")).delete("/orders/:id", () => new Response());
app.route("/v1", pay);
const names = new Map([["/not-a-route", 1]]);
names.get("/not-a-route");
export default { fetch: (request: Request) => app.handle(request) };
""",
    (
        "POST /v1/pay/id-1  src/index.ts:3",
        "GET /orders/id-1  src/index.ts:9",
        "DELETE /orders/id-1  src/index.ts:9",
        "bank.example: POST /transfers  src/index.ts:5",
        "body: { amountCents: 100 }",
    ),
    files={
        "src/router.ts": """\
type Handler = (context: any) => Response | Promise<Response>;
export class Router {
  routes: [string, string, Handler][] = [];
  base = "";
  basePath(path: string) { this.base = path; return this; }
  add(method: string, path: string, handler: Handler) {
    this.routes.push([method, this.base + path, handler]);
    return this;
  }
  get(path: string, handler: Handler) { return this.add("GET", path, handler); }
  post(path: string, handler: Handler) { return this.add("POST", path, handler); }
  delete(path: string, handler: Handler) { return this.add("DELETE", path, handler); }
  route(path: string, other: Router) {
    for (const [method, inner, handler] of other.routes) this.add(method, path + inner, handler);
  }
  async handle(request: Request): Promise<Response> {
    const parts = new URL(request.url).pathname.split("/");
    for (const [method, path, handler] of this.routes) {
      const wanted = path.split("/");
      const fits = wanted.every((part, at) => part[0] === ":" || part === parts[at]);
      if (method === request.method && fits && wanted.length === parts.length)
        return handler({ req: request });
    }
    return new Response("none", { status: 404 });
  }
}
"""
    },
)
SWITCH = Small(
    "worker.js",
    """\
async function create(request) {
  const order = await request.json();
  return fetch("https://stock.example/reserve", { method: "POST", body: order.sku });
}
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    switch (`${request.method} ${pathname}`) {
      case "POST /orders": return create(request);
      case "GET /orders": return fetch("https://stock.example/orders");
    }
    if (pathname.startsWith("/files/")) return fetch(request.headers.get("x-to"));
    return new Response("see https://docs.example/help", { status: 404 });
  },
};
""",
    (
        "POST /orders  worker.js:9",
        "GET /orders  worker.js:10",
        "GET /files/id-1  worker.js:12",
        "stock.example: POST /reserve  worker.js:3",
        "stock.example: GET /orders  worker.js:10",
        "the URL of the call at worker.js:12",
        'body: { sku: "sku-1" }',
    ),
    # The request of /files has no header x-to, and says so.
    check=2,
)
PYTHON = Small(
    "src/entry.py",
    '''\
"""See https://in-a-docstring.example/."""
import re
from urllib.parse import urlparse

from rates import rate_of
from workers import Response, WorkerEntrypoint, fetch

AUDIT = "https://audit.example"


class Default(WorkerEntrypoint):
    async def fetch(self, request):
        path = urlparse(request.url).path
        if path == "/convert" and request.method == "POST":
            order = await request.json()
            rate = await rate_of(order["currency"])
            await fetch(f"{AUDIT}/log/{order.get('orderId')}", method="POST", body="x")
            return Response(str(rate))
        if re.match(r"^/orders/(\\w+)$", path):
            return Response("an order")
        return Response("none", status=404)
''',
    (
        "POST /convert  src/entry.py:14",
        "GET /orders/id-1  src/entry.py:19",
        "audit.example: POST /log/:part  src/entry.py:17",
        "rates.example: GET /latest/:part  src/rates.py:5",
        '"body": {"currency": "currency-1", "orderId": "id-1"}',
    ),
    {"compatibility_flags": ["python_workers"]},
    files={
        "src/rates.py": """\
from workers import fetch


async def rate_of(currency):
    answer = await fetch(f"https://rates.example/latest/{currency}")
    return answer.status
"""
    },
)
DIRECT = Small(
    "worker.ts",
    """\
import { WorkflowEntrypoint } from "cloudflare:workers";
export class Flow extends WorkflowEntrypoint {
  async run(event: any, step: any) {
    await step.do("tell", async () => { await fetch("https://hook.example/", { method: "POST" }); });
  }
}
""",
    (
        "FLOW (Flow)",
        "none seen",
        'createInstance("FLOW", { id: "id-1", params: {} })',
        "hook.example: POST /  worker.ts:4",
        "the binding SESSIONS (kv_namespaces)",
    ),
    {"workflows": [FLOW], "kv_namespaces": [{"binding": "SESSIONS", "id": "x"}]},
)
SMALL = {"plain": PLAIN, "router": ROUTER, "switch": SWITCH, "python": PYTHON, "direct": DIRECT}


def _write(folder: Path, small: Small) -> None:
    config = {"name": "shop", "main": small.main, "compatibility_date": "2026-10-01"}
    files = {
        "wrangler.jsonc": json.dumps(config | small.config),
        small.main: small.code,
        **small.files,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", SMALL)
def test_what_is_seen_is_written_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eutaxy: Run, name: str
) -> None:
    small = SMALL[name]
    _write(tmp_path, small)
    monkeypatch.chdir(tmp_path)
    ended = eutaxy("init")
    assert (ended.code, ended.err) == (0, "")
    file = "shop_sim.py" if name == "python" else "shop.sim.ts"
    written = (tmp_path / file).read_text(encoding="utf-8")
    for expected in small.says:
        assert expected in ended.out + written
    assert "not-a-route" not in written
    assert "in-a-docstring" not in written
    assert ended.out.endswith(f"Next: eutaxy check {file}\n")
    checked = eutaxy("check", file)
    assert checked.code == small.check, checked.out + checked.err


@pytest.mark.parametrize("language", ["ts", "python"])
def test_both_languages_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eutaxy: Run, language: str
) -> None:
    _write(tmp_path, PLAIN)
    monkeypatch.chdir(tmp_path)
    output = "other.sim.ts" if language == "ts" else "tests/other_sim.py"
    (tmp_path / "tests").mkdir()
    assert eutaxy("init", "--language", language, "--output", output).code == 0
    assert eutaxy("init").code == 0
    verdict, own = (
        json.loads(eutaxy("check", file, "--json").out) for file in (output, "shop.sim.ts")
    )
    assert verdict["verdict"] == "BOUNDED"
    assert verdict["coverage"] == own["coverage"]


@pytest.mark.parametrize("example", ["workflow-approval", "check-then-charge"])
@pytest.mark.parametrize("folder", [".", "python"])
def test_the_examples(tmp_path: Path, eutaxy: Run, example: str, folder: str) -> None:
    shutil.copytree(
        EXAMPLES / example,
        tmp_path / "project",
        ignore=shutil.ignore_patterns("node_modules", "*.sim.ts", "*_sim.py"),
    )
    project = tmp_path / "project" / folder
    ended = eutaxy("init", str(project))
    assert ended.code == 0
    (file,) = [*project.glob("*.sim.ts"), *project.glob("*_sim.py")]
    checked = eutaxy("check", str(file))
    assert checked.code == 0, checked.out + checked.err
    assert "BOUNDED" in checked.out


def test_an_environment_gives_its_own_bindings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eutaxy: Run
) -> None:
    environments = {"staging": {"vars": {"BASE": "https://users.staging.example"}}}
    small = Small(PLAIN.main, PLAIN.code, (), {**PLAIN.config, "env": environments})
    _write(tmp_path, small)
    monkeypatch.chdir(tmp_path)
    ended = eutaxy("init", "wrangler.jsonc", "--env", "staging")
    assert "users.staging.example: PUT /users" in ended.out
    assert ended.out.endswith("Next: eutaxy check shop-staging.sim.ts --env staging\n")
    assert eutaxy("check", "shop-staging.sim.ts", "--env", "staging").code == 0


def test_a_file_that_is_there_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eutaxy: Run
) -> None:
    _write(tmp_path, PLAIN)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.sim.ts").write_text("mine", encoding="utf-8")
    ended = eutaxy("init")
    assert ended.code == 2
    assert "shop.sim.ts is there already" in ended.err
    assert (tmp_path / "shop.sim.ts").read_text(encoding="utf-8") == "mine"
    assert eutaxy("init", "--force").code == 0
    assert "defineScenario" in (tmp_path / "shop.sim.ts").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere",), "there is no such file"),
        (("empty",), "there is none of wrangler.json, wrangler.jsonc, wrangler.toml"),
        (("--output", "x.sim.ts", "--language", "python"), "is no file of the language python"),
        (("--output", "x.txt"), 'ends with ".txt"'),
        (("--output", "nowhere/x.sim.ts"), "No such file or directory"),
        (("--env", "nowhere"), 'no environment "nowhere"'),
        (("--language", "rust"), "'rust' is not one of"),
    ],
)
def test_what_init_cannot_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    eutaxy: Run,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    _write(tmp_path, PLAIN)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    ended = eutaxy("init", *arguments)
    assert ended.code == 2
    assert says in ended.err
    assert not list(tmp_path.rglob("*sim*"))
