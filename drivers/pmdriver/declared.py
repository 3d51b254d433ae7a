"""What a case declares of where things are, held against what is there."""

from __future__ import annotations

import functools
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pmdriver import leaves
from pmdriver.failure import HarnessFault

if TYPE_CHECKING:
    from pmdriver.framework import Framework

#: So many paths are shown to one who names another.
MOST_SHOWN = 8


def host_outputs(
    declared: Sequence[str], found: Sequence[leaves.Leaf], root: str, strict: bool
) -> set[str]:
    """Give the paths of leaves that `host_outputs` names, or of which it names the whole.

    Parameters
    ----------
    declared
        As in the case: ``out``, ``out[1].sizes``.
    found
        The leaves of the output.
    root
        What their paths begin with, in the place of ``out``.
    strict
        A path that names nothing is an error. A device may give other outputs than its control, and
        is judged by them; on the control it is the case that is wrong.
    """
    paths: set[str] = set()
    for text in declared:
        whole = root + text[len("out") :]
        named = [leaf.path for leaf in found if _is_within(leaf.path, whole)]
        if strict and not named:
            there = ", ".join(leaf.path for leaf in found[:MOST_SHOWN])
            raise HarnessFault(f"host_outputs: no '{whole}' among the outputs: {there}")
        paths.update(named)
    return paths


def _is_within(path: str, whole: str) -> bool:
    return path == whole or path.startswith((whole + ".", whole + "["))


def verify_host_only(values: dict[str, Any], framework: Framework) -> None:
    """Look for arrays on the device among named values, bound methods and partials too."""
    for name, value in values.items():
        if _holds_device_array([value, *_parts_of_callable(value)], framework):
            raise HarnessFault(f"declared host_only, but '{name}' is on the device")


def _parts_of_callable(value: Any) -> list[Any]:
    """List what a callable carries along: the object of a bound method, what a partial holds."""
    if isinstance(value, functools.partial):
        return [*_parts_of_callable(value.func), *value.args, *value.keywords.values()]
    owner = getattr(value, "__self__", None) if callable(value) else None
    return [] if owner is None or isinstance(owner, types.ModuleType) else [owner]


def _holds_device_array(value: Any, framework: Framework) -> bool:
    try:
        arrays = [leaf for leaf in leaves.walk(value, framework) if leaf.kind == leaves.ARRAY]
    except ValueError:  # endless: nothing that a case compares
        return False
    return any(framework.where(leaf.value)[1] != framework.is_host for leaf in arrays)
