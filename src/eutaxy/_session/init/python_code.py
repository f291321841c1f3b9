"""The syntax tree of a Python module with what can be told from it: values, what is around."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from eutaxy._session.init.findings import HOLE

Scope = list[ast.stmt]


class PythonCode:
    """A module.

    Args:
        tree: Its syntax tree.
        variables: Bindings in `env` whose values are texts.
    """

    def __init__(self, tree: ast.Module, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self.parents = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self._assigned: dict[str, list[ast.Assign]] = defaultdict(list)
        for node in in_order(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._assigned[target.id].append(node)

    def constant(self, node: ast.AST | None) -> ast.expr | None:
        """What a name was last set to before it is read."""
        if not isinstance(node, ast.Name) or node.id not in self._assigned:
            return None
        known = self._assigned[node.id]
        before = [each for each in known if each.lineno < node.lineno]
        return (before or known)[-1].value

    def value(self, node: ast.expr, depth: int = 0) -> str | None:
        """The text that an expression gives, with holes; None when nothing of it is known."""
        if depth > 12:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            known = self.constant(node)
            return None if known is None else self.value(known, depth + 1)
        if isinstance(node, ast.JoinedStr):
            parts = (
                part.value if isinstance(part, ast.FormattedValue) else part for part in node.values
            )
            return "".join(self.value(part, depth + 1) or HOLE for part in parts)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
            return (left or HOLE) + (right or HOLE)
        if isinstance(node, ast.Attribute):
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            return self._variables.get(node.attr) if name == "env" else None
        if isinstance(node, ast.BoolOp):
            return next(
                (v for v in (self.value(each, depth + 1) for each in node.values) if v), None
            )
        return None

    def condition(self, node: ast.AST) -> ast.If | None:
        """The `if` whose condition holds this node."""
        while node in self.parents:
            parent = self.parents[node]
            if isinstance(parent, ast.If) and parent.test is node:
                return parent
            if isinstance(parent, ast.stmt):
                return None
            node = parent
        return None

    def rest(self, node: ast.AST) -> Scope:
        """The statements that come after the one that holds this node."""
        while node in self.parents:
            parent = self.parents[node]
            for name in ("body", "orelse"):
                inside = getattr(parent, name, None)
                if isinstance(inside, list) and node in inside:
                    return inside[inside.index(node) + 1 :]
            node = parent
        return []

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around this one, the nearest first."""
        while node in self.parents:
            node = self.parents[node]
            yield node


def in_order(tree: ast.AST) -> list[ast.AST]:
    """The nodes that have a place, in the order of the text."""
    placed = (node for node in ast.walk(tree) if hasattr(node, "lineno"))
    return sorted(
        placed, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    )
