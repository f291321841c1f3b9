"""What is said about a scenario that is wrong, for everything beyond the first examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from eutaxy.errors import ExitCode, ScenarioError
from tests.meta.tree import ROOT
from tests.unit.session.written import build, line_of

EVERYTHING = (ROOT / "tests" / "scenarios" / "everything_sim.py").read_text(encoding="utf-8")

# Each: a part of EVERYTHING, what it is replaced by, where the error points (a part of the new text,
# on one line), what it must say, and what it must advise.
DRIVE = {
    "nothing in drive": ("drive=[\n", "drive=[] and [\n", "scenario = ", "`drive` is empty", "add an event"),
    "an invariant in drive": ('pass_time("30 days"),', 'never("x", charged),', 'never("x", charged)', "`drive` has what never() returns", "pass_time(...)"),
    "status out of range": ('"expect_status": 202', '"expect_status": 20', '"expect_status"', "`expect_status` is the number 20", "from 100 to 599"),
    "name in the other language": ('"expect_status": 202', '"expectStatus": 202', '"expectStatus"', "no member `expectStatus` (did you mean `expect_status`?)", "expect_status"),
    "retry is no switch": ('"retry": True', '"retry": 3', '"retry"', "`retry` is the number 3", "true or false"),
    "after an unknown event": ('{"event": "req-1"}', '{"event": "rq-1"}', '"rq-1"', 'no earlier event "rq-1" (did you mean `req-1`?)', "earlier events: req-1"),
    "after itself": ('{"event": "req-1"}', '{"event": "look"}', '{"event": "look"}, "name"', 'no earlier event "look"', "before this one"),
    "after a later event": ('{"event": "req-1"}', '{"event": "req-3"}', '"req-3"', 'no earlier event "req-3"', "before this one"),
    "after misspelt": ('{"event": "req-1"}', '{"evnt": "req-1"}', '"evnt"', "`evnt` (did you mean `event`?)", "event"),
    "after with unknown unit": ('"time": 500', '"time": "5 sec"', '"time": "5 sec"', "would read as 5 ms", "second"),
    "name twice": ('"name": "look"', '"name": "req-1"', '"name": "req-1"', "events without a name are called so", "another name"),
    "name of a call twice": ('name="stop"', 'name="look"', 'name="look"', 'the name "look" is taken', "of its own"),
    "name with a space": ('"name": "look"', '"name": "have a look"', "have a look", "letters, digits", "simpler"),
    "retention in the other language": ('"success_retention": "1 hour"', '"successRetention": "1 hour"', '"successRetention"', "no member `successRetention` (did you mean `success_retention`?)", "success_retention"),
    "retention of nothing": ('"error_retention": 5000', '"error_retention": 0', '"error_retention": 0', "`error_retention` is no time at all", "30 days"),
    "retention with unknown unit": ('"success_retention": "1 hour"', '"success_retention": "1 h"', '"1 h"', "would read as 1 ms", "hour"),
    "no cron expression": ('"30 4 1 * *"', '"30 4 1 *"', '"30 4 1 *"', '"30 4 1 *": it has 4 fields', "cron expression"),
    "a schedule that never comes due": ('"30 4 1 * *"', '"0 0 31 2 *"', '"0 0 31 2 *"', "never comes due", "correct"),
    "a firing in a group": ('http([{"path": "/webhook", "body": "paid"}])', 'fire_schedule("ORDERS", "0 0 * * *")', '"0 0 * * *"', "concurrently() has what fire_schedule() returns", "http(...)"),
    "no time passes": ('pass_time("30 days")', "pass_time(0)", "pass_time(0)", "no time would pass", "30 days"),
    "time with unknown unit": ('pass_time("30 days")', 'pass_time("30 d")', '"30 d"', "would read as 30 ms", "day"),
    "group of one": ('                http([{"path": "/webhook", "body": "paid"}]),\n', "", "concurrently(", "1 event cannot be in any other order", "at least two"),
    "group in a group": ('http([{"path": "/webhook", "body": "paid"}])', 'concurrently([http([{"path": "/a"}, {"path": "/b"}])])', 'concurrently([http', "concurrently() has what concurrently() returns", "http(...)"),
    "time in a group": ('{"path": "/webhook", "body": "paid"}', '{"path": "/webhook", "after": 5}', '"/webhook"', "it has a time of its own", "give `after` to concurrently()"),
    "unknown binding": ('create_instance("ORDERS", id', 'create_instance("ORDER", id', '"ORDER"', 'no workflow "ORDER" (did you mean `ORDERS`?)', "ORDERS"),
    "id of wrong type": ('create_instance("ORDERS", id="o-2"', 'create_instance("ORDERS", id=2', "id=2", "`id` is the number 2", "the id of an instance"),
    "type of wrong type": ('type="paid"', "type=None", 'send_event("ORDERS"', "`type` is missing", "the type of an event"),
    "operation misspelt": ('"terminate"', '"termiante"', '"termiante"', "(did you mean `terminate`?)", "create_instance(...)"),
    "operation that has a function": ('"terminate"', '"create"', '"create", id="o-2"', '`operation` is "create"', "create_instance(...)"),
}  # fmt: skip
EXTERNALS = {
    "dedupe of wrong type": ('{"body": "key"}', "5", "dedupe_by=5", "`dedupe_by` is the number 5", "a function"),
    "dedupe by two": ('{"body": "key"}', '{"body": "key", "header": "x"}', 'external(\n            "bank"', "one of `header` and `body`", "where the key"),
    "dedupe by nothing": ('{"body": "key"}', "{}", 'external(\n            "bank"', "one of `header` and `body`", "where the key"),
    "dedupe misspelt": ('{"body": "key"}', '{"body": "key", "windw": 5}', '"windw"', "no member `windw`", "header, body"),
    "dedupe by a misspelt path": ('{"body": "key"}', '{"body": "args.boddy.key"}', '"args.boddy.key"', '"boddy" (did you mean `body`?)', "headers"),
    "window without key": ('            dedupe_by={"body": "key"},\n', "", 'dedupe_window="1 day"', "says not how it recognises a repetition", "dedupe_by"),
    "window of no time": ('dedupe_window="1 day"', "dedupe_window=0", "dedupe_window=0", "`dedupe_window` is no time", "for good"),
    "failures that are none": ("failures=[429, 503]", "failures=[200]", "failures=[200]", "`failures` is the number 200", "from 400 to 599"),
    "failures twice": ("failures=[429, 503]", "failures=[503, 503]", "failures=[503, 503]", "names 503 twice", "keep one"),
    "failures of wrong type": ("failures=[429, 503]", "failures=503", "failures=503", "`failures` is the number 503", "a list of statuses"),
    "outage of no time": ('outage="10 minutes"', "outage=0", "outage=0", "an outage of no time", "remove"),
    "state without function": ("            handle=handle,\n", "", 'state={"alice"', "no function that answers from it", "handle"),
    "handle is no function": ("handle=handle,", 'handle="handle",', 'handle="handle"', '`handle` is the text "handle"', "a function from (request, state)"),
    "handle and responses": ("handle=handle,", 'handle=handle, responses=[{"path": "/"}],', 'handle=handle, responses', "both `responses` and `handle`", "keep one"),
    "condition misspelt": ('"args.body.kind"', '"args.bodi.kind"', '"args.bodi.kind"', '"bodi" (did you mean `body`?)', "headers"),
    "condition of an answer": ('"args.body.kind"', '"answer.status"', '"answer.status"', 'has "answer"', "args"),
    "conditions of wrong type": ('{"args.body.kind": "card", "args.body.tries": [1, None]}', '["args.body.kind"]', '"when"', "`when` is a list", "an object from key paths to values"),
    "once that nobody answers": ('"once": "POST /charges"', '"once": "POST /charge"', '"once"', "no response answers that request (did you mean `POST /charges`?)", "GET /charges/:id"),
    "never given": ('{"path": "/charges/:id", "once": "POST /charges"}', '{"path": "/charges/*", "once": "POST /charges"},\n{"path": "/*"}', '{"path": "/charges/*", "status": 404}', "response 4 answers GET /* before it", "more conditions first"),
    "never given, same conditions": ('                    "when": {"args.body.kind": "card", "args.body.tries": [1, None]},\n', "", '"path": "/charges",\n                    "status": 201', "response 1 answers POST /charges before it", "more conditions first"),
    "echo of nothing": ('"{{args.body.id}}"', '"body.id"', '"echo"', "has nothing to be replaced", "{{args.body.id}}"),
    "echo misspelt": ('"{{args.body.id}}"', '"{{body.id}}"', "body.id}}", 'has "body"', "args"),
    "echo is no switch": ('"echo": True', '"echo": 1', '"echo": 1', "`echo` is the number 1", "true or false"),
    "latency with unknown unit": ('"latency": "40 minutes"', '"latency": "40 min"', '"latency"', "would read as 40 ms", "minute"),
    "star in the middle": ('"/charges/*"', '"/*/charges"', '"/*/charges"', "a * can only be the last segment", ":name"),
    "star in a segment": ('"/charges/*"', '"/charges/a*"', '"/charges/a*"', "a * can only be the last segment", ":name"),
    "segment without name": ('"/charges/:id"', '"/charges/:"', '"/charges/:"', "a : begins the name", "/charges/:id"),
    "latency of a misspelt member": ('"latency"', '"latancy"', '"latancy"', "(did you mean `latency`?)", "latency"),
}  # fmt: skip
SELECTORS = {
    "no response to the method": ('fetch_call("bank", "POST"', 'fetch_call("bank", "PUT"', '"PUT", path', 'external "bank" answers no PUT /charges', "POST /charges"),
    "no response to the path": ('path="/charges")', 'path="/charge")', 'path="/charge")', 'answers no POST /charge, so nothing', "POST /charges"),
    "path with a query": ('path="/charges")', 'path="/charges?x=1")', 'path="/charges?x=1")', "by the path alone", "query"),
    "binding of calls": ('binding_call("ORDERS"', 'binding_call("ORDRES"', '"ORDRES"', "(did you mean `ORDERS`?)", "ORDERS"),
    "operation of calls": ('binding_call("ORDERS", "create")', 'binding_call("ORDERS", "crate")', '"crate"', "`operation` is \"crate\" (did you mean `create`?)", "sendEvent"),
    "binding of steps": ('step_result("ORDERS"', 'step_result("SHOP"', '"SHOP"', '`setup` has no workflow "SHOP"', "ORDERS"),
    "status of an instance": ('"errored", where', '"failed", where', '"failed", where', '`status` is "failed"', "errored"),
    "condition of a status": ('where={"params.id": "o-1"}', 'where={"parms.id": "o-1"}', '"parms.id"', "(did you mean `params`?)", "output"),
    "name of a request": ('response("req-1"', 'response("req-9"', '"req-9"', '`request` is "req-9"', "req-1"),
    "request without such a path": ('path="/orders/:id", status=418', 'path="/order/:id", status=418', 'path="/order/:id"', "the driver makes no such request", "req-1 /orders"),
    "status of an answer": ("status=418", "status=4180", "status=4180", "`status` is the number 4180", "from 100 to 599"),
    "condition of an answer": ('where={"body.ok": True}', 'where={"args.body.ok": True}', '"args.body.ok"', 'has "args"', "headers, method"),
    "key path of steps": ('"refund"), "params.id"', '"refund"), "param.id"', '"param.id"', "(did you mean `params`?)", "instance"),
    "key path of calls": ('"args.options.id"', '"arg.options.id"', '"arg.options.id"', "(did you mean `args`?)", "answer"),
    "key path into a text": ('(response("req-1", status=202, where={"body.ok": True}), "body.id")', '(response("req-1"), "status.id")', '"status.id"', 'goes on after "status"', 'write "status"'),
    "key path of rows": ('"output.cents"', '"outputs.cents"', '"outputs.cents"', "(did you mean `output`?)", "params"),
    "rows of another binding": ('unique("one-run", orders', 'unique("one-run", workflow_rows("SHOP")', 'workflow_rows("SHOP")', 'no workflow "SHOP"', "ORDERS"),
}  # fmt: skip
INVARIANTS = {
    "not a pair": ('ordered("paid-first", (charged, "args.body.id")', 'ordered("paid-first", charged', 'ordered("paid-first", charged', "`first` is what fetch_call() returns", "a selector with a key path"),
    "pair of one": ('ordered("paid-first", (charged, "args.body.id")', 'ordered("paid-first", (charged,)', 'ordered("paid-first", (charged', "`first` is a list", "a selector with a key path"),
    "rows in a pair": ('ordered("paid-first", (charged, "args.body.id")', 'ordered("paid-first", (orders, "id")', "orders = ", "what workflow_rows() returns", "status_change(...)"),
    "no expected keys": ('"args.body.id", keys=["o-1", 2]', '"args.body.id"', 'exactly_once_per_key("mailed"', "one of `keys` and `of`", "which keys are expected"),
    "two kinds of expected keys": ('keys=["o-1", 2]', 'keys=["o-1"], of=(charged, "args.body.id")', 'keys=["o-1"]', "one of `keys` and `of`", "which keys are expected"),
    "no keys at all": ('keys=["o-1", 2]', "keys=[]", "keys=[]", "`keys` is empty", "at least one"),
    "a key twice": ('keys=["o-1", 2]', 'keys=["o-1", "o-1"]', 'keys=["o-1"', '`keys` has "o-1" twice', "keep one"),
    "keys of wrong type": ('keys=["o-1", 2]', 'keys="o-1"', 'keys="o-1"', '`keys` is the text "o-1"', "a list of keys"),
    "total of wrong type": ('"output.cents", 0)', '"output.cents", "0")', '"output.cents", "0")', '`total` is the text "0"', "a number"),
    "no function": ("lambda rows: len(rows) <= 5", "True", 'always("few"', "`holds` is the boolean True", "a function from the rows"),
    "no function of the trace": ("lambda trace: len(trace) < 1000", "1000", 'trace_holds("short"', "`holds` is the number 1000", "a function from the trace"),
    "name of a built-in": ('trace_holds("short"', 'trace_holds("stuck"', 'trace_holds("stuck"', "the name of a built-in one", "another name"),
    "unknown built-in": ('without=["unkeyed-repeat"]', 'without=["unkeyed-repeats"]', 'without=["unkeyed-repeats"]', "(did you mean `unkeyed-repeat`?)", "stuck"),
    "built-in twice": ('without=["unkeyed-repeat"]', 'without=["stuck", "stuck"]', 'without=["stuck"', "names stuck twice", "keep one"),
    "unknown suspicion": ('silenced=["unused-response"]', 'silenced=["unused-responses"]', 'silenced=["unused-responses"]', "names 'unused-responses', which is no rule of suspicions (did you mean `unused-response`?)", "misread-duration"),
    "without of wrong type": ('without=["unkeyed-repeat"]', 'without=[["stuck"]]', "without=", "which is no built-in invariant", "stuck"),
    "may_fail is no switch": ("may_fail=True", 'may_fail="yes"', 'may_fail="yes"', '`may_fail` is the text "yes"', "true or false"),
    "profile misspelt": ('"local-2026-11"', '"local-2026-1"', '"local-2026-1"', "(did you mean `local-2026-11`?)", "prod"),
    "unknown fault": ('"answer_lost": 1', '"answer_los": 1', '"answer_los"', '`faults` has "answer_los" (did you mean `answer_lost`?)', "crash_before"),
    "too many of a fault": ('"answer_lost": 1', '"answer_lost": 3', '"answer_lost": 3', "allows answer_lost 3 times, but `max_faults_per_run` is 2", "raise `max_faults_per_run`"),
    "fewer than none of a fault": ('"answer_lost": 1', '"answer_lost": -1', '"answer_lost": -1', "the number -1", "from 0"),
    "a fault twice": ('"answer_lost": 1', '"answer_lost": 1, "answerLost": 1', '"answerLost": 1', "has answer_lost twice", "keep one"),
    "a deploy of nothing": (', next_class="OrderFlow2"', "", '"deployed": 1', "names deployed, but no Workflow of `setup` has `next_class`", "name the class of the new version"),
    "a new version that is no name": ('next_class="OrderFlow2"', "next_class=2", "next_class=2", "`next_class` is the number 2", "the name of a class"),
    "more of one crash than crashes": ('"crash": 2', '"crash": 0, "crash_after": 1', '"crash": 0', "allows 0 crashes in all, but 1 crash_after", "raise `crash`"),
    "faults of wrong type": ('faults={"crash": 2, "answer_lost": 1, "store_failed": 0, "deployed": 1}', 'faults=["crash"]', 'faults=["crash"]', "`faults` is a list", "names of faults"),
}  # fmt: skip
WRONG = {**DRIVE, **EXTERNALS, **SELECTORS, **INVARIANTS}


def test_the_scenario_itself_is_fine(tmp_path: Path) -> None:
    assert build(tmp_path, EVERYTHING).name == "everything"


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_line_and_remedy(tmp_path: Path, case: str) -> None:
    part, replacement, pointed, says, advises = WRONG[case]
    assert EVERYTHING.count(part) == 1
    text = EVERYTHING.replace(part, replacement)
    with pytest.raises(ScenarioError) as caught:
        build(tmp_path, text)
    error = caught.value
    assert error.exit_code is ExitCode.USAGE
    assert error.doing == "loading the scenario sim/orders_sim.py"
    assert says in error.found
    assert advises in error.remedy
    file, line, _ = error.place.split(":")
    assert (file, int(line)) == ("sim/orders_sim.py", line_of(text, pointed))
