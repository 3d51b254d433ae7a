"""Functions as values: how two functions are compared.

A function that its module has under its name is identified by that name (`is_named`). Any other,
such as a lambda or the result of a transformation, is identified by its code and the values that it
carries: defaults and enclosed names. The globals of its module are ignored.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

from pmdriver.digest import digest

#: The module of functions that a case defines (`pmdriver.job.source.MODULE`).
_CASE_MODULE = "portmeter_case"

#: Callables with arguments that `__reduce__` returns: ``operator.itemgetter(1)``.
_REDUCED = (operator.itemgetter, operator.attrgetter, operator.methodcaller)

Parts = list[tuple[str, Any]]


def is_named(function: Any) -> bool:
    """Return whether a function is the one that its module has under its name.

    Then its name identifies it. The name does not identify a lambda, a function within a function,
    or a function that the case defines: their code is compared.
    """
    if function.__module__ == _CASE_MODULE:
        return False
    found = sys.modules.get(function.__module__ or "")
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function


def children(value: Any) -> Parts | None:
    """Open a callable: the step of the path and the part, in order; None if it is not opened.

    Parameters
    ----------
    value
        Not a plain value, and so not a function for which `is_named` is true.
    """
    if isinstance(value, types.FunctionType):
        return _parts_of_function(value)
    if isinstance(value, functools.partial):
        return _parts_of_partial(value)
    if isinstance(value, types.MethodType):
        return [(".__func__", value.__func__), (".__self__", value.__self__)]
    if isinstance(value, types.BuiltinMethodType):
        return [(".__name__", value.__name__), (".__self__", value.__self__)]
    if type(value) in _REDUCED:
        return [(f".__reduce__()[{i}]", item) for i, item in enumerate(value.__reduce__())]
    return None


def _parts_of_partial(value: functools.partial) -> Parts:
    arguments = [(f".args[{i}]", item) for i, item in enumerate(value.args)]
    named = [(f".keywords[{key!r}]", item) for key, item in value.keywords.items()]
    return [(".func", value.func), *arguments, *named]


def _parts_of_function(value: types.FunctionType) -> Parts:
    """Open a function: its name, its code, its defaults and its enclosed values."""
    name = f"{value.__module__}.{value.__qualname__}"
    cells = zip(value.__code__.co_freevars, value.__closure__ or ())
    enclosed = [(f".{key}", _content(cell)) for key, cell in cells]
    return [
        (".__name__", name),
        (".__code__", value.__code__),
        (".__defaults__", value.__defaults__),
        (".__kwdefaults__", value.__kwdefaults__),
        *enclosed,
    ]


def _content(cell: Any) -> Any:
    """Return the value of an enclosed name; ``"unbound"`` if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return "unbound"


def code(value: types.CodeType, constant: Callable[[Any], Any]) -> dict[str, Any]:
    """Write what a code object does, without the names of files and the numbers of lines.

    Parameters
    ----------
    value
        The code object; nested code objects are written in the same way.
    constant
        Writes a constant that is not code.
    """
    constants = [
        code(item, constant) if isinstance(item, types.CodeType) else constant(item)
        for item in value.co_consts
    ]
    data = value.co_code
    return {
        "arguments": list(value.co_varnames[: value.co_argcount + value.co_kwonlyargcount]),
        "names": list(value.co_names),
        "constants": constants,
        "bytecode": digest("uint8", (len(data),), data),
    }
