"""NumPy's arrays and scalars among the outputs of any framework.

An array becomes an array of the framework on the host, under the same path, so that the tolerance
of its dtype applies. A scalar becomes an array without dimensions in the same way. This module
never imports NumPy: if a case made such a value, NumPy is already imported. bfloat16 is the dtype
of ml_dtypes, which sessions of TensorFlow return.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pmdriver.framework import NOT_PLAIN, Framework

_NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def is_value(value: Any) -> bool:
    """Return whether a value is an array, a scalar, a dtype or a ufunc of NumPy."""
    numpy = sys.modules.get("numpy")
    # NumPy lacks these names while it is being imported.
    return hasattr(numpy, "dtype") and isinstance(
        value, (numpy.ndarray, numpy.generic, numpy.dtype, numpy.ufunc)
    )


def plain(value: Any) -> Any:
    """Return the JSON form of a dtype or a ufunc; NOT_PLAIN for arrays and scalars.

    Parameters
    ----------
    value
        A value for which `is_value` is true.
    """
    numpy = sys.modules["numpy"]
    if isinstance(value, numpy.ufunc):
        return {"numpy.ufunc": value.__name__}
    return {"numpy.dtype": str(value)} if isinstance(value, numpy.dtype) else NOT_PLAIN


def children(value: Any, framework: Framework) -> list[tuple[str, Any]] | None:
    """Open an array or a scalar; None for any other value.

    Returns
    -------
    list of (str, object)
        The step of the path, and the part: an array of the framework if it supports the dtype, or
        else values that identify the elements.
    """
    if not is_value(value) or plain(value) is not NOT_PLAIN:
        return None
    numpy: Any = sys.modules["numpy"]
    if isinstance(value, numpy.ma.MaskedArray):
        mask = numpy.ma.getmaskarray(value)
        return [(".filled()", numpy.asarray(value.filled())), (".mask", mask)]
    array = numpy.asarray(value)
    if array.dtype.name in _NAMES:
        made = _made(array, framework)
        if made is not None:
            return [("", made)]
    dtype, shape = (".dtype", array.dtype), (".shape", list(array.shape))
    if array.dtype.kind in "mM":
        return [dtype, (".int64", _made(array.view(numpy.int64), framework))]
    if array.dtype.kind in "fc":  # long doubles, whose bytes have gaps
        return [dtype, shape, (".texts", [repr(item) for item in array.ravel()])]
    return [dtype, shape, (".items", array.ravel().tolist())]


def _made(array: Any, framework: Framework) -> Any:
    """Return the array as a host array of the framework; None if that lacks the dtype."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    try:
        return framework.make(array.dtype.name, array.shape, memoryview(little.tobytes()))
    except TypeError:
        return None


def generator_state(value: Any) -> tuple[str, bytes] | None:
    """Return the engine and the state of a generator of random numbers; None for any other value.

    A `SeedSequence`, which seeds other generators, counts as a generator.
    """
    random: Any = getattr(sys.modules.get("numpy"), "random", None)
    if random is None:
        return None
    if isinstance(value, random.RandomState):
        state = value.get_state(legacy=False)
    elif isinstance(value, random.Generator):
        state = value.bit_generator.state
    elif isinstance(value, (random.BitGenerator, random.SeedSequence)):
        state = value.state
    else:
        return None
    engine = state.get("bit_generator", type(value).__name__)
    return engine, json.dumps(state, default=lambda array: array.tolist(), sort_keys=True).encode()
