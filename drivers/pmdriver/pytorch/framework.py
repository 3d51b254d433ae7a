"""PyTorch on one device: the hooks of `Framework`.

``devices.py`` knows the devices, ``modules.py`` modules, ``inductor.py`` the variant ``+inductor``,
``fallbacks.py`` what the host computes for a device, ``tensors.py`` the parts of tensors,
``objects.py`` and ``programs.py`` those of other objects, ``settings.py`` what a case may set for
the whole process. This file combines them.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Any, Callable

import torch

from pmdriver import host, nvidia
from pmdriver.digest import digest
from pmdriver.failure import fails, message_of
from pmdriver.framework import NOT_PLAIN, Buffer, Counters, Fill, Framework, Wanted, absence
from pmdriver.process import practice
from pmdriver.process.late import LateImports
from pmdriver.pytorch import devices, fallbacks, inductor, modes, needs, objects, programs
from pmdriver.pytorch.modules import move_module, place_modules
from pmdriver.pytorch.settings import Settings
from pmdriver.pytorch.tensors import (
    is_uninitialized,
    is_wrapper,
    kind_of,
    moved,
    on_host,
    parts_of_module,
    parts_of_optimizer,
    parts_of_storage,
    parts_of_tensor,
)

#: Modules that cases import lazily; some versions lack some of them.
LAZY_MODULES = (
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.distributions",
    "torch.nn.utils.rnn",
    "torch.utils.data",
    "torch.utils.serialization",
)

#: Modules that only some cases need, and the words that show the need. The first use of an
#: optimizer imports torch._dynamo, which takes 1.0 to 1.5 s. The first differentiation with given
#: cotangents imports symbolic shapes and sympy, which takes 0.4 to 1.3 s.
LATE_MODULES = {
    "torch._dynamo": ("optim", "torch.compile"),
    "torch.profiler._cupti_monitor": ("optim", "DataLoader"),
    "torch.fx.experimental.symbolic_shapes": ("backward", "grad("),
}

XLA_MODULES = (
    "torch_xla.backends",
    "torch_xla.core.xla_model",
    "torch_xla.debug.metrics",
    "torch_xla.runtime",
)

#: Elements per thread for which PyTorch uses all threads: twice the least (internal::GRAIN_SIZE).
THREAD_GRAIN = 2 * 32768

#: Packages whose versions are reported, because they change results.
VERSIONED = ("numpy", "scipy", "torch_xla", "triton")

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip

#: Classes with different names before PyTorch 2.0.
SCHEDULER = getattr(torch.optim.lr_scheduler, "LRScheduler", torch.optim.lr_scheduler._LRScheduler)
STORAGES = tuple(
    getattr(torch.storage, name) for name in ("UntypedStorage", "TypedStorage")
    if hasattr(torch.storage, name)
)  # fmt: skip

#: Types whose values are compared by their texts.
PLAIN_TYPES = (torch.dtype, torch.layout, torch.memory_format, torch.qscheme,
               torch.finfo, torch.iinfo)  # fmt: skip

#: The exception that PyTorch raises if the device's memory is exhausted: `torch.OutOfMemoryError`
#: since 2.5, CUDA's class since 1.13, none before.
OUT_OF_MEMORY = getattr(torch, "OutOfMemoryError",
                        getattr(torch.cuda, "OutOfMemoryError", ()))  # fmt: skip

#: PyTorch's own binding of cuDNN: `torch.backends.cudnn.version` would start CUDA.
_CUDNN = getattr(torch._C, "_cudnn", None)

_DEVICE_MEMORY = (
    "out of memory",
    "RESOURCE_EXHAUSTED",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "Invalid buffer size",
)
_HOST_MEMORY = ("can't allocate memory", "DefaultCPUAllocator", "std::bad_alloc")


class PyTorch(Framework):
    """PyTorch on one device."""

    name = "pytorch"

    def __init__(self) -> None:
        super().__init__()
        self.device: devices.Device = devices.Cpu()
        self.handle: Any = None
        self.inductor: inductor.Inductor | None = None
        self.dtypes = {name: getattr(torch, name) for name in DTYPES if hasattr(torch, name)}
        self.dtype_names = {dtype: name for name, dtype in self.dtypes.items()}
        self.numpy: Any = None
        self._processor = ""
        self._numeric: dict[str, Any] | None = None
        self._fast: list[str] | None = None
        self._gpus: list[nvidia.Gpu] = []
        self._late: LateImports | None = None
        self._settings: Settings | None = None
        self._asks_for_format = False
        self._job: dict[str, Any] = {}
        self._watched: fallbacks.Watch | None = None
        self._own: type = torch.Tensor

    # ---------------------------------------------------------------- process

    def import_all(self) -> dict[str, Any]:
        """Import what cases import lazily, and torch_xla if PJRT_DEVICE is set.

        Facts that are the same for all children are looked up here, once. Nothing here may start
        or count devices: after any query of CUDA, CUDA does not work in a forked child.
        """
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        for name in filter(importlib.util.find_spec, LAZY_MODULES):
            importlib.import_module(name)
        if "PJRT_DEVICE" in os.environ and importlib.util.find_spec("torch_xla"):
            for name in filter(importlib.util.find_spec, XLA_MODULES):
                importlib.import_module(name)
        if importlib.util.find_spec("numpy"):
            self.numpy = importlib.import_module("numpy")
        self._processor = host.processor_name()
        self._numeric = _numeric()
        self._fast = devices.Cpu().fast_modes()
        self._gpus = nvidia.look() if torch.version.cuda else []
        self._late = LateImports(LATE_MODULES)
        return {"version": torch.__version__, "versions": _versions()}

    def practise(self) -> None:
        """Practise on the host, where small arrays start no thread."""
        stand_in = PyTorch()
        stand_in._late = self._late
        stand_in.start({"device": "cpu"})
        practice.practise(stand_in)

    def before_fork(self, setting: dict[str, Any]) -> bool:
        """Import the modules that children have marked, and those that every job on ``meta`` needs.

        On ``meta``, Python functions compute the operations, and these import torch._dynamo.
        """
        if self._late is None:
            return False
        if setting.get("device") == devices.Meta.name:
            self._late.expect("torch._dynamo")
        return self._late.import_marked()

    def has_own_threads(self, setting: dict[str, Any]) -> bool:
        """Return whether the device has its own threads: on the host, only OpenMP's compute."""
        return devices.device_of(setting["device"]).has_own_threads

    def make_exact(self, setting: dict[str, Any]) -> None:
        """Turn off the fast modes of the device."""
        devices.device_of(setting["device"]).make_exact()

    def fast_modes(self) -> list[str]:
        """Return the modes of the device; on the host the driver's, unless exact mode is on."""
        if self.is_host and self._fast is not None and not self.setting.get("exact"):
            return self._fast
        return self.device.fast_modes()

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Set the number of threads, start the device, and fill one array on it."""
        self.setting = setting
        threads = int(setting.get("threads") or 0)
        if threads and threads != torch.get_num_threads():
            torch.set_num_threads(threads)
        self.device = devices.device_of(setting["device"])
        reason = (
            self.device.why_not()
            or self.device.why_no_index()
            or self._start_variant(setting.get("variant") or "")
        )
        if reason:
            raise RuntimeError(reason)
        self.device.make_current()
        self.handle = self.device.handle()
        self.is_host, self.has_values = self.device.is_host, self.device.has_values
        self.wait = self.device.paper_wait() if setting.get("paper") else self.device.wait()
        self.count = self.inductor.count if self.inductor else self.device.count()
        device_tells = self.device.before_running()
        self.before_running = self.inductor.before_running if self.inductor else device_tells
        self._trivial(bool(setting.get("clocks")))
        as_driver = not setting.get("exact") and not setting.get("environment")
        numeric = self._numeric if as_driver and self._numeric is not None else _numeric()
        return {
            "device": self._processor if self.is_host else self.device.device_name(),
            "driver_version": self.device.driver_version(),
            "numeric": {**numeric, **self.device.others(self._gpus)},
            "threads": torch.get_num_threads(),
        }

    def begin_job(self, job: dict[str, Any], channel: Any) -> None:
        """Undo what the previous case has set, and import the late modules that the job needs."""
        self._job, self._watched = job, None
        self._asks_for_format = "memory_format" in (job.get("call") or "")
        if self._settings is not None:
            self._settings.restore()
        elif not job.get("last"):
            self._settings = Settings()
        if self._late is not None:
            self._late.import_for(job)
        self.device.make_current()

    def end_job(self) -> None:
        """Mark for the driver which late modules were imported."""
        if self._late is not None:
            self._late.note()

    def devices(self) -> list[dict[str, Any]]:
        """List all devices, with the variant ``inductor`` for measurable ones that support it."""
        rows = []
        for first in devices.all_devices():
            found = self._rows(first)
            rows += found
            if found[0]["measurable"]:
                rows += [row for device in devices.others_of(first) for row in self._rows(device)]
        return rows

    def _rows(self, device: devices.Device) -> list[dict[str, Any]]:
        row = devices.describe(device)
        if not device.compilable or not row["measurable"]:
            return [row]
        missing = inductor.missing()
        compiled = {**row, "variant": "inductor", "measurable": not missing, "why_not": missing}
        return [row, compiled]

    def _start_variant(self, variant: str) -> str:
        """Start the target's variant; return why it cannot start, or an empty text."""
        if not variant:
            return ""
        if variant != "inductor":
            return f"pytorch has no variant '{variant}': remove '+{variant}'"
        missing = inductor.missing()
        if not missing:
            self.inductor = inductor.Inductor()
        return missing

    def _trivial(self, timed: bool) -> None:
        """Fill an array; on the host, if `timed`, one so large that every thread starts.

        The array stays referenced, because a lazy device computes only what is referenced.
        """
        count = THREAD_GRAIN * torch.get_num_threads() if timed and self.is_host else 1
        kept = torch.zeros(count, device=self.handle)
        if self.wait is not None:
            self.wait()
        self._own = type(kept)
        del kept

    # ------------------------------------------------------------------ texts

    def names(self) -> dict[str, Any]:
        """Return ``torch``, ``np`` (None without NumPy), ``device``, and ``on_reference``."""
        return self._names(self.handle)

    def host_names(self) -> dict[str, Any]:
        """Return `names` with the host as ``device``."""
        return self._names(torch.device("cpu"))

    def move(self, value: Any) -> Any:
        """Copy tensors and modules; raise for a tensor that would lose its autograd graph."""
        if isinstance(value, torch.nn.Module):
            return move_module(value, self.handle)
        if not isinstance(value, torch.Tensor):
            return NOT_PLAIN
        if value.grad_fn is not None:
            raise RuntimeError("the copy of the tensor would lose its autograd graph")
        copied = moved(value.detach(), self.handle)
        if isinstance(value, torch.nn.Parameter):
            return torch.nn.Parameter(copied, value.requires_grad)
        return copied.requires_grad_(value.requires_grad)

    def elsewhere_names(self) -> dict[str, Any]:
        """Return `names` with ``meta`` as ``device``."""
        return self._names(torch.device("meta"))

    def _names(self, device: Any) -> dict[str, Any]:
        return {
            "torch": torch,
            "np": self.numpy,
            "device": device,
            "on_reference": bool(self.setting.get("reference")),
        }

    def seed(self, number: int) -> None:
        """Seed the generators of the host and of the device.

        `torch.manual_seed` does so too, but formats and stores a stack trace for each kind of
        device that is not initialised, which takes a millisecond.
        """
        torch.default_generator.manual_seed(number)
        self.device.seed(number)

    def missing(self, function: str) -> str | None:
        """Look the name up attribute by attribute, beginning with ``torch``."""
        return absence(torch, "torch", function, f"PyTorch {torch.__version__}")

    def unmet(self, requirement: str) -> str | None:
        """Check ``accelerator``, ``values``, ``two devices`` and names of devices."""
        device = self.device
        if requirement == "accelerator":
            met = device.kind not in ("cpu", "meta")
        elif requirement == "values":
            met = device.has_values
        elif requirement == "two devices":
            met = device.devices() >= 2 and not device.is_host and device.has_values
        elif requirement in {cls.name for cls in devices.DEVICES}:
            met = requirement in (device.name, device.kind)
        else:
            return super().unmet(requirement)
        return None if met else f"requires {requirement}"

    @property
    def compiles(self) -> bool:
        """Whether the variant is ``+inductor``."""
        return self.inductor is not None

    @property
    def reuses_compiled(self) -> bool:
        """Whether the variant is ``+inductor``: Dynamo checks the names at each call."""
        return self.inductor is not None

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function for compilation, in the variant ``+inductor``."""
        return self.inductor.bind(function) if self.inductor else function

    def after_first_call(self) -> list[str]:
        """List the library calls of the code that inductor generated."""
        return self.inductor.after_first_call() if self.inductor else []

    # ----------------------------------------------------------------- arrays

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make a tensor on the host, with storage of its own that a case may resize.

        Raises
        ------
        TypeError
            This version of PyTorch does not have the dtype.
        """
        if dtype not in self.dtypes:
            raise TypeError(f"this version of PyTorch has no dtype {dtype}: use another dtype")
        array = torch.empty(tuple(shape), dtype=self.dtypes[dtype], device="cpu")
        ctypes.memmove(array.data_ptr(), bytes(data), data.nbytes)
        return array

    def place(self, array: Any) -> Any:
        """Copy a tensor to the device."""
        return array if self.is_host else array.to(self.handle)

    def read(self, array: Any) -> Buffer:
        """Copy a tensor to the host, its elements in C order."""
        dtype, shape = self.dtype_names[array.dtype], tuple(array.shape)
        if not self.has_values and array.device.type == "meta":
            return Buffer(dtype, shape, None)
        array = on_host(array)
        length = array.numel() * array.element_size()
        return Buffer(dtype, shape, ctypes.string_at(array.data_ptr(), length) if length else b"")

    def digest(self, array: Any) -> tuple[str, str | None]:
        """Digest a tensor in place, without the copy that `read` makes."""
        dtype = self.dtype_names[array.dtype]
        if not self.has_values and array.device.type == "meta":
            return dtype, None
        array = on_host(array)
        length = array.numel() * array.element_size()
        return dtype, digest(dtype, array.shape, array.data_ptr() if length else b"", length)

    def extent(self, array: Any) -> tuple[int, int]:
        """Return the tensor's own dimensions and bytes; 0 bytes on ``meta``, without values."""
        if not self.has_values and array.device.type == "meta":
            return array.dim(), 0
        return array.dim(), array.numel() * array.element_size()

    def is_array(self, value: Any) -> bool:
        """Return whether a value is a strided tensor with elements of a dtype portmeter knows."""
        return (
            isinstance(value, torch.Tensor)
            and value.layout == torch.strided
            and value.dtype in self.dtype_names
            and not value.is_nested
            and not is_uninitialized(value)
            and not is_wrapper(value)
        )

    def kind(self, array: Any) -> str:
        """Name a class other than the device's, and memory formats if the call asks for one."""
        return kind_of(array, self._asks_for_format, self._own)

    def where(self, array: Any) -> tuple[str, bool]:
        """Name the tensor's device."""
        return str(array.device), self.device.holds(array)

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open tensors made of others, modules, optimizers, storages, and what `objects` opens."""
        if type(value) in (tuple, list, dict):  # the most frequent containers
            return None
        if isinstance(value, torch.Tensor):
            return parts_of_tensor(value)
        if isinstance(value, torch.nn.Module):
            return [*parts_of_module(value, self), *(programs.parts(value) or ())]
        if isinstance(value, torch.optim.Optimizer):
            return parts_of_optimizer(value)
        if isinstance(value, SCHEDULER):
            return [(".state_dict()", value.state_dict())]
        if isinstance(value, STORAGES):
            return parts_of_storage(value, self.dtype_names)
        found = objects.parts(value)
        return programs.parts(value) if found is None else found

    def plain(self, value: Any) -> Any:
        """Write dtypes, layouts, memory formats and quantisation schemes in PyTorch's notation."""
        if isinstance(value, PLAIN_TYPES):
            return {f"torch.{type(value).__name__}": str(value)}
        return NOT_PLAIN

    # ------------------------------------------------- modules and gradients

    def place_modules(
        self, modules: list[tuple[str, Any]], construct: Callable[[], list[Any]], fill: Fill
    ) -> list[Any]:
        """Move modules to the device and fill them, in place."""
        return place_modules(modules, self.handle, construct, fill, self.has_values, self.is_host)

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Make autograd track floating-point and complex tensors that need gradients."""
        if differentiate and (array.is_floating_point() or array.is_complex()):
            array.requires_grad_()
        return array

    def state(self, value: Any) -> list[tuple[str, Any]]:
        """List the parameters and buffers of a module."""
        if not isinstance(value, torch.nn.Module):
            return []
        found = [*value.named_parameters(), *value.named_buffers()]
        return [(f".{name}", item) for name, item in found if self.is_array(item)]

    def parameters(self, text: str, module: Any) -> list[tuple[str, Any]]:
        """List the parameters that require a gradient."""
        return [
            (f"{text}.{name}", parameter)
            for name, parameter in module.named_parameters()
            if parameter.requires_grad
        ]

    def differentiable(self, array: Any) -> bool:
        """Return whether autograd tracks the tensor."""
        return bool(array.requires_grad)

    def cotangent(self, path: str, array: Any) -> Wanted:
        """Ask for values within [-1, 1)."""
        return Wanted(
            f"cotangent.{path}", self.dtype_names[array.dtype], tuple(array.shape), scale=1.0
        )

    def gradients(self, outputs: list[Any], sources: list[Any], cotangents: list[Any]) -> list[Any]:
        """Differentiate in reverse mode; nothing is accumulated into ``.grad``."""
        return torch.autograd.grad(outputs, sources, cotangents, allow_unused=True)

    # ---------------------------------------------------------------- evidence

    def clear_counters(self) -> None:
        """Clear the device's counters, and forget what was watched."""
        self.device.clear_counters()
        if self._watched is not None:
            self._watched.forget()

    def watch(self) -> contextlib.AbstractContextManager[None] | None:
        """Watch what the host computes for a device without counters for this.

        A call that may be made only once is not watched if it is timed.
        """
        timed_once = self.setting.get("clocks") and self._job.get("repeat") == "once"
        may_fall_back = self.device.has_silent_fallback and not self.inductor
        if not may_fall_back or timed_once or self._job.get("host_only"):
            return None
        if not fallbacks.can_watch():
            return None
        self._watched = self._watched or fallbacks.Watch(self.device.kind)
        return self._watched.open()

    def read_counters(self) -> Counters:
        """Read the device's counters, and what was watched."""
        found = self.device.read_counters()
        if self._watched is None:
            return found
        moved = [*found.fallback, *self._watched.moved]
        return Counters(moved, found.host_reads, self._watched.on_constants)

    def needs(self) -> needs.Needs | None:
        """Return a recorder of dtypes and reads of values; None if calls are compiled."""
        return needs.Needs() if needs.can_record() and not self.inductor else None

    def peak_memory(self) -> int | None:
        """Return the peak that the device's allocator reports."""
        return self.device.peak_memory()

    def memory_kind(self, error: BaseException) -> str | None:
        """Detect exhausted memory by PyTorch's exception, or by its message."""
        if isinstance(error, OUT_OF_MEMORY):
            return "device"
        text = message_of(error) if isinstance(error, RuntimeError) else ""
        if any(part in text for part in _HOST_MEMORY):
            return "host"
        if any(part in text for part in _DEVICE_MEMORY):
            return "device"
        return super().memory_kind(error)

    def operations_of(self, error: BaseException) -> list[str]:
        """Name the operations of ATen in the message."""
        return needs.named(message_of(error))

    def not_traceable(self, error: BaseException) -> str | None:
        """Say why dynamo cannot trace the call, in the variant ``+inductor``."""
        return self.inductor.not_traceable(error) if self.inductor else None

    def poisoned(self) -> bool:
        """Wait for the device once more, which raises again if its context is lost."""
        if self.is_host or not self.has_values or self.wait is None:
            return False
        return fails(self.wait)


def _numeric() -> dict[str, Any]:
    """Return the modes and the variables that change results or their speed."""
    return {**modes.reported(), **devices.environment()}


def _versions() -> dict[str, str]:
    found = {"torch": torch.__version__}
    if torch.version.cuda:
        found["cuda"] = torch.version.cuda
    if torch.version.hip:
        found["hip"] = torch.version.hip
    if _CUDNN is not None:
        found["cudnn"] = ".".join(map(str, _CUDNN.getRuntimeVersion()))
    modules = {name: sys.modules[name] for name in VERSIONED if name in sys.modules}
    return {**found, **{name: str(m.__version__) for name, m in modules.items()}}


FRAMEWORK = PyTorch
