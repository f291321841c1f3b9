"""The expense approval of the README as scripts: a payout that is a step, and a step is not enough."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from eutaxy._base.bounds import Bounds
from eutaxy._base.scenario import (
    AtMostOncePerKey,
    CannedResponse,
    Dedupe,
    External,
    HttpRequest,
    Keyed,
    Scenario,
    Seen,
    Selector,
    Unique,
    WorkflowRows,
    WorkflowSetup,
)
from eutaxy._base.value import encode
from eutaxy.testing import Failed, call, fetch, step, wait

TARGET = "Workflow:APPROVALS"


def programs(*, is_fixed: bool) -> dict[str, Callable[[Any], Any]]:
    """The Worker; the fixed one sends an idempotency key."""

    def handle(request: Any) -> Any:
        path = request["url"].removeprefix("https://worker.example")
        body = json.loads(request["body"])
        if path == "/expenses":
            yield call(TARGET, "create", options={"id": body["expenseId"], "params": body})
            return _response(202, {"submitted": body["expenseId"]})
        expense = path.removeprefix("/expenses/").removesuffix("/decision")
        yield call(TARGET, "get", id=expense)
        yield call(TARGET, "sendEvent", id=expense, options={"type": "decision", "payload": body})
        return _response(200, {"decided": expense})

    def pay(expense: Any) -> Any:
        headers = {"content-type": "application/json"}
        if is_fixed:
            headers["idempotency-key"] = f"expense:{expense['expenseId']}"
        answer = yield fetch("POST", "https://payouts.example/payouts", expense, headers)
        if answer["status"] != 201:
            raise Failed("Error", f"payout failed with {answer['status']}")
        return json.loads(answer["body"])

    def approve(event: Any) -> Any:
        expense = event["payload"]
        decision = yield wait("manager decision", type="decision", timeout="7 days")
        if not decision["payload"]["approved"]:
            return {"expenseId": expense["expenseId"], "paid": False}
        payout = yield step("pay out", lambda _: pay(expense))
        return {"expenseId": expense["expenseId"], "paid": True, "payoutId": payout["payoutId"]}

    return {"fetch": handle, "ExpenseApproval": approve}


def scenario(
    *, faults: int = 1, redeliveries: int = 2, concurrent: int = 1, expenses: int = 1
) -> Scenario:
    """Each expense is submitted; later the manager approves each."""
    names = [f"exp-{number}" for number in range(1, expenses + 1)]
    submitted = [
        ("/expenses", {"expenseId": name, "employee": "e-7", "amountCents": 4200}) for name in names
    ]
    decided = [(f"/expenses/{name}/decision", {"approved": True, "by": "m-1"}) for name in names]
    paid = CannedResponse(
        method="POST",
        path="/payouts",
        status=201,
        headers=(("content-type", "application/json"),),
        body='{"payoutId":"po-1"}',
    )
    return Scenario(
        name="expenses",
        path="expenses.sim.ts",
        entry="",
        config="",
        setup=(WorkflowSetup(binding="APPROVALS", class_name="ExpenseApproval"),),
        drive=tuple(
            _request(f"req-{number}", path, body)
            for number, (path, body) in enumerate((*submitted, *decided), 1)
        ),
        externals=(
            External(
                name="payouts",
                host="payouts.example",
                dedupe=Dedupe(header="idempotency-key"),
                responses=(paid,),
            ),
        ),
        invariants=(
            AtMostOncePerKey(
                name="paid-once",
                what=Keyed(
                    selector=Selector(seen=Seen.FETCH, target="payouts", operation="POST"),
                    key_path="args.body.expenseId",
                ),
            ),
            Unique(
                name="one-run-per-expense",
                rows=WorkflowRows(binding="APPROVALS"),
                key_path="params.expenseId",
            ),
        ),
        bounds=Bounds(
            max_faults=faults,
            max_redeliveries=redeliveries,
            max_concurrent=concurrent,
            budget_ms=600_000,
        ),
    )


def _request(name: str, path: str, body: Any) -> HttpRequest:
    return HttpRequest(
        name=name,
        method="POST",
        url=f"https://worker.example{path}",
        headers=(("content-type", "application/json"),),
        body=encode(json.dumps(body)),
    )


def _response(status: int, body: Any) -> Any:
    return {"status": status, "headers": {}, "body": json.dumps(body)}
