"""Moves what a setup made on the host to the device, if all of it can be moved.

A setup that the device cannot run says nothing about the function. If the setup runs on the host
and its results are moved, the call gets the same values. An object that may hide arrays (an
optimizer, a generator, a closure) cannot be moved: the call would then compute on the host.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

from pmdriver.framework import NOT_PLAIN, Framework
from pmdriver.job import numpys

#: Values that are the same on every device. `NoneType` has no name before Python 3.10.
_PLAIN = (type(None), bool, int, float, complex, str, bytes, slice, range, type(Ellipsis),
          type, types.ModuleType, types.BuiltinFunctionType)  # fmt: skip


class NotMovable(Exception):
    """A value may have arrays that cannot be moved; the message names its type."""


def moved(names: Mapping[str, Any], framework: Framework) -> dict[str, Any]:
    """Return the same names with every array on the device.

    Parameters
    ----------
    names
        The names that the setup bound, with values on the host.
    framework
        Started in this process.

    Raises
    ------
    NotMovable
        A value is not an array, a module, a plain value, a function without enclosed values, or a
        list, tuple or dict of these.
    """
    known: dict[int, Any] = {}
    return {name: _moved(value, framework, known) for name, value in names.items()}


def _moved(value: Any, framework: Framework, known: dict[int, Any]) -> Any:
    """Move one value; the same object is moved once, so that names keep sharing it."""
    if id(value) not in known:
        known[id(value)] = _copied(value, framework, known)
    return known[id(value)]


def _copied(value: Any, framework: Framework, known: dict[int, Any]) -> Any:
    found = framework.move(value)
    if found is not NOT_PLAIN:
        return found
    if isinstance(value, _PLAIN) or numpys.is_value(value):
        return value
    if framework.plain(value) is not NOT_PLAIN:
        return value
    if isinstance(value, types.FunctionType) and not value.__closure__:
        _require_plain([*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()])
        return value
    if type(value) in (list, tuple):
        return type(value)(_moved(item, framework, known) for item in value)
    if type(value) is dict:
        return {key: _moved(item, framework, known) for key, item in value.items()}
    raise NotMovable(type(value).__name__)


def _require_plain(values: list[Any]) -> None:
    for value in values:
        if not isinstance(value, _PLAIN):
            raise NotMovable(type(value).__name__)
