"""PyTorch in a forecast.

PyTorch's execution trace has the nested operations of a call, with the storages of their inputs and
outputs. On another device, an operation with a kernel there computes its result; a composite
operation executes others. So the trace is followed from the outermost operations inwards, until
each operation is found to have a kernel or to lack one. `native` lists the kernels of devices, and
PyTorch's dispatcher those of ``meta``.

Arrays that represent arrays on the device are followed through the trace: an array made on the host
without ``device=`` stays there, and must not be combined with arrays on the device.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from pmdriver.forecast import native, registry
from pmdriver.forecast.registry import Lack, Registry
from pmdriver.pytorch import fallbacks
from pmdriver.pytorch.framework import LATE_MODULES

#: Dispatch keys of the devices of targets.
KEYS = {"mps": "MPS", "cuda": "CUDA", "rocm": "CUDA", "xpu": "XPU"}
META = "meta"

#: Two names of the host: the first is bound to `device` in texts, so that a trace shows its use.
HANDLE, _HOST = torch.device("cpu", 0), torch.device("cpu")
_HANDLE_TEXT, _HOST_TEXT = "cpu:0", "cpu"

#: Methods that read values without an operation, and whether only ``meta`` refuses them.
_READS = {
    torch.Tensor.numpy: False,
    torch.Tensor.__array__: False,
    torch.Tensor.tolist: True,
}
#: Markers in a trace: operations that compute nothing here, but show which storage a method of
#: `_READS` reads, and which storages are on the device.
_READ_EVERYWHERE, _READ_ON_META = "aten::_debug_has_internal_overlap", "aten::is_set_to"
_SHOWN = "aten::is_distributed"
#: Marks in a trace where the call begins.
_BEGINS = "aten::is_vulkan_available"

_TAGS = ("data_dependent_output", "dynamic_output_shape")
#: Operations that do nothing on a device without values.
_CHECKS = ("aten::_linalg_check_errors", "aten::_assert_async")
_WIDE = ("Tensor(double)", "Tensor(c10::complex<double>)")
#: Operations that PyTorch chooses for tensors of the host. On a device, it chooses others.
_CHOSEN_ON_HOST = re.compile(r"aten::(_?mkldnn_|_?slow_conv|\w*_for_cpu\b)")
#: Devices without 64-bit floating-point numbers.
_NARROW = ("mps",)

#: Operations that accept arrays of two devices.
_MIXING = frozenset(
    f"aten::{name}"
    for name in (
        "to", "_to_copy", "copy_", "copy", "index", "index_put", "index_put_", "_index_put_impl_",
        "set_", "set_data", "type_as", "is_same_size", "is_set_to", "lift", "lift_fresh",
        "view_as", "reshape_as", "expand_as", "resize_as_", "_has_compatible_shallow_copy_type",
        "pin_memory", "result_type", "broadcast_tensors", "_pack_padded_sequence", "alias",
    )
)  # fmt: skip


class Node(NamedTuple):
    """An operation of a trace."""

    number: int
    parent: int
    name: str  # without the overload
    full: str  # with the overload
    inputs: list[tuple[int, str, bool]]  # storage, type, whether the shape is ()
    outputs: list[tuple[int, str, bool]]
    devices: list[str]


def _name(schema: str) -> str:
    """Return the name of an operation in its schema, without the overload ``.default``."""
    return schema.split("(", 1)[0].removesuffix(".default")


def _tensors(side: dict[str, Any]) -> Iterator[tuple[int, str, bool]]:
    """Yield the tensors among the inputs or outputs of a node, also those in lists."""

    def inner(value: Any, shape: Any, kind: str) -> Iterator[tuple[int, str, bool]]:
        if kind.startswith("Tensor("):
            yield value[1], kind, shape == []
        elif kind.startswith("GenericList[") and "Tensor(" in kind:
            kinds = kind[len("GenericList[") : -1].split(",")
            for each, form, own in zip(value, shape, kinds):
                yield from inner(each, form, own)

    for value, shape, kind in zip(side["values"], side["shapes"], side["types"]):
        if isinstance(value, list):
            yield from inner(value, shape, kind)


def nodes(trace: list[dict[str, Any]]) -> list[Node]:
    """Return the operations of a trace in the order in which they began."""
    found = []
    for each in trace:
        schema = next((a["value"] for a in each["attrs"] if a["name"] == "op_schema"), "")
        if not schema:
            continue
        devices = [
            value
            for value, kind in zip(each["inputs"]["values"], each["inputs"]["types"])
            if kind == "Device"
        ]
        found.append(
            Node(
                each["id"], each["ctrl_deps"], each["name"], _name(schema),
                list(_tensors(each["inputs"])), list(_tensors(each["outputs"])), devices,
            )
        )  # fmt: skip
    return sorted(found, key=lambda node: node.number)


def _show(array: torch.Tensor) -> None:
    """Mark in the trace, if there is one, that a tensor represents one on the device."""
    with contextlib.suppress(RuntimeError, NotImplementedError):
        torch.ops.aten.is_distributed(array.detach())


def _elsewhere(value: Any) -> Any:
    """Return `HANDLE` for the host's device object: it may come from a tensor on the device."""
    return HANDLE if isinstance(value, torch.device) and value == _HOST else value


class _Reads(TorchFunctionMode):
    """Marks in the trace which values Python reads without an operation.

    A device given as an object counts as that of another tensor; only a text names the host.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in _READS and args and isinstance(args[0], torch.Tensor):
            array = args[0]
            with contextlib.suppress(RuntimeError, NotImplementedError):
                if _READS[func]:
                    array.is_set_to(array)
                else:
                    torch._debug_has_internal_overlap(array)
        named = {name: _elsewhere(value) for name, value in (kwargs or {}).items()}
        return func(*map(_elsewhere, args), **named)


class PyTorchRegistry(Registry):
    """Traces the operations of calls, and looks them up in PyTorch's lists."""

    def __init__(self, framework: Any) -> None:
        super().__init__(framework)
        for name in LATE_MODULES:  # otherwise each child would import them again
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        where = native.path()
        text = ""
        if where:
            with open(where, encoding="utf-8") as file:
                text = file.read()
        self._functions = native.parse(text)
        self._placed: list[torch.Tensor] = []
        self._stages: dict[str, list[Node]] = {}
        self._path = ""  # of the trace that is being written; "": none

    def start(self) -> None:
        """Bind `device` in texts to a device that a trace distinguishes from the default one."""
        self.framework.handle = HANDLE

    def unknown(self, device: str) -> str:
        """Say why nothing can be predicted for the device; empty if its operations are listed."""
        if not fallbacks.can_watch():
            return f"PyTorch {torch.__version__} traces no executions: use 2.0 or newer"
        if device == META:
            return ""
        key = KEYS.get(device, "")
        if not key:
            return f"the list of PyTorch's operations has no device '{device}'"
        if native.standing(self._functions, "aten::empty.memory_format", key) != "kernel":
            return f"this wheel does not list the operations of {key}"  # XPU has a list of its own
        return ""

    def begin(self, devices: list[str]) -> None:
        """Forget the previous case."""
        self._end()
        self._placed.clear()
        self._stages.clear()

    def place(self, array: Any) -> Any:
        """Note and mark a tensor that represents one on the device; return it."""
        if isinstance(array, torch.Tensor):
            self._placed.append(array)
            _show(array)
        return array

    @contextlib.contextmanager
    def record(self, stage: str) -> Iterator[None]:
        """Trace the operations that this thread executes while the block runs.

        The stages of a case share one trace, so that a storage keeps its number.
        """
        profiler = torch._C._profiler
        if not self._path:
            file, self._path = tempfile.mkstemp(".json")
            os.close(file)
            profiler._add_execution_trace_observer(self._path)
        profiler._enable_execution_trace_observer()
        try:
            if stage == registry.CALL:
                torch.ops.aten.is_vulkan_available()
            for array in self._placed:
                _show(array)
            with _Reads(), torch.autograd.set_multithreading_enabled(False):
                yield
        finally:
            profiler._disable_execution_trace_observer()

    def _end(self) -> None:
        """Finish the trace, if there is one, and divide it into the stages."""
        if not self._path:
            return
        torch._C._profiler._remove_execution_trace_observer()
        with open(self._path, encoding="utf-8") as file:
            found = nodes(json.load(file)["nodes"])
        os.unlink(self._path)
        self._path = ""
        names = [node.name for node in found]
        call = names.index(_BEGINS) if _BEGINS in names else len(found)
        self._stages = {registry.SETUP: found[:call], registry.CALL: found[call + 1 :]}

    def operations(self, stage: str) -> int:
        """Count the operations of a stage, without markers."""
        self._end()
        return sum(node.name != _SHOWN for node in self._stages.get(stage, ()))

    def lacks(self, stage: str, device: str) -> list[Lack]:
        """Return what the device lacks for the operations in the trace of the stage."""
        self._end()
        following = _Following(self, device)
        found = following.lacks(self._stages[registry.SETUP])
        if stage == registry.CALL:
            found = following.lacks(self._stages[registry.CALL])
        return found

    def standing(self, name: str, device: str) -> str:
        """Return what a device has for an operation, in the words of `native.standing`."""
        if device != META:
            return native.standing(self._functions, name, KEYS[device])
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        try:
            if has(name, "Meta") or has(name, "SparseMeta"):
                return "kernel"
            return "composite" if any(has(name, key) for key in native.COMPOSITES) else "missing"
        except RuntimeError:
            return "unknown"


def _reads_values(name: str) -> bool:
    """Return whether PyTorch says that an operation's output, or its shape, depends on values."""
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    try:
        found = getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")
    except (AttributeError, RuntimeError):
        return False
    return any(tag.name in _TAGS for tag in found.tags)


class _Following:
    """Follows a trace for one device, stage after stage."""

    def __init__(self, own: PyTorchRegistry, device: str) -> None:
        self._own, self._device = own, device
        self._on_device: set[int] = set()  # storages on the device
        self._of_device: set[int] = set()  # operations that run on the device
        self._inside: set[int] = set()  # operations not to look into, and those nested in them
        self._found: list[Lack] = []

    def lacks(self, stage: list[Node]) -> list[Lack]:
        """Return what the device lacks for the next stage, without duplicates."""
        self._found.clear()
        for node in stage:
            self._note(node)
        return list(dict.fromkeys(self._found))

    def _note(self, node: Node) -> None:
        given = {storage for storage, _, _ in node.inputs}
        if node.name == _SHOWN:
            self._on_device |= given
            return
        is_part = node.parent in self._of_device  # nested operations run where the outer one runs
        made = {storage for storage, _, _ in node.outputs} - given
        if is_part or given & self._on_device or _HANDLE_TEXT in node.devices:
            self._of_device.add(node.number)
            self._on_device |= made
        else:
            self._on_device -= made
        if node.parent in self._inside:
            self._inside.add(node.number)
        elif node.number in self._of_device:
            self._look_up(node)

    def _look_up(self, node: Node) -> None:
        if node.name in _CHECKS or self._is_marker(node) or self._reads(node):
            self._inside.add(node.number)
            return
        standing = self._own.standing(node.full, self._device)
        if standing == "missing":
            if self._device != META and _CHOSEN_ON_HOST.match(node.full):
                what = f"{node.full} is chosen on the host: a device may choose another operation"
                self._found.append(Lack(registry.DOUBT, what))
            else:
                self._found.append(Lack(registry.KERNEL, node.full))
        if standing != "composite":
            self._inside.add(node.number)
        if standing != "composite" and self._mixes(node):
            what = f"{node.full} is given tensors of the device and of the host"
            # Most such predictions are wrong (docs/forecast.md). Only those of meta were measured.
            cause = registry.DEVICES if self._device == META else registry.DOUBT
            self._found.append(Lack(cause, what))
        if self._device in _NARROW:
            wide = any(kind in _WIDE for _, kind, _ in node.outputs)
            # Only the first such array is reported: arrays computed from it are wide too.
            if wide and all(lack.cause != registry.DTYPE for lack in self._found):
                self._found.append(Lack(registry.DTYPE, f"{node.full} makes float64 or complex128"))

    def _is_marker(self, node: Node) -> bool:
        if node.name == _READ_EVERYWHERE:
            self._found.append(Lack(registry.VALUE, "Tensor.numpy reads values of the device"))
            return True
        if node.name == _READ_ON_META:
            if self._device == META:
                self._found.append(Lack(registry.VALUE, "Tensor.tolist reads values"))
            return True
        return False

    def _reads(self, node: Node) -> bool:
        """Return whether an operation needs values, which ``meta`` does not have."""
        if self._device != META:
            return False
        is_part = node.parent in self._of_device
        copies = node.name == "aten::to" and _HOST_TEXT in node.devices and not is_part
        if not copies and not _reads_values(node.full):
            return False
        what = f"{node.full} copies to the host" if copies else f"{node.full} reads values"
        self._found.append(Lack(registry.VALUE, what))
        return True

    def _mixes(self, node: Node) -> bool:
        """Return whether an operation gets tensors of both devices, apart from scalars."""
        if node.name in _MIXING:
            return False
        with_axes = [storage for storage, _, scalar in node.inputs if not scalar]
        here = [storage in self._on_device for storage in with_axes]
        return any(here) and not all(here)


REGISTRY = PyTorchRegistry
