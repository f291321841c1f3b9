"""The same Worker; each level has events of its own type, and the instance looks at who agreed."""

import worker
from worker import LEVEL_OF_USER

__all__ = ["Default", "PayExpense"]

APPROVAL_TYPE = "approval-{level}"


class PayExpense(worker.PayExpense):
    approval_type = APPROVAL_TYPE

    def counts(self, approval, level):
        return approval["ok"] and LEVEL_OF_USER.get(approval["by"]) == level


class Default(worker.Default):
    approval_type = APPROVAL_TYPE
