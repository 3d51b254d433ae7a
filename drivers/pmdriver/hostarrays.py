"""Arrays on the host, for frameworks that read and write NumPy's arrays; requires ml_dtypes.

JAX and TensorFlow install ml_dtypes, which defines bfloat16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

#: Element types that portmeter knows, by NumPy's names.
DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


class HostArray(np.ndarray):
    """An array that portmeter made on the host; a case sees it as a plain NumPy array."""


def made(dtype: str, shape: Sequence[int], data: memoryview) -> HostArray:
    """Make a host array with a copy of the elements.

    Parameters
    ----------
    dtype, shape, data
        As for `pmdriver.framework.Framework.make`.
    """
    found = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    return np.frombuffer(data, found).reshape(tuple(shape)).copy().view(HostArray)


def plain(array: Any) -> Any:
    """Return the plain NumPy array that a case sees instead of a `HostArray`; else the value."""
    return array.view(np.ndarray) if isinstance(array, HostArray) else array
