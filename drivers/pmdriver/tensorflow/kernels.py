"""Finds in TensorFlow's registry whether an operation without a kernel has one for other types."""

from __future__ import annotations

import re

import tensorflow as tf
from tensorflow.python.framework import kernels

from pmdriver.failure import message_of

#: What an exception says if no kernel fits, and how it names the operation: the compiler names each
#: missing kernel, and an eager call names the called operation.
_LACKS = re.compile(
    r"Could not find (valid )?device for node|No (registered '\w+' )?OpKernel|device specification"
)
_LACKED = re.compile(r"No registered '(\w+)' OpKernel")
_CALLED = re.compile(r"\[Op:(\w+)\]")


def types_of(kind: str, is_compiled: bool) -> frozenset[str]:
    """Return the types of kernels that execute the operations on a device of this kind."""
    if is_compiled:
        return frozenset({f"XLA_{kind.removeprefix('XLA_')}_JIT"})
    return frozenset({kind, f"{kind}_JIT"} if kind.startswith("XLA_") else {kind})


def lacking(message: str) -> list[str]:
    """Return the operations without a kernel that a message names."""
    if not _LACKS.search(message):
        return []
    return sorted(set(_LACKED.findall(message) or _CALLED.findall(message)))


def of_other_types(error: BaseException, device_types: frozenset[str]) -> bool | None:
    """Return whether each operation without a kernel has one on the device for other types.

    Parameters
    ----------
    error
        What was raised.
    device_types
        The result of `types_of`.

    Returns
    -------
    bool or None
        None if the exception is not about kernels, or does not name the operation.
    """
    if not isinstance(error, tf.errors.OpError):
        return None
    names = lacking(message_of(error))
    return all(_is_there(name, device_types) for name in names) if names else None


def _is_there(name: str, device_types: frozenset[str]) -> bool:
    """Return whether a kernel of an operation computes on the device."""
    found = kernels.get_registered_kernels_for_op(name).kernel
    return any(k.device_type in device_types and not k.host_memory_arg for k in found)
