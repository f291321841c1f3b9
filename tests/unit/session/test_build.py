"""What a declared scenario becomes, and what is said about one that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy._base.bounds import Bounds
from eutaxy._base.scenario import (
    BUILT_IN,
    AtMostOncePerKey,
    CannedResponse,
    Dedupe,
    External,
    HttpRequest,
    Keyed,
    Scenario,
    Seen,
    Selector,
    Timing,
    Unique,
    WorkflowRows,
    WorkflowSetup,
)
from eutaxy._base.value import NULL, Value
from eutaxy.errors import ExitCode, ScenarioError
from tests.unit.session.written import ORDERS, build, line_of


def test_every_part_of_a_scenario(tmp_path: Path) -> None:
    scenario = build(tmp_path, ORDERS)
    at = "sim/orders_sim.py"
    assert scenario.name == "orders"
    assert scenario.path == at
    assert scenario.entry == str(tmp_path / "worker.py")
    assert scenario.config == str(tmp_path / "wrangler.toml")
    assert scenario.downtime_ms == 3_000
    assert scenario.bounds == Bounds(max_faults=2, budget_ms=500)
    assert scenario.setup == (
        WorkflowSetup(binding="ORDERS", class_name="OrderFlow", place=f"{at}:7:12"),
    )
    assert scenario.drive == (
        HttpRequest(
            name="req-1",
            method="POST",
            url="https://worker.example/orders",
            headers=(("content-type", "application/json"),),
            body=Value('"{\\"id\\":\\"o-1\\"}"'),
            place=f"{at}:9:9",
        ),
        HttpRequest(
            name="req-2",
            method="GET",
            url="https://worker.example/orders",
            headers=(),
            body=NULL,
            place=f"{at}:10:9",
        ),
        HttpRequest(
            name="req-3",
            method="PUT",
            url="https://shop.example/x?y=1",
            headers=(("content-type", "text/plain;charset=UTF-8"),),
            body=Value('"hi"'),
            timing=Timing(after_ms=120_000, has_time=True),
            place=f"{at}:11:9",
        ),
    )
    pay = CannedResponse(
        method="POST",
        path="/pay",
        status=201,
        headers=(("content-type", "application/json"),),
        body='{"ok":true}',
        place=f"{at}:18:24",
    )
    assert scenario.externals == (
        External(
            name="bank",
            host="bank.example",
            dedupe=Dedupe(header="idempotency-key"),
            responses=(pay,),
            place=f"{at}:14:9",
        ),
        External(
            name="mail",
            host="mail.example:8080",
            responses=(),
            place=f"{at}:20:9",
        ),
    )
    assert scenario.invariants == (
        AtMostOncePerKey(
            name="charged-once",
            what=Keyed(
                selector=Selector(
                    seen=Seen.FETCH, target="bank", operation="POST", place=f"{at}:23:30"
                ),
                key_path="args.body.id",
            ),
            place=f"{at}:23:9",
        ),
        Unique(
            name="one-run",
            rows=WorkflowRows(binding="ORDERS", place=f"{at}:24:27"),
            key_path="params.id",
            place=f"{at}:24:9",
        ),
    )


def test_what_may_be_left_out(tmp_path: Path) -> None:
    text = ORDERS.replace("    bounds=bounds(max_faults_per_run=2, budget_ms=500),\n", "")
    text = text.replace('    downtime="3 seconds",\n', "")
    scenario = build(tmp_path, text)
    assert scenario.bounds == Bounds()
    assert scenario.downtime_ms == 1_000


def _third_request(scenario: Scenario) -> HttpRequest:
    request = scenario.drive[2]
    assert isinstance(request, HttpRequest)
    return request


@pytest.mark.parametrize(
    ("body", "value", "content_type"),
    [
        ("'text'", '"text"', "text/plain;charset=UTF-8"),
        ("''", '""', "text/plain;charset=UTF-8"),
        ("b'\\x00\\x01'", '{"$":"bytes","as":"Uint8Array","of":"AAE="}', None),
        ("{'a': 1.0, 'b': [True, None]}", '"{\\"a\\":1,\\"b\\":[true,null]}"', "application/json"),
        ("[1, 'é']", '"[1,\\"é\\"]"', "application/json"),
        ("0", '"0"', "application/json"),
    ],
)
def test_bodies(tmp_path: Path, body: str, value: str, content_type: str | None) -> None:
    text = ORDERS.replace('"body": "hi"', f'"body": {body}')
    request = _third_request(build(tmp_path, text))
    assert request.body == value
    assert dict(request.headers).get("content-type") == content_type


def test_a_content_type_of_the_user_stays(tmp_path: Path) -> None:
    headers = '"body": "hi", "headers": {"Content-Type": "text/csv", "X-A": "b"}'
    request = _third_request(build(tmp_path, ORDERS.replace('"body": "hi"', headers)))
    assert request.headers == (("content-type", "text/csv"), ("x-a", "b"))


# Each: a part of ORDERS, what it is replaced by, where the error points (a part of the new text, on
# one line), what it must say, and what it must advise.
WRONG = {
    "empty name": ('"orders",', '" ",', '" "', "`name` is the text", "a text"),
    "name of wrong type": ('"orders",', "5,", "name=5", "the number 5", "a text"),
    "missing entry file": ("./worker.py", "./wroker.py", "./wroker.py", "did you mean `worker.py`", "entry"),
    "worker misspelt": ('"config"', '"conf"', '"conf"', "`conf` (did you mean `config`?)", "config"),
    "worker without config": (', "config": "./wrangler.toml"', "", "scenario = ", "`config` is missing", "wrangler"),
    "setup of wrong kind": ('workflow("ORDERS", "OrderFlow")', '"ORDERS"', "scenario = ", 'the text "ORDERS"', "workflow(...)"),
    "setup holds an invariant": ('[workflow("ORDERS", "OrderFlow")]', '[workflow_rows("X")]', 'workflow_rows("X")', "what workflow_rows() returns", "workflow(...)"),
    "binding of wrong type": ('"ORDERS", "OrderFlow"', '3, "OrderFlow"', 'workflow(3', "`binding` is the number 3", "the name of a binding"),
    "class of wrong type": ('"ORDERS", "OrderFlow"', '"ORDERS", True', 'workflow("ORDERS", True', "`class_name` is the boolean True", "the name of a class"),
    "setup twice": ('workflow("ORDERS", "OrderFlow")]', 'workflow("ORDERS", "A"),\n workflow("ORDERS", "B")]', 'workflow("ORDERS", "B")', "ORDERS is named twice", "keep one"),
    "empty drive": ('{"path": "/orders", "body": {"id": "o-1"}},\n        {"path": "/orders"},\n        {"url": "https://shop.example/x?y=1", "method": "put", "body": "hi", "after": "2 minutes"},', "", "http(", "there are no requests", "add at least one"),
    "drive of wrong kind": ("drive=http([", "drive=list([", "scenario = ", "`drive` has an object", "http(...)"),
    "request without target": ('{"path": "/orders"}', '{"method": "GET"}', "http([", "request 2: `path` is missing", "`url`"),
    "request misspelt": ('{"path": "/orders"}', '{"path": "/orders", "boddy": 1}', '"boddy"', "`boddy` (did you mean `body`?)", "one of"),
    "path misspelt": ('{"path": "/orders"}', '{"pth": "/orders"}', '"pth"', "`pth` (did you mean `path`?)", "path"),
    "path without slash": ('{"path": "/orders"}', '{"path": "orders"}', '"orders"}', 'but a path starts with one /', '"/orders"'),
    "path with a space": ('{"path": "/orders"}', '{"path": "/or ders"}', '"/or ders"', "characters that a URL cannot have", "%20"),
    "path and url": ('"url": "https://shop.example/x?y=1"', '"url": "https://shop.example/", "path": "/"', '"url"', "both `path` and `url`", "keep"),
    "bad url": ("https://shop.example/x?y=1", "shop.example/x", "shop.example/x", "no http(s) URL", "https://"),
    "body on GET": ('"method": "put"', '"method": "get"', '"get"', "a GET request cannot have a body", "another method"),
    "method misspelt": ('"method": "put"', '"method": "PTU"', '"PTU"', '"PTU" (did you mean `PUT`?)', "GET"),
    "method forbidden": ('"method": "put"', '"method": "TRACE"', '"TRACE"', "no method that can be sent", "GET"),
    "after unknown unit": ('"2 minutes"', '"2 min"', '"2 min"', "would read as 2 ms", "minute"),
    "after no duration": ('"2 minutes"', '"soon"', '"soon"', 'the text "soon"', "10 seconds"),
    "after negative": ('"2 minutes"', "-5", "-5", "the number -5", "10 seconds"),
    "after of wrong type": ('"2 minutes"', "True", '"after"', "the boolean True", "10 seconds"),
    "header value": ('"body": "hi"', '"headers": {"x-a": 5}', '"x-a"', "header x-a is the number 5", "text"),
    "header name": ('"body": "hi"', '"headers": {"x a": "5"}', '"x a"', "no name of a header", "correct"),
    "header twice": ('"body": "hi"', '"headers": {"x-a": "1", "X-A": "2"}', '"X-A"', "given twice", "keep one"),
    "headers of wrong type": ('"body": "hi"', '"headers": ["x"]', '"headers"', "`headers` is a list", "an object"),
    "request of wrong type": ('{"path": "/orders"}', '"/orders"', "http([", 'request 2 is the text "/orders"', "an object"),
    "external name": ('"mail", "', '"my mail", "', "my mail", "letters, digits", "simpler"),
    "external name twice": ('"mail", "', '"bank", "', 'external("bank", "', 'the name "bank" is taken', "of its own"),
    "external host twice": ("mail.example:8080", "bank.example", 'external("mail"', 'already that of external "bank"', "once"),
    "external host is a URL": ("mail.example:8080", "https://mail.example/x", "https://mail.example/x", "a host name alone", 'write "mail.example"'),
    "external host is nonsense": ("mail.example:8080", "?", '"?"', "a host name alone", "payouts.example"),
    "dedupe_by is no header": ("Idempotency-Key", "idempotency key", "dedupe_by", "the name of a request header", "header"),
    "response without path": ('"path": "/pay", ', "", "        external(\n", "response 1 of external \"bank\": `path` is missing", "`path`"),
    "response with query": ("/pay", "/pay?x=1", '"/pay?x=1"', "by the path alone", "query"),
    "response status": ("201", "99", "99", "`status` is the number 99", "from 200 to 599"),
    "response status of wrong type": ("201", '"201"', '"201"', 'the text "201"', "whole number"),
    "response without body status": ("201", "204", "204", "cannot have a body", "another status"),
    "response bytes": ('"body": {"ok": True}', '"body": b"x"', '"body": b"x"', "`body` is bytes", "text or JSON"),
    "response misspelt": ('"status"', '"stauts"', '"stauts"', "`stauts` (did you mean `status`?)", "status"),
    "responses twice": ('"body": {"ok": True}}]', '}, {"method": "POST", "path": "/pay"}]', "responses=", "response 1 answers POST /pay before it", "remove one"),
    "no invariants": ('once("charged-once", fetch_call("bank", "post"), "args.body.id"),\n        unique("one-run", workflow_rows("ORDERS"), "params.id"),\n    ],', f"], without={list(BUILT_IN)},", "invariants=", "nothing to check", "at_most_once_per_key(...)"),
    "invariant names twice": ('"one-run"', '"charged-once"', 'unique("charged-once"', "its name is taken", "of its own"),
    "invariant of wrong kind": ('unique("one-run", workflow_rows("ORDERS"), "params.id")', 'workflow_rows("ORDERS")', 'workflow_rows("ORDERS")', "what workflow_rows() returns", "unique(...)"),
    "undeclared external": ('fetch_call("bank"', 'fetch_call("bnak"', '"bnak"', 'no external "bnak" (did you mean `bank`?)', "declared: bank, mail"),
    "undeclared binding": ('workflow_rows("ORDERS")', 'workflow_rows("ORDER")', 'workflow_rows("ORDER")', 'no workflow "ORDER" (did you mean `ORDERS`?)', "ORDERS"),
    "selector of rows": ('fetch_call("bank", "post")', 'workflow_rows("ORDERS")', 'once("charged', "what workflow_rows() returns", "fetch_call(...)"),
    "key path of rows": ('"params.id"', '"parms.id"', '"parms.id"', '"parms" (did you mean `params`?)', "output"),
    "key path of calls": ('"args.body.id"', '"body.id"', '"body.id"', 'has "body"', "args"),
    "key path of calls, second": ('"args.body.id"', '"args.boddy.id"', '"args.boddy.id"', "(did you mean `body`?)", "headers"),
    "key path not whole": ('"args.body.id"', '"args.body..id"', '"args.body..id"', "not whole", "single dots"),
    "key path too short": ('"args.body.id"', '"args"', '"args"', "not whole", "dots"),
    "a port that is none": ("mail.example:8080", "mail.example:99999", "mail.example:99999", "but a port is at most 65535", "port"),
    "header beyond bytes": ('{"path": "/orders"},', '{"path": "/orders", "headers": {"x-a": "\u20ac"}},', "x-a", "no header can carry", "encode it"),
    "bounds negative": ("max_faults_per_run=2", "max_faults_per_run=-1", "max_faults_per_run=-1", "the number -1", "from 0"),
    "faults without end": ("max_faults_per_run=2", "max_faults_per_run=999999999999999999999", "max_faults_per_run=9", "the number 9", "from 0 to 100"),
    "redeliveries without end": ("max_faults_per_run=2", "max_redeliveries=101", "max_redeliveries=101", "the number 101", "from 0 to 100"),
    "concurrency without end": ("max_faults_per_run=2", "max_concurrent_invocations=101", "max_concurrent_invocations=101", "the number 101", "from 1 to 100"),
    "budget without end": ("budget_ms=500", "budget_ms=10**30", "budget_ms=10", "the number 1000", "from 1 to"),
    "place misspelt": ("budget_ms=500", 'faults_at={"payment": 1}', "payment", '`faults_at` has "payment"', "name an external or a binding"),
    "place fault misspelt": ("budget_ms=500", 'faults_at={"ORDERS": {"crush": 1}}', "crush", "did you mean `crash`", "name a fault"),
    "place negative": ("budget_ms=500", 'faults_at={"ORDERS": {"crash": -1}}', "crash", "the number -1", "from 0"),
    "place no object": ("budget_ms=500", "faults_at=3", "faults_at=3", "the number 3", "names of externals or bindings"),
    "bounds fractional": ("max_faults_per_run=2", "max_faults_per_run=1.5", "max_faults_per_run=1.5", "the number 1.5", "whole number"),
    "bounds boolean": ("max_faults_per_run=2", "max_faults_per_run=True", "max_faults_per_run=True", "the boolean True", "whole number"),
    "no concurrency": ("max_faults_per_run=2", "max_concurrent_invocations=0", "max_concurrent_invocations=0", "the number 0", "from 1"),
    "no budget": ("budget_ms=500", "budget_ms=0", "budget_ms=0", "the number 0", "from 1"),
    "downtime": ('"3 seconds"', '"3s"', 'downtime="3s"', 'the text "3s"', "10 seconds"),
    "odd value": ('"orders",', "{1, 2},", "name={1, 2}", "a set", "a text"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_line_and_remedy(tmp_path: Path, case: str) -> None:
    part, replacement, pointed, says, advises = WRONG[case]
    assert ORDERS.count(part) == 1
    text = ORDERS.replace(part, replacement)
    with pytest.raises(ScenarioError) as caught:
        build(tmp_path, text)
    error = caught.value
    assert error.exit_code is ExitCode.USAGE
    assert error.doing == "loading the scenario sim/orders_sim.py"
    assert says in error.found
    assert advises in error.remedy
    file, line, column = error.place.split(":")
    assert (file, int(line)) == ("sim/orders_sim.py", line_of(text, pointed))
    assert int(column) >= 1
