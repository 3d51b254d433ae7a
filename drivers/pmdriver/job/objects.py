"""Opens objects whose parts are their value: sets, exceptions, generators of NumPy.

An iterator is not opened: to read it is to use it up, so that the case's `check` and a second call
would find nothing. A case that is about its items names them: ``output: list(out)``.
"""

from __future__ import annotations

import struct
from typing import Any

from pmdriver.framework import NOT_PLAIN, Framework
from pmdriver.job import numpys, plain

#: How `struct` reads the elements of an array, by the name of their type; others are sorted by
#: their bytes.
_ELEMENTS = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B",
    "uint16": "H", "uint32": "I", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
    "complex64": "f", "complex128": "d",
}  # fmt: skip


def children(value: Any, framework: Framework) -> list[tuple[str, Any]] | None:
    """Open an object: the step of the path and the part, in order; None if it is not opened.

    Parameters
    ----------
    value
        Neither an array nor a plain value: at least one member of a set is not plain.
    framework
        Detects and reads the arrays in a set, which are sorted by their elements.
    """
    if isinstance(value, (set, frozenset)):
        members = sorted(plain.items_of(value), key=lambda item: _place(item, framework))
        return [(f"[{i}]", item) for i, item in enumerate(members)]
    if isinstance(value, BaseException):
        return [(f".args[{i}]", item) for i, item in enumerate(value.args)]
    state = numpys.generator_state(value)
    return None if state is None else [(".state", plain.State(*state))]


def _place(item: Any, framework: Framework) -> tuple:
    """Return what a member of a set is sorted by: its type, then its elements or its value.

    Its address differs from process to process. Elements are compared as numbers, so that rounding
    rarely changes the order.
    """
    if framework.is_array(item):
        buffer = framework.read(item)
        kind = (plain.type_name(item), buffer.dtype, tuple(buffer.shape))
        return (*kind, _numbers(buffer.dtype, buffer.data))
    form = plain.form(item, framework)
    text = "" if form is NOT_PLAIN else repr(form)
    return (plain.type_name(item), "", (), text)


def _numbers(dtype: str, data: bytes | None) -> tuple:
    if data is None:
        return ()
    if dtype not in _ELEMENTS:
        return (bytes(data),)
    size = struct.calcsize(_ELEMENTS[dtype])
    return struct.unpack(f"<{len(data) // size}{_ELEMENTS[dtype]}", data)
