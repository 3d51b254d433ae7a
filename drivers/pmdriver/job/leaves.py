"""Walks an output, in order, to its leaves; the path of a leaf says where in the output it is.

``(a, {"k": b})`` under the root ``out`` has the leaves ``out[0]`` and ``out[1]['k']``. A leaf is
one of three kinds:

- an array of the framework, as it is,
- a plain value (numbers, strings, booleans, None, dtypes and lists of them), as JSON,
- anything else, as the name of its type.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pmdriver.framework import NOT_PLAIN, Framework

ARRAY, VALUE, TYPE = "array", "value", "type"

#: Larger and deeper than the output of any test; the walk of an endless structure ends here.
MOST_LEAVES = 100_000
MOST_DEPTH = 64
#: Characters or bytes of a text that are kept; the length of a header is limited.
MOST_TEXT = 1 << 16


class Leaf(NamedTuple):
    """One leaf; `kind` says whether `value` is the array, the JSON value or the type's name."""

    path: str
    kind: str
    value: Any


def type_name(value: Any) -> str:
    """Return the name of a value's type, with its module unless it is a builtin."""
    cls = type(value)
    prefix = "" if cls.__module__ == "builtins" else cls.__module__ + "."
    return prefix + cls.__qualname__


def plain(value: Any, framework: Framework) -> Any:
    """Return the JSON form of a plain value, NOT_PLAIN for any other.

    JSON has no complex numbers, no infinities and no integers beyond 64 bits: they become
    ``{"complex": [re, im]}`` and strings. Equal values have equal forms, others differ.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value[:MOST_TEXT]
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**63 else str(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, complex):
        return {"complex": [plain(value.real, framework), plain(value.imag, framework)]}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value[:MOST_TEXT]).hex()}
    if isinstance(value, (list, tuple, range)) and not hasattr(value, "_fields"):
        return _plain_list(value, framework)
    if isinstance(value, (set, frozenset)):
        items = _plain_list(value, framework)
        return items if items is NOT_PLAIN else {"set": sorted(items, key=repr)}
    return framework.plain(value)


def _plain_list(items: Any, framework: Framework) -> Any:
    values = []
    for item in items:
        value = NOT_PLAIN if framework.is_array(item) else plain(item, framework)
        if value is NOT_PLAIN:
            return NOT_PLAIN
        values.append(value)
    return values


def _children(value: Any, framework: Framework) -> Iterator[tuple[str, Any]] | None:
    own = framework.children(value)
    if own is not None:
        return iter(own)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ((f".{name}", item) for name, item in zip(value._fields, value))
    if isinstance(value, (list, tuple)):
        return ((f"[{i}]", item) for i, item in enumerate(value))
    if isinstance(value, Mapping):
        return ((f"[{key!r}]", item) for key, item in value.items())
    return None


def walk(value: Any, framework: Framework, path: str = "out") -> list[Leaf]:
    """Walk an output to its leaves, in order.

    Parameters
    ----------
    value
        The output of a case.
    framework
        Detects arrays, opens the containers that only it knows, and knows its own plain values.
    path
        What the paths begin with.

    Raises
    ------
    ValueError
        The structure is endless, or too large.
    """
    leaves: list[Leaf] = []
    try:
        _walk(value, framework, path, leaves, 0)
    except RecursionError:  # a list of plain values that contains itself
        raise ValueError(f"the output is too deep at '{path[:80]}'") from None
    return leaves


def _walk(value: Any, framework: Framework, path: str, leaves: list[Leaf], depth: int) -> None:
    if depth > MOST_DEPTH or len(leaves) > MOST_LEAVES:
        raise ValueError(f"the output is too deep or has too many leaves at '{path[:80]}'")
    if framework.is_array(value):
        leaves.append(Leaf(path, ARRAY, value))
        return
    json_value = plain(value, framework)
    if json_value is not NOT_PLAIN:
        leaves.append(Leaf(path, VALUE, json_value))
        return
    children = _children(value, framework)
    if children is None:
        leaves.append(Leaf(path, TYPE, type_name(value)))
        return
    before = len(leaves)
    for step, child in children:
        _walk(child, framework, path + step, leaves, depth + 1)
    if len(leaves) == before:
        leaves.append(Leaf(path, TYPE, type_name(value)))


def identities(leaves: list[Leaf], framework: Framework) -> dict[str, Any]:
    """Return, for each path, what a second call must not change: a digest, or a value's text."""
    return {
        leaf.path: framework.digest(leaf.value)[1] if leaf.kind == ARRAY else repr(leaf.value)
        for leaf in leaves
    }


def identity(entry: dict[str, Any]) -> Any:
    """Return the same for a leaf that is stored in a result."""
    if "dtype" in entry:
        return entry.get("digest")
    return repr(entry["value"] if "value" in entry else entry["type"])
