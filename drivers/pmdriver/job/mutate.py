"""Mutates outputs, to test whether a case's `check` detects this: `portmeter suite check`.

The supervisor tests the comparison of two outputs (src/judging/judge/mutate.c). A `check` is tested
here, where it can be evaluated. Mutations with the same name are the same on both sides.
"""

from __future__ import annotations

import itertools
import struct
import types
from collections.abc import Iterator, MutableMapping
from typing import Any

from pmdriver.framework import Framework
from pmdriver.job import leaves, source

#: Names of mutations, as src/judging/judge/judge.h lists them.
ZEROS, SHAPE, ELEMENT, NAN, VALUE, KEY, SWAPPED = (
    "zeros", "wrong shape", "one element moved", "NaN", "another value", "another key", "swapped",
)  # fmt: skip
#: Mutations only for checks: many checks of random values test only the range.
HIGH, LOW = "high values", "low values"

#: Far from any random output, but small enough for a check to use as a size.
FAR = 10**6
#: The most mutated values of one name, so that a large output does not take too long.
MOST_VARIANTS = 400

_FLOATS = {"float16": "e", "float32": "f", "float64": "d", "complex64": "ff", "complex128": "dd"}

Variants = Iterator[tuple[str, str, Any]]


def detections(
    check: types.CodeType, names: dict[str, Any], own: set[str], framework: Framework
) -> list[dict[str, Any]]:
    """Evaluate a check that is true on mutated values of each name that it uses.

    Parameters
    ----------
    check
        The compiled check, which is true for `names`.
    names
        The globals of the case; unchanged when this returns.
    own
        The names among them that belong to the framework and are not mutated.
    framework
        Reads and makes arrays.

    Returns
    -------
    list of dict
        The list ``check_detected`` that docs/internals/protocol.md describes. A check detects a
        mutation if it is false or raises.
    """
    found = []
    for name in source.all_names(check):
        if name not in names or name in own:
            continue
        kept = names[name]
        for path, mutation, variant in itertools.islice(
            _variants(kept, framework, name), MOST_VARIANTS
        ):
            names[name] = variant
            detected = not _is_true(check, names)
            row = {"path": path, "mutation": mutation}
            found.append({**row, "detected": detected})
        names[name] = kept
    return found


def _is_true(check: types.CodeType, names: dict[str, Any]) -> bool:
    try:
        return source.truth(eval(check, names))
    except Exception:
        return False


def _variants(value: Any, framework: Framework, path: str) -> Variants:
    """Yield each variant of a value with one leaf mutated: path, mutation, variant."""
    if framework.is_array(value):
        for mutation, array in _of_array(value, framework):
            yield path, mutation, array
    elif leaves.is_plain(value, framework):
        for mutation, other in _of_plain(value):
            yield path, mutation, other
    elif framework.children(value) is None:
        for step, key, child in _items(value, framework):
            for at, mutation, other in _variants(child, framework, path + step):
                yield at, mutation, _with(value, key, other)
        yield from _of_structure(value, framework, path)


def _of_structure(value: Any, framework: Framework, path: str) -> Variants:
    """Yield a container with two neighbours swapped, and a mapping with a key renamed."""
    items = _items(value, framework)
    for i, (step, key, child) in enumerate(items):
        if isinstance(value, MutableMapping):
            yield path + step, KEY, _renamed(value, key)
        if i + 1 < len(items):
            _, other_key, other = items[i + 1]
            yield path + step, SWAPPED, _with(_with(value, key, other), other_key, child)


def _copied(value: Any) -> Any:
    import copy  # here: few drivers need it, and it would delay the start of all

    return copy.copy(value)


def _renamed(value: MutableMapping, key: Any) -> Any:
    changed = _copied(value)
    changed.clear()
    other = f"{key}?" if isinstance(key, str) else (key, "?")
    changed.update({other if at == key else at: item for at, item in value.items()})
    return changed


def _items(value: Any, framework: Framework) -> list[tuple[str, Any, Any]]:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f".{name}", i, value[i]) for i, name in enumerate(value._fields)]
    if isinstance(value, (list, tuple)):
        return [(f"[{i}]", i, item) for i, item in enumerate(value)]
    if isinstance(value, MutableMapping):
        steps = (leaves.step(key, i, framework) for i, key in enumerate(value))
        return [(step, key, item) for step, (key, item) in zip(steps, value.items())]
    return []


def _with(value: Any, key: Any, item: Any) -> Any:
    """Copy a container with one item replaced."""
    if isinstance(value, tuple):
        items = [*value[:key], item, *value[key + 1 :]]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    changed: Any = _copied(value)
    changed[key] = item
    return changed


def _of_array(array: Any, framework: Framework) -> Iterator[tuple[str, Any]]:
    dtype, shape, data = framework.read(array)
    if data is None:
        return
    for mutation, changed in _of_bytes(dtype, data):
        if changed != data:
            yield mutation, framework.place(framework.make(dtype, shape, memoryview(changed)))
    yield SHAPE, framework.place(framework.make(dtype, (1, *shape), memoryview(data)))


def _of_bytes(dtype: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    if not data:
        return
    yield ZEROS, bytes(len(data))
    if dtype == "bool":
        yield ELEMENT, bytes([not data[0]]) + data[1:]
        yield HIGH, b"\1" * len(data)
    elif dtype in _FLOATS or dtype == "bfloat16":
        nan = _packed(dtype, float("nan"))
        yield NAN, nan + data[len(nan) :]
        for mutation, number in ((HIGH, float("inf")), (LOW, float("-inf"))):
            element = _packed(dtype, number)
            yield mutation, element * (len(data) // len(element))
    else:
        yield from _of_whole(int(dtype.lstrip("uint")) // 8, dtype[0] == "i", data)


def _of_whole(size: int, signed: bool, data: bytes) -> Iterator[tuple[str, bytes]]:
    first = int.from_bytes(data[:size], "little")
    yield ELEMENT, ((first + 1) % 256**size).to_bytes(size, "little") + data[size:]
    high = min(FAR, 256**size // 2 - 1 if signed else 256**size - 1)
    yield HIGH, high.to_bytes(size, "little") * (len(data) // size)
    if signed:
        yield LOW, (-high).to_bytes(size, "little", signed=True) * (len(data) // size)


def _packed(dtype: str, number: float) -> bytes:
    if dtype == "bfloat16":
        return struct.pack("<f", number)[2:]
    kinds = _FLOATS[dtype]
    return struct.pack("<" + kinds, *[number] * len(kinds))


def _of_plain(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield VALUE, not value
    elif isinstance(value, int):
        yield VALUE, value + 1
        yield from ((HIGH, FAR), (LOW, -FAR))
    elif isinstance(value, float):
        yield from ((ZEROS, 0.0), (NAN, float("nan")), (HIGH, float("inf")), (LOW, float("-inf")))
    elif isinstance(value, str):
        yield VALUE, value + "?"
    elif isinstance(value, (list, tuple)) and value:
        for mutation, first in _of_plain(value[0]):
            yield mutation, _with(value, 0, first)
        yield SHAPE, [value]
