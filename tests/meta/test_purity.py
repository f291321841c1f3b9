"""What the pure packages may not do, as far as the syntax shows it.

Imports are the business of the contracts in pyproject.toml. The order of a set depends on the hash
seed of the process; ids depend on the memory; state in a module survives a run. Each of them would
make two runs of the same check differ.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.meta.tree import name_of, pure_modules, tree_of

_BANNED_CALLS = {"print", "id", "hash", "input", "open", "exec", "eval", "vars", "globals"}
_SET_CALLS = {"set", "frozenset"}
_UNORDERED_CONSUMERS = {"all", "any", "frozenset", "len", "max", "min", "set", "sorted", "sum"}
_ORDERED_CONSUMERS = {"list", "tuple", "enumerate", "iter", "next", "zip", "map", "filter"}


def _called(node: ast.AST) -> str:
    """Name a plain function that is called; empty when the node is no such call."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _names_a_set_type(annotation: ast.AST | None) -> bool:
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return isinstance(annotation, ast.Name) and annotation.id in {*_SET_CALLS, "Set", "AbstractSet"}


def _set_names(module: ast.Module) -> frozenset[str]:
    """Collect names of variables, arguments and attributes that are declared or made as sets."""
    names: list[str] = []
    for node in ast.walk(module):
        if isinstance(node, ast.arg) and _names_a_set_type(node.annotation):
            names.append(node.arg)
        elif isinstance(node, ast.AnnAssign) and _names_a_set_type(node.annotation):
            names.append(_last_name(node.target))
        elif isinstance(node, ast.Assign) and _is_set(node.value):
            names += [_last_name(target) for target in node.targets]
    return frozenset(names)


def _harmless_loops(module: ast.Module) -> Iterator[ast.AST]:
    """Find the loops whose order is forgotten at once: into a set, or into `sorted`, `any`, ...

    `min` and `max` with a key are not among them: of equal ones they take the first.
    """
    for node in ast.walk(module):
        if isinstance(node, ast.SetComp):
            yield from node.generators
        elif _called(node) in _UNORDERED_CONSUMERS and isinstance(node, ast.Call):
            is_tie_broken = _called(node) in {"min", "max"} and node.keywords
            for argument in () if is_tie_broken else node.args:
                if isinstance(argument, ast.GeneratorExp | ast.ListComp):
                    yield from argument.generators


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_set(node: ast.AST, names: frozenset[str] = frozenset()) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor
    ):
        return _is_set(node.left, names) or _is_set(node.right, names)
    if isinstance(node, ast.Set | ast.SetComp) or _called(node) in _SET_CALLS:
        return True
    return _last_name(node) in names if _last_name(node) else False


def banned_calls(module: ast.Module) -> Iterator[ast.AST]:
    """Find calls that touch the world outside, or depend on the process."""
    for node in ast.walk(module):
        if _called(node) in _BANNED_CALLS:
            yield node


def iterated_sets(module: ast.Module) -> Iterator[ast.AST]:
    """Find sets whose order decides something: loops, unpacking, list(...), join, `*`."""
    names, harmless = _set_names(module), list(_harmless_loops(module))
    for node in ast.walk(module):
        iterated: list[ast.AST] = []
        if node in harmless:
            continue
        if isinstance(node, ast.For | ast.comprehension):
            iterated = [node.iter]
        elif isinstance(node, ast.Starred):
            iterated = [node.value]
        elif isinstance(node, ast.Call) and (
            _called(node) in _ORDERED_CONSUMERS
            or (isinstance(node.func, ast.Attribute) and node.func.attr == "join")
        ):
            iterated = list(node.args)
        for candidate in iterated:
            if _is_set(candidate, names):
                yield candidate


def popped_sets(module: ast.Module) -> Iterator[ast.AST]:
    """Find `set(...).pop()`, which takes whatever the hash seed puts first."""
    names = _set_names(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and node.attr == "pop" and _is_set(node.value, names):
            yield node


def module_state(module: ast.Module) -> Iterator[ast.AST]:
    """Find empty collections and counters at module level (nothing else can fill them but a run)."""
    for node in module.body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        is_empty = (
            isinstance(value, ast.List | ast.Dict) and not ast.unparse(value).strip("[]{}")
        ) or (
            isinstance(value, ast.Call)
            and not value.args
            and _called(value) in {"list", "dict", "set", "defaultdict", "deque", "count"}
        )
        if is_empty or isinstance(node, ast.Global):
            yield node
    for inner in ast.walk(module):
        if isinstance(inner, ast.Global):
            yield inner


def identity_of_values(module: ast.Module) -> Iterator[ast.AST]:
    """Find `is` between literals of tuples, text or numbers."""
    for node in ast.walk(module):
        if isinstance(node, ast.Compare) and any(
            isinstance(op, ast.Is | ast.IsNot) for op in node.ops
        ):
            for side in (node.left, *node.comparators):
                literal = isinstance(side, ast.Constant) and not (
                    side.value is None or isinstance(side.value, bool) or side.value is Ellipsis
                )
                if literal or isinstance(side, ast.Tuple):
                    yield node


Finder = Callable[[ast.Module], Iterator[ast.AST]]

RULES: dict[str, tuple[Finder, str, str]] = {
    # rule: finder, code that it must find, code that it must let pass
    "banned call": (banned_calls, "print(1)", "a.print(1)"),
    "iterated set": (iterated_sets, "for x in {1, 2}: pass", "for x in sorted({1, 2}): pass"),
    "iterated set call": (iterated_sets, "[x for x in frozenset(y)]", "3 in frozenset(y)"),
    "joined set": (iterated_sets, "','.join({a for a in b})", "','.join([a for a in b])"),
    "unpacked set": (iterated_sets, "f(*set(x))", "f(*sorted(set(x)))"),
    "declared set": (
        iterated_sets,
        "def f(a: frozenset[int]):\n return [x for x in a]",
        "def f(a: tuple[int]):\n return [x for x in a]",
    ),
    "set made before": (iterated_sets, "a = {1, 2} - b\nlist(a)", "a = [1, 2]\nlist(a)"),
    "set as attribute": (
        iterated_sets,
        "class A:\n names: set[str]\n def f(self):\n  return ','.join(self.names)",
        "class A:\n names: set[str]\n def f(self):\n  return ','.join(sorted(self.names))",
    ),
    "keyed minimum of a set": (
        iterated_sets,
        "min((x for x in {1, 2}), key=f)",
        "min(x for x in {1, 2})",
    ),
    "set into a set": (iterated_sets, "[x for x in {1, 2}]", "{x for x in {1, 2}}"),
    "popped set": (popped_sets, "set(x).pop()", "list(x).pop()"),
    "state in a module": (module_state, "CACHE = {}", "TABLE = {1: 2}"),
    "state in a module, global": (module_state, "def f():\n global X\n X = 1", "def f(): X = 1"),
    "identity of values": (identity_of_values, "a is ()", "a is None"),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_finds_what_it_is_for(rule: str) -> None:
    finder, bad, good = RULES[rule]
    assert list(finder(ast.parse(bad)))
    assert not list(finder(ast.parse(good)))


@pytest.mark.parametrize("finder", dict.fromkeys(rule[0] for rule in RULES.values()))
def test_pure_packages_keep_the_rule(finder: Finder) -> None:
    found = [
        f"{name_of(path)}:{getattr(node, 'lineno', 0)}: {_line(path, node)}"
        for path in pure_modules()
        for node in finder(tree_of(path))
    ]
    assert found == []


def _line(path: Path, node: ast.AST) -> str:
    return path.read_text(encoding="utf-8").splitlines()[getattr(node, "lineno", 1) - 1].strip()
