"""Summarise the shapes that a program uses at a place, and the bytes that a call moves."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MOST_EXAMPLES = 3
"""The most examples of shapes of a place."""

_WIDTH = re.compile(r"\d+")
#: Calls that copy arrays to the device that they name.
_MOVES = re.compile(r"^torch\.Tensor\.(to|cuda|xpu|hpu|npu|mps)$|^jax\.device_put$")


def _text(arrays: list[Any]) -> str:
    parts = (
        f"{dtype}[{','.join('?' if d is None else str(d) for d in shape)}]"
        for dtype, shape in arrays
    )
    return ", ".join(parts)


def _range(values: list[Any]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "unknown"
    return f"{min(known)} to {max(known)}"


def varies(shapes: list[list[Any]]) -> str:
    """Say what differs between the arrays of several calls.

    Parameters
    ----------
    shapes
        For each shape of the calls, the dtype and the shape of each array.
    """
    if len({len(arrays) for arrays in shapes}) > 1:
        return "the number of arrays"
    found = []
    for number, arrays in enumerate(zip(*shapes), start=1):
        which = f"array {number}" if len(shapes[0]) > 1 else "the array"
        if len({dtype for dtype, _ in arrays}) > 1:
            found.append(f"the dtype of {which}")
        ranks = {len(shape) for _, shape in arrays}
        if len(ranks) > 1:
            found.append(f"the number of dimensions of {which} ({_range(list(ranks))})")
            continue
        for dimension, sizes in enumerate(zip(*(shape for _, shape in arrays))):
            if len(set(sizes)) > 1:
                found.append(f"dimension {dimension} of {which} ({_range(list(sizes))})")
    return "; ".join(found)


def _compilations(shapes: list[list[Any]]) -> int:
    """Return how often a compiler that makes sizes variable compiles for these shapes.

    PyTorch's compiler does so by default when it meets a second size: then one compilation serves
    all sizes, but not other dtypes or numbers of dimensions.
    """
    kinds: dict[Any, int] = {}
    for arrays in shapes:
        kind = tuple((dtype, len(shape)) for dtype, shape in arrays)
        kinds[kind] = kinds.get(kind, 0) + 1
    return sum(min(count, 2) for count in kinds.values())


def summary(counts: list[Any]) -> dict[str, Any]:
    """Return how many different shapes a place has, the most frequent ones, and what varies.

    `variable` is how often a compiler that makes sizes variable compiles for them.

    Parameters
    ----------
    counts
        The number of calls for the arrays of each shape, once for each process.
    """
    calls: dict[str, int] = {}
    for count in counts:
        key = json.dumps(count["arrays"])
        calls[key] = calls.get(key, 0) + count["calls"]
    ordered = sorted(calls, key=lambda key: -calls[key])
    shapes = [json.loads(key) for key in ordered]
    return {
        "count": len(shapes),
        "variable": _compilations(shapes),
        "examples": [_text(arrays) for arrays in shapes[:MOST_EXAMPLES]],
        "varies": varies(shapes) if len(shapes) > 1 else "",
    }


def _bytes(dtype: str, shape: list[int]) -> int:
    width = _WIDTH.search(dtype)
    return math.prod(shape) * (int(width[0]) // 8 if width else 1)


def bytes_of(call: Any) -> dict[str, int]:
    """Return how many bytes of arrays a described call gets from the host and on the device.

    `moves` is 1 if the call copies its arrays to a device.
    """
    found = {"host_bytes": 0, "device_bytes": 0}

    def add(value: Any) -> None:
        if isinstance(value, list):
            for item in value:
                add(item)
        elif isinstance(value, dict) and "kwargs" in value:
            add([value["args"], list(value["kwargs"].values())])
        elif isinstance(value, dict):
            for key, item in value.items():
                if key == "host":
                    found["host_bytes"] += _bytes(*item[:2])
                elif key in ("array", "parameter", "variable"):
                    found["device_bytes"] += _bytes(*item[:2])
                elif key not in ("made", "sparse"):
                    add(item)

    add([call["args"], list(call["kwargs"].values()), call.get("self")])
    return {**found, "moves": int(bool(_MOVES.match(call["name"])) and _names_device(call))}


def _names_device(call: Any) -> bool:
    """Return whether a call that may move an array names a device, and not only a dtype."""
    if call["name"] != "torch.Tensor.to":
        return True
    words = [*call["args"], *call["kwargs"].values()]
    return any(
        isinstance(word, str) or (isinstance(word, dict) and "device" in word) for word in words
    )
