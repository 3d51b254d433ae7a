"""Opens objects that are compared by their parts: sets, exceptions, NumPy's generators.

An iterator is not opened, because reading exhausts it: the case's `check` would then find no items.
A case that compares the items reads them itself: ``output: list(out)``.
"""

from __future__ import annotations

import struct
from typing import Any

from pmdriver.framework import NOT_PLAIN, Framework
from pmdriver.job import numpys, plain

#: How `struct` reads the elements of an array, by dtype; arrays of other dtypes are sorted by their
#: bytes.
_ELEMENTS = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B",
    "uint16": "H", "uint32": "I", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
    "complex64": "f", "complex128": "d",
}  # fmt: skip


def children(value: Any, framework: Framework) -> list[tuple[str, Any]] | None:
    """Return the steps and the parts of an object, in order; None if it is not opened.

    Parameters
    ----------
    value
        Neither an array nor a plain value: a set has at least one member that is not plain.
    framework
        Detects and reads the arrays in a set, because members are sorted by their elements.
    """
    if isinstance(value, (set, frozenset)):
        members = sorted(plain.items_of(value), key=lambda item: _place(item, framework))
        return [(f"[{i}]", item) for i, item in enumerate(members)]
    if isinstance(value, BaseException):
        return [(f".args[{i}]", item) for i, item in enumerate(value.args)]
    state = numpys.generator_state(value)
    return None if state is None else [(".state", plain.State(*state))]


def _place(item: Any, framework: Framework) -> tuple:
    """Return the sort key of a member of a set: its type, then its elements or its value.

    The address is not part of it, because it differs from process to process. Elements are compared
    as numbers, so that rounding rarely changes the order.
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
