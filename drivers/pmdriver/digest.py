"""Digests of arrays: the same 128 bits that `pm_digest_of` of `array/array.h` computes.

The digest of an array is XXH3 (128 bits) of its bytes, seeded with XXH3 (64 bits) of its type
written as text, such as ``float32[4,200]``, so that equal bytes of another dtype or shape have
another digest. The functions are those of libxxhash, called through `ctypes`, because a driver has
only the standard library and its framework.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

LIBRARY = "libxxhash.so.0"


class _Hash128(ctypes.Structure):
    _fields_ = [("low64", ctypes.c_uint64), ("high64", ctypes.c_uint64)]


_library = ctypes.CDLL(LIBRARY)
_xxh3_64 = _library.XXH3_64bits
_xxh3_64.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_xxh3_64.restype = ctypes.c_uint64
_xxh3_128 = _library.XXH3_128bits_withSeed
_xxh3_128.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64]
_xxh3_128.restype = _Hash128


def type_text(dtype: str, shape: Sequence[int]) -> str:
    """Write a type as case files do: ``float32[4,200]``, ``float32[]`` for a scalar."""
    return f"{dtype}[{','.join(map(str, shape))}]"


def digest(dtype: str, shape: Sequence[int], data: bytes | int, length: int = -1) -> str:
    """Digest an array.

    Parameters
    ----------
    dtype, shape
        NumPy's name of the element type, and the sizes of the dimensions.
    data
        The elements in C order, little-endian: `bytes`, or the address of the first one.
    length
        Bytes at `data`; required if that is an address.

    Returns
    -------
    str
        32 hex digits, the high 64 bits first (XXH128's canonical form).
    """
    text = type_text(dtype, shape).encode()
    seed = _xxh3_64(text, len(text))
    if length < 0:
        length = len(data)  # type: ignore[arg-type]
    value = _xxh3_128(data, length, seed)
    return f"{value.high64:016x}{value.low64:016x}"
