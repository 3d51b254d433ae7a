"""A back end of PyTorch in Python, for tests: arrays of NumPy in a class of tensors of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils import backend_registration

NAME = "nparray"


class Array(torch.Tensor):
    """A tensor of the back end; its elements are in `raw`."""

    raw: np.ndarray


def made(raw: np.ndarray) -> Array:
    """Make a tensor around its elements."""
    array = torch._C._acc.create_empty_tensor(raw.shape, torch.from_numpy(raw).dtype)
    array.__class__ = Array
    array.raw = raw
    return array


def _empty(size: Any, dtype: Any = None, **_others: Any) -> Array:
    return made(np.empty(size, torch.empty(0, dtype=dtype).numpy().dtype))


def _empty_strided(size: Any, stride: Any, dtype: Any = None, **_others: Any) -> Array:
    return _empty(size, dtype)


def _copy_from(source: Any, to: Any, non_blocking: bool = False) -> Any:
    if not isinstance(to, Array):
        return to.copy_(torch.from_numpy(source.raw.copy()))
    values = source.raw if isinstance(source, Array) else source.detach().numpy()
    to.raw[...] = values.reshape(to.raw.shape)
    return to


def _fill(array: Array, value: Any = 0) -> Array:
    array.raw[...] = value
    return array


def _add(x: Array, y: Any, alpha: Any = 1) -> Array:
    return made(np.asarray(x.raw + alpha * (y.raw if isinstance(y, Array) else y.numpy())))


def _sin_on_host(x: Array) -> torch.Tensor:
    return torch.sin(x.cpu()).to(NAME)


KERNELS = {
    "empty.memory_format": _empty,
    "empty_strided": _empty_strided,
    "_copy_from": _copy_from,
    "fill_.Scalar": _fill,
    "zero_": _fill,
    "detach": lambda x: made(x.raw),
    "add.Tensor": _add,
    "sin": _sin_on_host,
}


def register() -> None:
    """Make the back end known to PyTorch, under `NAME`."""
    backend_registration._setup_privateuseone_for_python_backend(NAME)
    for name, kernel in KERNELS.items():
        torch.library.impl(f"aten::{name}", "privateuseone")(kernel)
