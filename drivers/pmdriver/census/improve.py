"""Improves the best case of a name: other values for its inputs, fewer arguments, a better output.

A search accepts the first call that works. Its inputs may be values for which the function is
constant, as `isnan` is for numbers, or arguments that the function ignores. Its output may be an
object of which only the type is known, or nothing although the call changes an object.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Sequence
from typing import Any

from pmdriver.census import doubts, inputs, judge
from pmdriver.census.calls import Case
from pmdriver.job import leaves

#: The processor time that the attempts for one case may take, in seconds.
EXTRA_SECONDS = 2.0

#: What the inputs that change nothing become instead, by the kind of their dtype.
_OTHER_VALUES = {
    "float": (
        "uniform(0.1,0.9)",
        "bernoulli(0.5)",
        "normal(0,2)",
        "special",
        "bernoulli(0.9)",
        "bernoulli(0.1)",
        "range",
    ),
    "complex": ("special",),
    "integer": (
        "integers(0,2)",
        "integers(-9,9)",
        "special",
        "bernoulli(0.9)",
        "bernoulli(0.1)",
        "range",
    ),
    "bool": ("bernoulli(0.9)", "bernoulli(0.1)", "zeros"),
}

#: The most attributes of an object that are compared.
_MOST_PARTS = 12


def improve(kit: Any, results: Sequence[Any]) -> None:
    """Replace the best verdicts of a name by ones that measure more, if an attempt finds one.

    Parameters
    ----------
    kit
        The framework's `pmdriver.census.kit.Kit`.
    results
        The `pmdriver.census.search.Found` of each source, the best source first. If one measures
        values, the others stay as they are.
    """
    found = [each for each in results if each.best is not None]
    measuring = [each for each in found if each.best.what == judge.VALUES]
    for each in measuring or found:
        _improve(kit, each)
        if each.best.what == judge.VALUES and not measuring:
            return


def _improve(kit: Any, found: Any) -> None:
    best = found.best
    deadline = time.process_time() + EXTRA_SECONDS
    for case in _attempts(kit, found, best):
        if time.process_time() > deadline:
            return
        found.tries += 1
        try:
            verdict = kit.judge(case)
        except Exception:
            continue
        found.best = judge.better(found.best, verdict)
        if found.best.what == judge.VALUES and found.best.doubt == 0:
            return


def _attempts(kit: Any, found: Any, best: judge.Verdict) -> Iterator[Case]:
    if best.what == judge.VALUES:
        if best.doubt & doubts.CONSTANT:
            yield from _with_other_values(best, list(best.case.inputs))
        return
    if best.case.output == judge.TYPE:
        for each in found.typed:
            if each.what == best.what and each.reason != judge.SHOWN:
                yield from _with_parts(kit, each.case)
        return
    if best.case.compare == "close":
        yield from _with_state(kit, best.case)
    if best.unused:
        for case in _unused_before(best):
            yield from _with_state(kit, case)
            yield case
        yield from _with_other_values(best, best.unused)
        yield from _without(best)


def _kind(spec: inputs.Spec) -> str:
    if spec.dtype.startswith("complex"):
        return "complex"
    if spec.dtype == "bool":
        return "bool"
    return "float" if "float" in spec.dtype else "integer"


def _with_other_values(best: judge.Verdict, wanted: Sequence[str]) -> Iterator[Case]:
    """Yield the case with other distributions: first of the wanted inputs, then of all."""
    specs = {name: inputs.parse(text) for name, text in best.case.inputs.items()}
    arrays = {name: spec for name, spec in specs.items() if spec is not None}
    first = [name for name in wanted if name in arrays]
    if not first:
        return
    for names in [first] if len(first) == len(arrays) else [first, list(arrays)]:
        for at in range(max(map(len, _OTHER_VALUES.values()))):
            changed = dict(best.case.inputs)
            for name in names:
                others = _OTHER_VALUES[_kind(arrays[name])]
                if at < len(others):
                    text = best.case.inputs[name]
                    host = " on host" if text.endswith(" on host") else ""
                    changed[name] = f"{text.partition(' ')[0]} {others[at]}{host}"
            if changed != best.case.inputs:
                yield best.case._replace(inputs=changed)


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _unused_before(best: judge.Verdict) -> Iterator[Case]:
    """Yield the case without the earlier use of its object, if that changes nothing."""
    case = best.case
    uses = [
        line
        for line in case.setup
        if isinstance(ast.parse(line).body[0], ast.Expr) and _names(line) & set(case.inputs)
    ]
    given = set().union(*map(_names, uses)) & set(case.inputs)
    if not given or not given <= set(best.unused):
        return
    setup = tuple(line for line in case.setup if line not in uses)
    left = _names("\n".join((*setup, case.call)))
    inputs = {name: text for name, text in case.inputs.items() if name in left}
    if inputs or case.modules:
        yield case._replace(inputs=inputs, setup=setup)


def _without(best: judge.Verdict) -> Iterator[Case]:
    """Yield the case without the arguments that change nothing, and with None instead of them."""
    case = best.case
    in_setup = _names("\n".join(case.setup))
    left_out = {name for name in best.unused if name not in in_setup}
    kept = {name: text for name, text in case.inputs.items() if name not in left_out}
    if not left_out or not (kept or case.modules):
        return
    for may_remove in (True, False):
        tree = ast.parse(case.call, mode="eval")
        if not isinstance(tree.body, ast.Call):
            return
        _leave_out(tree.body, left_out, may_remove)
        if not _names(ast.unparse(tree)) & left_out:
            yield case._replace(inputs=kept, call=ast.unparse(tree))


def _leave_out(call: ast.Call, names: set[str], may_remove: bool) -> None:
    """Remove arguments from a call, or replace those by None that cannot be removed."""

    def is_left_out(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in names

    if may_remove:
        call.keywords = [each for each in call.keywords if not is_left_out(each.value)]
        while call.args and is_left_out(call.args[-1]):
            call.args.pop()
    call.args = [ast.Constant(None) if is_left_out(each) else each for each in call.args]
    for keyword in call.keywords:
        if is_left_out(keyword.value):
            keyword.value = ast.Constant(None)


def _with_state(kit: Any, case: Case) -> Iterator[Case]:
    """Yield the case with the arrays of the object that its call, a method, has changed."""
    tree = ast.parse(case.call, mode="eval").body
    if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute)):
        return
    own = ast.unparse(tree.func.value)
    if case.output != "out" or f"{own} = " not in "\n".join(case.setup):
        return
    try:
        scene = kit.scene(case)
        eval(case.call, scene.names)
        parts = _of(_weights_or_parts(kit, own in case.modules, scene.names[own]), own)
        is_changed = _digests(kit, parts, scene.names) != _before(kit, parts, kit.scene(case))
    except Exception:
        return
    if is_changed:
        yield case._replace(output=parts)


def _weights_or_parts(kit: Any, is_module: bool, value: Any) -> str:
    return kit.weights if is_module else kit.parts(value)


def _before(kit: Any, parts: str, scene: judge.Scene) -> list[str]:
    """Return the digests of the parts before the call; [] if the call makes some of them."""
    try:
        return _digests(kit, parts, scene.names)
    except AttributeError:
        return []


def _digests(kit: Any, parts: str, names: dict[str, Any]) -> list[str]:
    walked = leaves.walk(eval(parts, names), kit.framework)
    return [kit.framework.digest(each.value)[1] for each in walked if each.kind == leaves.ARRAY]


def _of(parts: str, own: str) -> str:
    """Return an expression for parts of `out` as one for parts of another name."""
    return ast.unparse(_Renamed(own).visit(ast.parse(parts, mode="eval")))


class _Renamed(ast.NodeTransformer):
    """Replaces the name `out`."""

    def __init__(self, own: str) -> None:
        self._own = own

    def visit_Name(self, node: ast.Name) -> ast.Name:  # noqa: N802
        return ast.Name(self._own) if node.id == "out" else node


def _with_parts(kit: Any, case: Case) -> Iterator[Case]:
    """Yield the case with the arrays of its output, or with its public attributes that are plain.

    Texts with digits or slashes are excluded: they may be numbered names, addresses and paths.
    """
    typed = case._replace(output="out", repeat="pure")
    try:
        value = kit.value(typed)
        parts = kit.parts(value)
    except Exception:
        return
    if parts:
        yield typed._replace(output=parts)
    names = [name for name in _attributes(value) if _is_plain(_read(value, name))]
    if names:
        shown = ", ".join(f"out.{name}" for name in names[:_MOST_PARTS])
        yield typed._replace(output=f"(type(out).__name__, {shown})")


def _attributes(value: Any) -> list[str]:
    """Return the public names of the attributes and properties of an object."""
    own = getattr(value, "__dict__", {})
    more = [
        name
        for each in type(value).__mro__
        for name, found in vars(each).items()
        if isinstance(found, property)
    ]
    return [name for name in dict.fromkeys([*own, *more]) if not name.startswith("_")]


def _read(value: Any, name: str) -> Any:
    """Return an attribute; None if its property raises an exception."""
    try:
        return getattr(value, name)
    except Exception:
        return None


def _is_plain(value: Any) -> bool:
    if type(value) in (bool, float):
        return True
    if type(value) is int:
        return abs(value) < 1_000_000
    if type(value) is str:
        return 0 < len(value) < 60 and not any(each.isdigit() or each in "/\\" for each in value)
    return type(value) in (list, tuple) and 0 < len(value) < 20 and all(map(_is_plain, value))
