"""The parameters of functions: from schemas, from Python, and from docstrings."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any, NamedTuple

#: Optional and keyword-only parameters for which calls give no argument.
_LEFT_OUT = ("out", "dtype", "layout", "device", "requires_grad", "generator")


class Parameter(NamedTuple):
    """A parameter: `kind` is ``pos``, ``kw`` or ``var``; `optional` if it has a default value."""

    name: str
    annotation: str
    kind: str
    optional: bool = False


def _annotation(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    if isinstance(value, str):
        return value
    return value.__name__ if isinstance(value, type) else str(value)


def _of_default(value: Any) -> str:
    """Return the type of a default value that is a flag, a text or a number; empty for others."""
    if isinstance(value, (tuple, list)) and value and type(value[0]) is int:
        return "tuple[int, ...]"
    return type(value).__name__ if type(value) in (bool, str, int, float, complex) else ""


def of_signature(signature: inspect.Signature) -> list[Parameter]:
    """Return the parameters that a call must give."""
    found = []
    for each in signature.parameters.values():
        note = _annotation(each.annotation)
        if each.kind == each.VAR_POSITIONAL:
            found.append(Parameter(each.name, note, "var"))
        elif each.kind != each.VAR_KEYWORD and each.default is each.empty:
            kind = "kw" if each.kind == each.KEYWORD_ONLY else "pos"
            found.append(Parameter(each.name, note, kind))
    return found


def with_optional(signature: inspect.Signature, needed: list[Parameter]) -> list[list[Parameter]]:
    """Return the needed parameters twice: with the first optional one, and with the first two."""
    more = [
        Parameter(each.name, _annotation(each.annotation) or _of_default(each.default), "pos", True)
        for each in signature.parameters.values()
        if each.default is not each.empty
        and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and each.name not in _LEFT_OUT
    ]
    if any(each.kind != "pos" for each in needed):
        return []
    return [needed + more[:count] for count in (1, 2) if len(more) >= count]


def _arguments(inside: str) -> ast.arguments | None:
    """Parse the text between the parentheses of a signature; brackets may mark optional ones."""
    for text in (inside, inside.replace("[, ", ", ").replace("[", "").replace("]", "")):
        try:
            tree = ast.parse(f"def f({text}): pass")
        except SyntaxError:
            continue
        return tree.body[0].args  # type: ignore[attr-defined]
    return None


def _said(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else ""


def of_text(docs: str, name: str) -> list[list[Parameter]]:
    """Return the signatures in the first lines of a docstring, also those of a constructor."""
    found = []
    for line in docs.strip().splitlines()[:12]:
        names = rf"(?:{re.escape(name)}|__init__)"
        match = re.match(rf"^\s*(?:\d+\. )?(?:[\w.]*\.)?{names}\((.*)\)\s*(->.*)?$", line)
        if match is None:
            continue
        given = _arguments(match.group(1))
        if given is None:
            continue
        ordinary = given.posonlyargs + given.args
        needed = ordinary[: len(ordinary) - len(given.defaults)]
        parameters = [Parameter(each.arg, _said(each), "pos") for each in needed]
        parameters += [
            Parameter(each.arg, _said(each), "kw")
            for each, fallback in zip(given.kwonlyargs, given.kw_defaults)
            if fallback is None and each.arg not in _LEFT_OUT
        ]
        if given.vararg:
            parameters.append(Parameter(given.vararg.arg, _said(given.vararg), "var"))
        found.append(parameters)
    return found


def _of_constructors(value: Any) -> list[list[Parameter]]:
    """Return the parameters of the first ``__init__`` of a class or its bases that names some."""
    for base in value.__mro__ if isinstance(value, type) else ():
        try:
            signature = inspect.signature(vars(base)["__init__"])
        except (KeyError, ValueError, TypeError):
            continue
        own = signature.replace(parameters=list(signature.parameters.values())[1:])
        needed = of_signature(own)
        found = [needed, *with_optional(own, needed)]
        if any(each.kind != "var" for parameters in found for each in parameters):
            return found
    return []


def all_of(value: Any, name: str, docs: str, more: list[list[Parameter]]) -> list[list[Parameter]]:
    """Return the possible lists of parameters, likely ones first.

    Parameters
    ----------
    value, name
        The function, and the last part of its name.
    docs
        Its docstring.
    more
        The framework's own lists of parameters, tried first.
    """
    found = list(more)
    optional = []
    try:
        signature = inspect.signature(value)
        needed = of_signature(signature)
        if all(each.kind == "var" for each in needed):
            found += _of_constructors(value)
        found.append(needed)
        optional = with_optional(signature, found[-1])
    except (ValueError, TypeError):
        pass
    found += of_text(docs, name) + optional
    if not found:
        one, two = Parameter("x", "", "pos"), Parameter("y", "", "pos")
        found = [[], [one], [one, two]] if isinstance(value, type) else [[one], [one, two], []]
    return [each for at, each in enumerate(found) if each not in found[:at]][:8]
