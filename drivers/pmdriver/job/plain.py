"""Writes plain values as JSON: equal values have equal forms, all others differ.

JSON has null, true, false, numbers, texts and lists, and each of them is the form of the Python
value that it looks like: None, a `bool`, an `int` of 64 bits, a finite `float`, a `str`, a `list`.
Any other value is an object with one key, the name of its type, so that no two types are mixed up:
``{"tuple": [1, 2]}``, ``{"float": "inf"}``, ``{"torch.dtype": "torch.float32"}``.
"""

from __future__ import annotations

import collections
import enum
import json
import math
import types
from collections.abc import ItemsView, Iterable, KeysView, ValuesView
from typing import Any, Callable

from pmdriver.digest import digest
from pmdriver.framework import NOT_PLAIN, Framework
from pmdriver.job import numpys

#: Levels of lists within each other, with the containers around them.
MOST_DEPTH = 60
#: Characters or bytes of a string that are kept; of a longer one the beginning, length and digest.
MOST_TEXT = 1 << 16
#: Characters that are kept of the beginning.
MOST_BEGINNING = 1000

#: What is walked like a list.
SEQUENCES = (list, tuple, collections.deque, KeysView, ValuesView, ItemsView)

#: Modules of the standard library whose values are their texts.
_VALUE_MODULES = ("datetime", "decimal", "fractions", "pathlib", "pathlib._local", "uuid")
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)


class TooDeep(Exception):
    """Lists lie within each other more than `MOST_DEPTH` deep, or without end."""


def type_name(value: Any) -> str:
    """Return the name of a value's type, with its module unless it is a builtin."""
    return _class_name(type(value))


def _class_name(cls: type) -> str:
    prefix = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return prefix + cls.__qualname__


def shortened(text: str, most: int) -> str:
    """Return the beginning of a string, its length and its digest, as one string."""
    return f"{text[:most]}... {len(text)} {_digest(_utf8(text))}"


def form(value: Any, framework: Framework, depth: int = 0) -> Any:
    """Return the JSON form of a plain value, NOT_PLAIN for any other.

    Parameters
    ----------
    value
        Anything.
    framework
        Detects its arrays, and knows plain values of its own.
    depth
        How many containers are around the value.

    Raises
    ------
    TooDeep
        It contains itself, or too many levels.
    """
    if depth > MOST_DEPTH:
        raise TooDeep
    if value is None or value is True or value is False:
        return value
    own = framework.plain(value)
    if own is not NOT_PLAIN:
        return own
    if numpys.is_value(value):
        return numpys.plain(value)
    if isinstance(value, enum.Enum):
        return {type_name(value): value.name or repr(value)}
    for base, write in _WRITERS:
        if isinstance(value, base):
            return _tagged(value, base, write(value))
    if isinstance(value, (*SEQUENCES, set, frozenset)):
        return _items(value, framework, depth)
    return _of_library(value)


def _tagged(value: Any, base: type, written: Any) -> Any:
    """Name the type, unless JSON's own form is that of the very type."""
    native = type(value) is base and base in (int, float, str) and isinstance(written, base)
    return written if native else {type_name(value): written}


def _items(value: Any, framework: Framework, depth: int) -> Any:
    if hasattr(value, "_fields"):
        return NOT_PLAIN  # opened by name
    items = _list(value, framework, depth)
    if items is NOT_PLAIN or type(value) is list:
        return items
    if isinstance(value, (set, frozenset)):
        items.sort(key=lambda item: json.dumps(item, sort_keys=True))
    return {type_name(value): items}


def _list(items: Iterable[Any], framework: Framework, depth: int) -> Any:
    values = []
    for item in items:
        value = NOT_PLAIN if framework.is_array(item) else form(item, framework, depth + 1)
        if value is NOT_PLAIN:
            return NOT_PLAIN
        values.append(value)
    return values


def _whole(value: int) -> int | str | dict[str, Any]:
    number = int.__index__(value)
    return number if -(2**63) <= number < 2**63 else _text(hex(number))


def _real(value: float) -> float | str:
    number = float.__float__(value)
    return number if math.isfinite(number) else float.__repr__(number)


def _complex(value: complex) -> list[Any]:
    parts = (_real(value.real), _real(value.imag))
    return [{"float": part} if isinstance(part, str) else part for part in parts]


def _text(value: str) -> str | dict[str, Any]:
    """Keep a string that JSON can carry and that is not too long, else what identifies it."""
    text = str.__str__(value)
    data = _utf8(text)
    if len(text) <= MOST_TEXT and "\0" not in text and data.decode("utf-8", "replace") == text:
        return text
    begins = text[:MOST_BEGINNING].encode("ascii", "backslashreplace").decode().replace("\0", "\\0")
    return {"begins": begins, "length": len(text), "digest": _digest(data)}


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _bytes(value: bytes | bytearray | memoryview) -> str | dict[str, Any]:
    data = bytes(value)
    if len(data) <= MOST_TEXT:
        return data.hex()
    begins = data[:MOST_BEGINNING].hex()
    return {"begins": begins, "length": len(data), "digest": _digest(data)}


def _range(value: range) -> list[Any]:
    """Return first item, last item and step, which equal ranges have in common."""
    if len(value) < 2:
        return [_whole(item) for item in value]
    return [_whole(number) for number in (value[0], value[-1], value.step)]


def _digest(data: bytes) -> str:
    return digest("uint8", (len(data),), data)


#: The types whose form needs no look at parts, in the order in which they are tried.
_WRITERS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, _text),
    (int, _whole),
    (float, _real),
    (complex, _complex),
    (bytes, _bytes),
    (bytearray, _bytes),
    (memoryview, _bytes),
    (range, _range),
)


def _of_library(value: Any) -> Any:
    """Write what the standard library knows by a name or a string."""
    if isinstance(value, type):
        return {"type": _class_name(value)}
    if isinstance(value, types.ModuleType):
        return {"module": value.__name__}
    if isinstance(value, _FUNCTIONS):
        owner = getattr(value, "__self__", None)
        if owner is None or isinstance(owner, types.ModuleType):
            return {"function": f"{value.__module__}.{value.__qualname__}"}
    if isinstance(value, slice):
        return {"slice": repr(value)}
    if type(value).__module__ in _VALUE_MODULES:
        return {type_name(value): str(value)}
    return NOT_PLAIN
