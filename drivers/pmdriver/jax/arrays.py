"""Arrays of JAX: their elements, and the parts of objects that contain arrays."""

from __future__ import annotations

import re
from typing import Any

import jax
import numpy as np

from pmdriver.hostarrays import DTYPES


def is_known(value: Any) -> bool:
    """Return whether a value is an array of JAX, or a traced one, with a dtype in `DTYPES`."""
    return isinstance(value, jax.Array) and value.dtype.name in DTYPES


def on_host(array: Any) -> Any:
    """Return the elements as an array of NumPy; JAX caches no copy, so each call reads them."""
    if isinstance(array, jax.Array) and len(array.devices()) == 1:
        array = array.addressable_data(0)
    return np.asarray(array)


def parts_of_array(array: Any) -> list[tuple[str, Any]] | None:
    """Open an array whose elements are not numbers that portmeter knows.

    Returns
    -------
    list of (str, object)
        The step of the path, and the part. The parts are the dtype and the elements: of a key of a
        random generator its bits, of an array of 8-bit floats its bytes, of any other its int8
        values.
    """
    if isinstance(array, jax.core.Tracer):
        return None
    if not isinstance(array.dtype, np.dtype):  # the dtype of a key, in every version of JAX
        return [(".dtype", str(array.dtype)), (".data", jax.random.key_data(array))]
    if array.dtype.itemsize == 1 and "int" not in array.dtype.name:
        elements = jax.lax.bitcast_convert_type(array, np.uint8)
    else:
        elements = array.astype(np.int8)  # elements of int2 and int4 share bytes
    return [(".dtype", np.dtype(array.dtype)), (".elements", elements)]


def parts_of_node(value: Any) -> list[tuple[str, Any]] | None:
    """Open a node of a tree that JAX has registered: its children, and its description.

    Return None for Python's containers, and for anything else. Before 0.4.25, JAX has no function
    that returns the description.
    """
    if value is None or isinstance(value, (tuple, list, dict)):
        return None
    registry = getattr(jax.tree_util, "default_registry", None)
    found = registry.flatten_one_level(value) if registry else _one_level(value)
    if found is None:
        return None
    children, *description = found
    return [*((f".children[{i}]", child) for i, child in enumerate(children)),
            *((".description", part) for part in description)]  # fmt: skip


def _one_level(value: Any) -> tuple[list[Any]] | None:
    """Return the children of a node, without its description; None for a leaf."""
    children, structure = jax.tree_util.tree_flatten(value, lambda part: part is not value)
    return None if jax.tree_util.treedef_is_leaf(structure) else (children,)


def parts_of_program(value: Any) -> list[tuple[str, Any]] | None:
    """Open a traced program (its text and constants) or a transformed function (the original).

    Return None for anything else. Options of a transformation, such as static arguments, are not
    among the parts.
    """
    if type(value).__module__.partition(".")[0] not in ("jax", "jaxlib"):
        return None
    kind = type(value).__name__  # its module changes from version to version
    if kind == "ClosedJaxpr":
        constants = [(f".consts[{i}]", each) for i, each in enumerate(value.consts)]
        return [(".jaxpr", _without_addresses(str(value.jaxpr))), *constants]
    if kind == "Jaxpr":
        return [(".jaxpr", _without_addresses(str(value)))]
    if hasattr(value, "__wrapped__"):
        return [(".__wrapped__", value.__wrapped__)]
    return None


def _without_addresses(text: str) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", text)
