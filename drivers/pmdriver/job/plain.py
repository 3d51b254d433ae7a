"""Writes plain values as JSON: equal values have equal forms, and different values do not.

None, a `bool`, an `int` of 64 bits, a finite `float`, a `str` and a `list` have the form that looks
like them in JSON: null, true or false, a number, a string, a list. Any other value is an object
with one key, the name of its type, so that no two types have the same form:
``{"tuple": [1, 2]}``, ``{"float": "inf"}``, ``{"torch.dtype": "torch.float32"}``.
"""

from __future__ import annotations

import array
import collections
import enum
import json
import math
import operator
import types
from collections.abc import ItemsView, Iterable, KeysView, ValuesView
from typing import Any, Callable

from pmdriver.digest import digest
from pmdriver.framework import NOT_PLAIN, Framework
from pmdriver.job import functions, numpys

#: The most levels of nested lists, including the containers around them.
MOST_DEPTH = 60
#: The most characters or bytes of a string that are kept; a longer string is reduced to its
#: beginning, its length and its digest.
MOST_TEXT = 1 << 16
#: How many characters or bytes of the beginning are kept.
MOST_BEGINNING = 1000

#: Base classes. A class derived from one can iterate over items that differ from the stored ones.
_BASES: tuple[Any, ...] = (list, tuple, collections.deque, set, frozenset)

#: Types that are written like a list.
SEQUENCES = (list, tuple, collections.deque, KeysView, ValuesView, ItemsView)

#: Constants that exist only once.
_SINGLETONS = (..., NotImplemented)

#: Members of classes that C defines: ``str.upper``.
_DESCRIPTORS = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType,
)  # fmt: skip

#: Modules of the standard library with values that `str` identifies.
_VALUE_MODULES = ("datetime", "decimal", "fractions", "pathlib", "pathlib._local", "uuid")


class State:
    """The state of a generator of random numbers.

    Its form is ``{"generator state": {ENGINE: digest}}``. Each engine has its own format, so that
    the supervisor compares only states of one engine.

    Parameters
    ----------
    engine
        The kind of generator.
    data
        The state; None if the generator does not expose it.
    """

    def __init__(self, engine: str, data: bytes | None) -> None:
        found = None if data is None else _digest(data)
        self.form = {"generator state": {engine: found}}


class TooDeep(Exception):
    """Lists are nested more than `MOST_DEPTH` levels deep, or endlessly."""


def type_name(value: Any) -> str:
    """Return the name of a value's type, with its module unless it is a builtin."""
    return _class_name(type(value))


def _class_name(cls: type) -> str:
    prefix = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return prefix + cls.__qualname__


def shortened(text: str, most: int) -> str:
    """Return the first `most` characters of a string, its length and its digest, as one string."""
    return f"{text[:most]}... {len(text)} {_digest(_utf8(text))}"


def form(value: Any, framework: Framework, depth: int = 0) -> Any:
    """Return the JSON form of a plain value, NOT_PLAIN for any other.

    Parameters
    ----------
    value
        Anything.
    framework
        Detects arrays, and knows its own plain values.
    depth
        How many containers are around the value.

    Raises
    ------
    TooDeep
        The value contains itself, or has too many levels.
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
    return _of_library(value, framework, depth)


def _tagged(value: Any, base: type, written: Any) -> Any:
    """Add the name of the type, unless JSON writes exactly this type."""
    native = type(value) is base and base in (int, float, str) and isinstance(written, base)
    return written if native else {type_name(value): written}


def items_of(value: Any) -> Iterable[Any]:
    """Iterate over the items of a sequence or a set, including those a derived class hides."""
    for base in _BASES:
        if isinstance(value, base):
            own = type(value).__iter__ is base.__iter__
            return iter(value) if own else with_hidden(value, base.__iter__, value)
    return iter(value)


def with_hidden(shown: Iterable[Any], read: Callable[[Any], Iterable[Any]], value: Any) -> list:
    """List the items that a container shows, then those that it stores, if these differ.

    Parameters
    ----------
    shown
        The items over which the container's own class iterates.
    read
        Iterates over the items that the base class stores for `value`. Raises `TypeError` for a
        proxy of another object, which stores nothing itself.
    value
        The container.
    """
    found = list(shown)
    try:
        inside = list(read(value))
    except TypeError:
        return found
    if len(found) == len(inside) and all(map(_is_same, found, inside)):
        return found
    return found + inside


def _is_same(a: Any, b: Any) -> bool:
    """Return whether two items are the same objects; pairs of a mapping are compared by parts."""
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return all(map(operator.is_, a, b))
    return a is b


def _items(value: Any, framework: Framework, depth: int) -> Any:
    if hasattr(value, "_fields"):
        return NOT_PLAIN  # a named tuple, which `leaves` opens by the names of its fields
    items = _list(items_of(value), framework, depth)
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
    parts = (_real(part.__get__(value)) for part in (complex.real, complex.imag))
    return [{"float": part} if isinstance(part, str) else part for part in parts]


def _text(value: str) -> str | dict[str, Any]:
    """Keep a string if JSON can carry it and it is short enough; else return what identifies it."""
    text = str.__str__(value)
    data = _utf8(text)
    if len(text) <= MOST_TEXT and "\0" not in text and data.decode("utf-8", "replace") == text:
        return text
    begins = text[:MOST_BEGINNING].encode("ascii", "backslashreplace").decode().replace("\0", "\\0")
    return {"begins": begins, "length": len(text), "digest": _digest(data)}


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _bytes(value: bytes | bytearray) -> str | dict[str, Any]:
    """Write the bytes that the base class stores: a derived class may convert to other bytes."""
    base: Any = bytes if isinstance(value, bytes) else bytearray
    return _hex(bytes(base.__getitem__(value, slice(None))))


def _memory(value: memoryview) -> str | dict[str, Any]:
    """Write the bytes of a view and, unless its items are single bytes, its format and shape."""
    text = _hex(value.tobytes())
    if value.format == "B" and value.ndim == 1:
        return text
    return {"format": value.format, "shape": list(value.shape or ()), "bytes": text}


def _numbers(value: array.array) -> dict[str, Any]:
    """Write the items of an array of the standard library, and their type."""
    if value.typecode in "fd":
        items: Any = [{"float": n} if isinstance(n, str) else n for n in map(_real, value)]
    else:
        items = _hex(value.tobytes())
    return {"typecode": value.typecode, "items": items}


def _hex(data: bytes) -> str | dict[str, Any]:
    if len(data) <= MOST_TEXT:
        return data.hex()
    begins = data[:MOST_BEGINNING].hex()
    return {"begins": begins, "length": len(data), "digest": _digest(data)}


def _range(value: range) -> list[Any]:
    """Return the first item, the last item and the step, which are the same for equal ranges."""
    if len(value) < 2:
        return [_whole(item) for item in value]
    return [_whole(number) for number in (value[0], value[-1], value.step)]


def _digest(data: bytes) -> str:
    return digest("uint8", (len(data),), data)


#: The types that are written without looking at parts, in the order in which they are tried.
_WRITERS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, _text),
    (int, _whole),
    (float, _real),
    (complex, _complex),
    (bytes, _bytes),
    (bytearray, _bytes),
    (memoryview, _memory),
    (range, _range),
    (array.array, _numbers),
)


def _of_library(value: Any, framework: Framework, depth: int) -> Any:
    """Write values of the standard library that a name or a string identifies."""
    if isinstance(value, type):
        return {"type": _class_name(value)}
    if isinstance(value, types.ModuleType):
        return {"module": value.__name__}
    if isinstance(value, types.FunctionType):
        return function_name(value) if functions.is_named(value) else NOT_PLAIN
    if isinstance(value, types.BuiltinFunctionType):
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return function_name(value)
    if isinstance(value, State):
        return value.form
    if isinstance(value, _DESCRIPTORS):
        return {"function": f"{_class_name(value.__objclass__)}.{value.__name__}"}
    if isinstance(value, types.CodeType):
        return {"code": functions.code(value, lambda item: _constant(item, framework, depth))}
    if any(value is each for each in _SINGLETONS):
        return {"constant": repr(value)}
    if isinstance(value, slice):
        return {"slice": repr(value)}
    if type(value).__module__ in _VALUE_MODULES:
        return {type_name(value): str(value)}
    return NOT_PLAIN


def function_name(value: Any) -> dict[str, str]:
    """Return the form of a function that its name identifies."""
    return {"function": f"{value.__module__}.{value.__qualname__}"}


def _constant(value: Any, framework: Framework, depth: int) -> Any:
    """Write a constant in code, or only its type if Python's compiler cannot have made it."""
    found = form(value, framework, depth + 1)
    return {"type": type_name(value)} if found is NOT_PLAIN else found
