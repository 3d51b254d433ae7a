"""Divides an output into its leaves, in order; the path of a leaf is its place in the output.

``(a, {"k": b})`` under the root ``out`` has the leaves ``out[0]`` and ``out[1]['k']``. A leaf is
one of four kinds:

- an array of the framework, unchanged; if it has a kind, a container at the same path that names
  this kind comes first,
- a plain value (`pmdriver.job.plain`), as JSON,
- a container, as the name of its class; the leaves of its parts follow,
- anything else, as the name of its type: only this name is compared, and `suite check` says so.

portmeter has limits of its own. An output that exceeds one says nothing about the function: a
`HarnessFault` names the limit.
"""

from __future__ import annotations

import collections
import json
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pmdriver.failure import HarnessFault
from pmdriver.framework import NOT_PLAIN, Framework
from pmdriver.job import functions, numpys, objects, plain

ARRAY, VALUE, CONTAINER, TYPE = "array", "value", "container", "type"

#: The most leaves of an output, and levels of containers in it; the supervisor has the same limits.
MOST_LEAVES = 100_000
MOST_DEPTH = plain.MOST_DEPTH
#: The most dimensions of an array, in PyTorch, NumPy and the supervisor.
MOST_DIMENSIONS = 64
#: The most bytes of one array: compressed, it must fit into a row of the database.
MOST_BYTES = 900 << 20
#: The most bytes of all arrays of a result, which one frame carries.
MOST_BYTES_OF_ALL = 1 << 31
#: The most characters of a key in a path; a longer key is cut and followed by its digest.
MOST_KEY = 200


class Leaf(NamedTuple):
    """One leaf; `kind` says whether `value` is the array, the JSON value or the name of a class."""

    path: str
    kind: str
    value: Any


def over_limit(path: str, what: str) -> HarnessFault:
    """Return the fault of an output that exceeds a limit of portmeter's own.

    Parameters
    ----------
    path
        The place in the output.
    what
        What the output has, and the limit.
    """
    return HarnessFault(
        f"the output '{path[:80]}' has {what} (portmeter's limit): use a smaller output"
    )


def is_plain(value: Any, framework: Framework) -> bool:
    """Return whether a value is compared as JSON."""
    try:
        return plain.form(value, framework) is not NOT_PLAIN
    except plain.TooDeep:
        return False


def children(value: Any, framework: Framework) -> list[tuple[str, Any]] | None:
    """Return the steps and the parts of a container, in order; None for any other value."""
    own = framework.children(value)
    if own is None:
        own = numpys.children(value, framework)
    if own is not None:
        return own
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _fields(value)
    if isinstance(value, plain.SEQUENCES):
        return [(f"[{i}]", item) for i, item in enumerate(plain.items_of(value))]
    if isinstance(value, Mapping):
        return [(step(key, i, framework), item) for i, (key, item) in enumerate(_pairs(value))]
    dataclasses = sys.modules.get("dataclasses")  # if missing, no value is a data class
    if dataclasses and dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return [(f".{name}", getattr(value, name)) for name in names if hasattr(value, name)]
    if isinstance(value, types.SimpleNamespace):
        return [(f".{name}", item) for name, item in vars(value).items()]
    own = functions.children(value)
    return objects.children(value, framework) if own is None else own


def _fields(value: tuple) -> list[tuple[str, Any]]:
    """Open a named tuple by its names, or by index if it has more or fewer items than names."""
    items = list(plain.items_of(value))
    named = [f".{name}" for name in value._fields]  # type: ignore[attr-defined]
    whole = len(named) == len(items)
    return list(zip(named if whole else [f"[{i}]" for i in range(len(items))], items))


def _pairs(value: Mapping) -> Iterable[tuple[Any, Any]]:
    """Return the items of a mapping, and those that a class derived from `dict` hides."""
    base: Any = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
    if not isinstance(value, dict) or type(value).items in (dict.items, base.items):
        return value.items()
    return plain.with_hidden(value.items(), base.items, value)


def step(key: Any, position: int, framework: Framework) -> str:
    """Return the step of a path for a key of a mapping.

    The text of a key that is not plain, such as a tensor, differs from process to process, so the
    step has its type and position instead.
    """
    if _is_simple(key):
        text = repr(key)
    elif is_plain(key, framework):
        text = json.dumps(plain.form(key, framework), sort_keys=True)
    else:
        text = f"{plain.type_name(key)} {position}"
    return f"[{text if len(text) <= MOST_KEY else plain.shortened(text, MOST_KEY)}]"


def _is_simple(key: Any) -> bool:
    """Return whether the text that Python gives a key is the same in every process."""
    if type(key) is tuple:
        return all(map(_is_simple, key))
    return type(key) in (str, int, float, complex, bool, bytes, type(None))


def walk(value: Any, framework: Framework, path: str = "out") -> list[Leaf]:
    """Return the leaves of an output, in order.

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
    HarnessFault
        The structure is endless, or larger than a limit.
    """
    leaves: list[Leaf] = []
    _walk(value, framework, path, leaves, 0)
    return leaves


def _walk(
    value: Any,
    framework: Framework,
    path: str,
    leaves: list[Leaf],
    depth: int,
    around: tuple[Any, ...] = (),
) -> None:
    """Add the leaves of a value in `depth` containers; `around` are the functions among these."""
    if depth > MOST_DEPTH:
        raise over_limit(path, f"more than {MOST_DEPTH} levels")
    if len(leaves) >= MOST_LEAVES:
        raise over_limit(path, f"more than {MOST_LEAVES:,} parts before it")
    if framework.is_array(value):
        kind = framework.kind(value)
        if kind:
            leaves.append(Leaf(path, CONTAINER, kind))
        leaves.append(Leaf(path, ARRAY, value))
        return
    try:
        json_value = plain.form(value, framework, depth)
    except plain.TooDeep:
        raise over_limit(path, f"more than {MOST_DEPTH} levels") from None
    if json_value is not NOT_PLAIN:
        leaves.append(Leaf(path, VALUE, json_value))
        return
    if isinstance(value, types.FunctionType):
        if any(value is each for each in around):  # the function refers to itself
            leaves.append(Leaf(path, VALUE, plain.function_name(value)))
            return
        around = (*around, value)
    parts = children(value, framework)
    kind = TYPE if parts is None else CONTAINER
    leaves.append(Leaf(path, kind, plain.type_name(value)))
    for at, part in parts or ():
        _walk(part, framework, path + at, leaves, depth + 1, around)


def check_size(leaf: Leaf, framework: Framework, before: int) -> None:
    """Verify, before an array leaf is read, that its size is within portmeter's limits.

    Parameters
    ----------
    leaf
        Of the kind `ARRAY`.
    framework
        Reports the array's size.
    before
        The bytes of the arrays that are already in the result.

    Raises
    ------
    HarnessFault
        The array exceeds a limit.
    """
    dimensions, size = framework.extent(leaf.value)
    if dimensions > MOST_DIMENSIONS:
        raise over_limit(leaf.path, f"{dimensions} dimensions, over {MOST_DIMENSIONS}")
    if size > MOST_BYTES:
        raise over_limit(leaf.path, f"{size:,} bytes, over {MOST_BYTES:,}")
    if before + size > MOST_BYTES_OF_ALL:
        both = f"{before + size:,} bytes with the arrays before it"
        raise over_limit(leaf.path, f"{both}, over {MOST_BYTES_OF_ALL:,}")


def identities(leaves: Sequence[Leaf], framework: Framework) -> dict[str, Any]:
    """Return by path what identifies the leaves: digests of arrays, texts of other values."""
    return grouped(
        (leaf.path, framework.digest(leaf.value)[1] if leaf.kind == ARRAY else repr(leaf.value))
        for leaf in leaves
    )


def stored_identities(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the same as `identities` for leaves that are stored in a result."""
    return grouped((entry["path"], _identity(entry)) for entry in entries)


def _identity(entry: dict[str, Any]) -> Any:
    if "dtype" in entry:
        return entry.get("digest")
    return repr(next(entry[kind] for kind in (VALUE, CONTAINER, TYPE) if kind in entry))


def grouped(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Group pairs by path: a container and its only part may have the same path."""
    found: dict[str, list[Any]] = collections.defaultdict(list)
    for path, identity in pairs:
        found[path].append(identity)
    return dict(found)
