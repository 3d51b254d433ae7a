"""TensorFlow in a forecast.

TensorFlow calls back after each operation that it executes eagerly, and knows the operations of the
functions that it has traced. Its registry has the kernels of the installed wheel: every wheel has
those of XLA, and only a wheel for GPUs has those of GPUs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import kernels

from pmdriver import hostarrays
from pmdriver.forecast import registry
from pmdriver.forecast.registry import Lack, Registry
from pmdriver.tensorflow import callbacks, graph

#: The types of kernels that a device of a target executes.
KERNELS = {
    "xla": ("XLA_CPU", "XLA_CPU_JIT"),
    "cuda": ("GPU", "DEFAULT"),
    "rocm": ("GPU", "DEFAULT"),
}
#: An operation that every device has: its kernels show which devices the wheel supports.
_PROBE = "MatMul"

#: Kinds of nodes that compute nothing, or that only call a function.
_NONE = frozenset({
    *graph.CARRIERS, "Placeholder", "PlaceholderWithDefault", "PartitionedCall",
    "StatefulPartitionedCall", "SymbolicGradient", "DisableCopyOnRead",
})  # fmt: skip

#: An operation: its kind, and its attributes that are types.
Operation = tuple[str, tuple[tuple[str, int], ...]]


def _types(attrs: Sequence[Any]) -> tuple[tuple[str, int], ...]:
    """Return the attributes that are types, from the names and values of an eager operation."""
    found = []
    for name, value in zip(attrs[::2], attrs[1::2]):
        text = name.decode() if isinstance(name, bytes) else str(name)
        if isinstance(value, tf.DType):
            found.append((text, int(value.as_datatype_enum)))
        elif isinstance(value, int) and not isinstance(value, bool):
            found.append((text, int(value)))
    return tuple(found)


class TensorFlowRegistry(Registry):
    """Records the operations of calls, and looks them up in TensorFlow's registry."""

    def __init__(self, framework: Any) -> None:
        super().__init__(framework)
        self._stages: dict[str, list[Operation]] = {}
        self._now: list[Operation] = []

    def start(self) -> None:
        """Start XLA's device, because XLA then registers its kernels."""
        with contextlib.suppress(Exception), tf.device("/device:XLA_CPU:0"):
            tf.zeros(1)

    def unknown(self, device: str) -> str:
        """Say why the registry has no kernels for the device; empty if it has some."""
        if device not in KERNELS:
            return f"TensorFlow's registry has no device '{device}'"
        if device == "xla":
            return ""
        found = {kernel.device_type for kernel in _registered(_PROBE)}
        if "GPU" in found:
            return ""
        return (
            "this wheel has no kernels of GPUs: name an environment with a wheel for GPUs, as in "
            f"ENVIRONMENT:tensorflow@{device}"
        )

    def begin(self, devices: list[str]) -> None:
        """Forget the previous case."""
        self._stages.clear()

    @contextlib.contextmanager
    def record(self, stage: str) -> Iterator[None]:
        """Note the operations that this thread executes eagerly while the block runs."""
        self._now = self._stages.setdefault(stage, [])
        with callbacks.noted(self._note, graphs=False):
            yield

    def _note(
        self, kind: str, inputs: Sequence[Any], attrs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        """Note an operation that was executed."""
        if context.context().has_function(kind):
            self._now += _of_function(kind, set())
        elif kind in ("PartitionedCall", "StatefulPartitionedCall"):
            named = dict(zip(attrs[::2], attrs[1::2]))
            self._now += _of_function(str(getattr(named.get("f"), "name", "")), set())
        elif kind not in _NONE:
            self._now.append((kind, _types(attrs)))

    def is_of_host(self, array: Any) -> bool:
        """Return whether an array is a NumPy array that portmeter made on the host."""
        return isinstance(array, hostarrays.HostArray)

    def operations(self, stage: str) -> int:
        """Count the operations that were recorded in a stage."""
        return len(self._stages.get(stage, ()))

    def lacks(self, stage: str, device: str) -> list[Lack]:
        """Look up each operation of the stage in the registry."""
        found = [_lack(each, KERNELS[device]) for each in self._stages.get(stage, ())]
        return list(dict.fromkeys(each for each in found if each is not None))


def _of_function(name: str, seen: set[str]) -> list[Operation]:
    """Return the operations of a function, and of those that it calls."""
    if not name or name in seen or not context.context().has_function(name):
        return []
    seen.add(name)
    found: list[Operation] = []
    for node in context.context().get_function_def(name).node_def:
        called = [each.func.name for each in node.attr.values() if each.HasField("func")]
        for other in (node.op, *called):
            found += _of_function(other, seen)
        if node.op not in _NONE and not context.context().has_function(node.op):
            types = [(key, each.type) for key, each in node.attr.items() if each.type]
            found.append((node.op, tuple(types)))
    return found


def _registered(kind: str) -> list[Any]:
    return list(kernels.get_registered_kernels_for_op(kind).kernel)


def _fits(kernel: Any, types: dict[str, int]) -> bool:
    """Return whether a kernel supports the types of an operation."""
    return not kernel.label and all(
        types[each.name] in each.allowed_values.list.type
        for each in kernel.constraint
        if each.name in types
    )


def _lack(operation: Operation, devices: tuple[str, ...]) -> Lack | None:
    """Return what the kernels of a device lack for an operation; None if one fits."""
    kind, types = operation
    own = [kernel for kernel in _registered(kind) if kernel.device_type in devices]
    if not own:
        return Lack(registry.KERNEL, kind)
    if any(_fits(kernel, dict(types)) for kernel in own):
        return None
    names = ", ".join(f"{key}={tf.dtypes.as_dtype(value).name}" for key, value in types if value)
    return Lack(registry.DTYPE, f"{kind} with {names}")


REGISTRY = TensorFlowRegistry
