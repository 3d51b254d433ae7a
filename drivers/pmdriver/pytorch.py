"""The driver of PyTorch.

`pytorch_devices.py` knows the devices, `pytorch_modules.py` modules, `pytorch_inductor.py` the mode
``+inductor``; here they are put together, and arrays are made, placed and read.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any, Callable

import torch

from pmdriver import host, inventory, practice, pytorch_devices, pytorch_inductor, pytorch_modules
from pmdriver.digest import digest
from pmdriver.framework import Buffer, Counters, Fill, Framework, Wanted
from pmdriver.late import LateImports
from pmdriver.leaves import NOT_PLAIN

#: What cases import lazily.
LAZY_MODULES = (
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.distributions",
    "torch.nn.utils.rnn",
    "torch.utils.data",
)

#: What only some cases need. The first use of an optimizer imports torch._dynamo: 1.0 to 1.5 s.
LATE_MODULES = {"torch._dynamo": ("optim", "torch.compile")}

XLA_MODULES = ("torch_xla.core.xla_model", "torch_xla.debug.metrics", "torch_xla.runtime")

#: PyTorch gives a thread at least so many elements (at::internal::GRAIN_SIZE), twice over.
THREAD_GRAIN = 2 * 32768

#: Reported with a result, because they change it.
VERSIONED = ("numpy", "scipy", "torch_xla", "triton")

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip

#: Its name on the device; the other is that of versions before 2.5.
OUT_OF_MEMORY = getattr(torch, "OutOfMemoryError", None) or torch.cuda.OutOfMemoryError

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
        self.device: Any = None  # pytorch_devices.Device
        self.handle: Any = None
        self.inductor: Any = None
        self.dtypes = {name: getattr(torch, name) for name in DTYPES if hasattr(torch, name)}
        self.dtype_names = {dtype: name for name, dtype in self.dtypes.items()}
        self.numpy: Any = None
        self._processor = ""
        self._numeric: dict[str, Any] = {}
        self._late: Any = None  # LateImports

    # ---------------------------------------------------------------- process

    def import_all(self) -> dict[str, Any]:
        """Import what cases import lazily, and torch_xla where PJRT_DEVICE is set.

        Whatever does not differ between children is looked up here, once.
        """
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        for name in LAZY_MODULES:
            importlib.import_module(name)
        if "PJRT_DEVICE" in os.environ and importlib.util.find_spec("torch_xla"):
            for name in XLA_MODULES:
                importlib.import_module(name)
        if importlib.util.find_spec("numpy"):
            self.numpy = importlib.import_module("numpy")
        self._processor = host.processor_name()
        self._numeric = _numeric_modes()
        self._late = LateImports(LATE_MODULES)
        return {"version": torch.__version__, "versions": _versions()}

    def practise(self) -> None:
        """Practise on the host, where arrays below `THREAD_GRAIN` start no thread."""
        stand_in = PyTorch()
        stand_in.start({"device": "cpu"})
        practice.practise(stand_in)

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Bind threads, start the device, and compute one trivial thing on it."""
        begin = time.perf_counter_ns()
        self.setting = setting
        threads = int(setting.get("threads") or 0)
        if threads and threads != torch.get_num_threads():
            torch.set_num_threads(threads)
        self.device = pytorch_devices.device_of(setting["device"])
        reason = self.device.why_not() or self._start_mode(setting.get("mode") or "")
        if reason:
            raise RuntimeError(reason)
        self.handle = self.device.handle()
        self.is_host, self.has_values = self.device.is_host, self.device.has_values
        self.wait = self.device.study_wait() if setting.get("study") else self.device.wait()
        self.count = self.inductor.count if self.inductor else self.device.count()
        self._trivial(bool(setting.get("clocks")))
        return {
            "startup_ns": time.perf_counter_ns() - begin,
            "device": self._processor if self.is_host else self.device.device_name(),
            "driver_version": self.device.driver_version(),
            "numeric": self._numeric,
            "threads": threads or torch.get_num_threads(),
        }

    def run(self, job: dict[str, Any], body: memoryview, channel: Any) -> tuple[dict, list]:
        """Run one job, with what it imports late already there."""
        self._late.import_for(job)
        try:
            return super().run(job, body, channel)
        finally:
            self._late.note()

    def devices(self) -> list[dict[str, Any]]:
        """List the table's devices and a plug-in, each that can be measured with its modes."""
        rows = []
        for device in pytorch_devices.all_devices():
            row = pytorch_devices.describe(device)
            rows.append(row)
            if device.compilable and row["measurable"]:
                missing = pytorch_devices.inductor_missing()
                rows.append(
                    {**row, "mode": "inductor", "measurable": not missing, "why_not": missing}
                )
        return rows

    def _start_mode(self, mode: str) -> str:
        """Start the target's mode; answer why it cannot be had."""
        if not mode:
            return ""
        if mode != "inductor":
            return f"pytorch has no mode '{mode}'"
        missing = pytorch_devices.inductor_missing()
        if not missing:
            pytorch_inductor.empty_cache(os.getcwd())
            self.inductor = pytorch_inductor.Inductor()
        return missing

    def _trivial(self, timed: bool) -> None:
        """Fill an array; where clocks run on the host, one so large that it wakes every thread."""
        count = THREAD_GRAIN * torch.get_num_threads() if timed and self.is_host else 1
        torch.zeros(count, device=self.handle)
        if self.wait is not None:
            self.wait()

    # ------------------------------------------------------------------ texts

    def names(self) -> dict[str, Any]:
        """Give ``torch``, ``np``, ``device``, and in canaries ``control``."""
        return self._names(self.handle)

    def host_names(self) -> dict[str, Any]:
        """Give the same with the host as ``device``."""
        return self._names(torch.device("cpu"))

    def elsewhere_names(self) -> dict[str, Any]:
        """Give the same with ``meta`` as ``device``."""
        return self._names(torch.device("meta"))

    def _names(self, device: Any) -> dict[str, Any]:
        return {
            "torch": torch,
            "np": self.numpy,
            "device": device,
            "control": bool(self.setting.get("control")),
        }

    def seed(self, number: int) -> None:
        """Seed the generators of the host and of the device.

        `torch.manual_seed` does so too, but remembers a formatted stack for each kind of device
        that is not initialised, which takes a millisecond.
        """
        torch.default_generator.manual_seed(number)
        self.device.seed(number)

    def missing(self, function: str) -> str | None:
        """Walk the name from ``torch`` on, attribute by attribute."""
        first, *rest = function.split(".")
        if first != "torch":
            return None
        found: Any = torch
        for name in rest:
            found = getattr(found, name, None)
            if found is None:
                return f"{function} is not in PyTorch {torch.__version__}"
        return None

    def unmet(self, requirement: str) -> str | None:
        """Know ``accelerator``, ``values``, ``two devices`` and the names of devices."""
        device = self.device
        if requirement == "accelerator":
            met = device.kind not in ("cpu", "meta")
        elif requirement == "values":
            met = device.has_values
        elif requirement == "two devices":
            met = device.devices() >= 2 and not device.is_host and device.has_values
        elif requirement in {cls.name for cls in pytorch_devices.DEVICES}:
            met = requirement in (device.name, device.kind)
        else:
            return super().unmet(requirement)
        return None if met else f"requires {requirement}"

    @property
    def compiles(self) -> bool:
        """Tell whether the mode is ``+inductor``."""
        return self.inductor is not None

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Compile under ``+inductor``."""
        return self.inductor.bind(function) if self.inductor else function

    def after_first_call(self) -> list[str]:
        """List what inductor hands to libraries."""
        return self.inductor.after_first_call() if self.inductor else []

    # ----------------------------------------------------------------- arrays

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make a tensor on the host, with storage of its own that may be resized."""
        if dtype not in self.dtypes:
            raise TypeError(f"this version of PyTorch has no dtype {dtype}")
        array = torch.empty(tuple(shape), dtype=self.dtypes[dtype])
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
        array = _on_host(array)
        length = array.numel() * array.element_size()
        return Buffer(dtype, shape, ctypes.string_at(array.data_ptr(), length) if length else b"")

    def digest(self, array: Any) -> tuple[str, str | None]:
        """Digest a tensor on the host where it lies."""
        dtype = self.dtype_names[array.dtype]
        if not self.has_values and array.device.type == "meta":
            return dtype, None
        array = _on_host(array)
        length = array.numel() * array.element_size()
        return dtype, digest(dtype, array.shape, array.data_ptr() if length else b"", length)

    def is_array(self, value: Any) -> bool:
        """Tell strided tensors of a dtype that has bytes."""
        return (
            isinstance(value, torch.Tensor)
            and value.layout == torch.strided
            and value.dtype in self.dtype_names
            and not value.is_nested
        )

    def where(self, array: Any) -> tuple[str, bool]:
        """Name the tensor's device."""
        return str(array.device), array.device.type == self.device.kind

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open sparse and nested tensors, modules and optimizers."""
        if isinstance(value, torch.Tensor):
            return _parts_of_tensor(value)
        if isinstance(value, torch.nn.Module):
            return [(f".{key}", item) for key, item in value.state_dict(keep_vars=True).items()]
        if isinstance(value, torch.optim.Optimizer):
            return _parts_of_optimizer(value)
        if self.numpy is not None and isinstance(value, self.numpy.ndarray):
            return self._parts_of_numpy(value)
        return None

    def _parts_of_numpy(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open an array on the host as the tensor that it can be; None where it can be none."""
        try:
            return [("", torch.from_numpy(value.copy()))]
        except TypeError:
            return [(".tolist()", value.tolist())]

    def plain(self, value: Any) -> Any:
        """Write dtypes, layouts and memory formats as torch does."""
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)):
            return str(value)
        if self.numpy is not None and isinstance(value, (self.numpy.dtype, self.numpy.generic)):
            return str(value)
        return NOT_PLAIN

    # ------------------------------------------------- modules and gradients

    def place_modules(
        self, modules: list[tuple[str, Any]], construct: Callable[[], list[Any]], fill: Fill
    ) -> list[Any]:
        """Move and fill; see `pytorch_modules.place`."""
        return pytorch_modules.place(
            modules, self.handle, construct, fill, self.has_values, self.is_host
        )

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Mark floating and complex tensors that gradients are taken for."""
        if differentiate and (array.is_floating_point() or array.is_complex()):
            array.requires_grad_()
        return array

    def parameters(self, text: str, module: Any) -> list[tuple[str, Any]]:
        """List the parameters that require a gradient."""
        return [
            (f"{text}.{name}", parameter)
            for name, parameter in module.named_parameters()
            if parameter.requires_grad
        ]

    def differentiable(self, array: Any) -> bool:
        """Tell whether autograd tracks the tensor."""
        return bool(array.requires_grad)

    def cotangent(self, path: str, array: Any) -> Wanted:
        """Want a cotangent of the output's own dtype and shape."""
        return Wanted(
            f"cotangent.{path}", self.dtype_names[array.dtype], tuple(array.shape), scale=1.0
        )

    def gradients(self, outputs: list[Any], sources: list[Any], cotangents: list[Any]) -> list[Any]:
        """Differentiate by reverse mode; nothing is accumulated into ``.grad``."""
        return torch.autograd.grad(outputs, sources, cotangents, allow_unused=True)

    # ---------------------------------------------------------------- evidence

    def clear_counters(self) -> None:
        """Clear the device's counters."""
        self.device.clear_counters()

    def read_counters(self) -> Counters:
        """Read the device's counters."""
        return self.device.read_counters()

    def peak_memory(self) -> int | None:
        """Ask the device's allocator."""
        return self.device.peak_memory()

    def memory_kind(self, error: BaseException) -> str | None:
        """Tell exhausted memory of the device from the host's."""
        if isinstance(error, OUT_OF_MEMORY):
            return "device"
        text = str(error) if isinstance(error, RuntimeError) else ""
        if any(part in text for part in _HOST_MEMORY):
            return "host"
        if any(part in text for part in _DEVICE_MEMORY):
            return "device"
        return super().memory_kind(error)

    def not_traceable(self, error: BaseException) -> str | None:
        """Ask dynamo."""
        return self.inductor.not_traceable(error) if self.inductor else None

    def poisoned(self) -> bool:
        """Try to wait for the device: a lost context raises again and again."""
        if self.is_host or not self.has_values or self.wait is None:
            return False
        try:
            self.wait()
        except Exception:
            return True
        return False


def _on_host(array: Any) -> Any:
    """Give a tensor with its elements in C order on the host; itself where it is one already."""
    if array.is_conj() or array.is_neg():
        array = array.detach().resolve_conj().resolve_neg()
    if array.device.type != "cpu":
        array = array.detach().cpu()
    return array if array.is_contiguous() else array.detach().contiguous()


def _parts_of_tensor(value: Any) -> list[tuple[str, Any]] | None:
    """Open a tensor that is no block of elements; None where it cannot be opened."""
    if value.layout == torch.sparse_coo:
        value = value.coalesce()
        return [(".indices", value.indices()), (".values", value.values())]
    if value.layout in (torch.sparse_csr, torch.sparse_bsr):
        names = ("crow_indices", "col_indices", "values")
    elif value.layout in (torch.sparse_csc, torch.sparse_bsc):
        names = ("ccol_indices", "row_indices", "values")
    elif value.is_nested:
        return [(f"[{i}]", item) for i, item in enumerate(value.unbind())]
    elif value.is_quantized:
        return [(".int_repr", value.int_repr())]
    elif value.layout == torch.strided:
        return _parts_of_unknown(value)
    else:
        return None
    return [(f".{name}", getattr(value, name)()) for name in names]


def _parts_of_unknown(value: Any) -> list[tuple[str, Any]]:
    """Open a tensor of a dtype that the store has no word for (float8): its bytes are compared."""
    data = value.detach().contiguous().reshape(-1).view(torch.uint8)
    return [(".dtype", value.dtype), (".shape", list(value.shape)), (".bytes", data)]


def _parts_of_optimizer(optimizer: Any) -> list[tuple[str, Any]]:
    parameters = [
        (f".param_groups[{g}]['params'][{i}]", parameter)
        for g, group in enumerate(optimizer.param_groups)
        for i, parameter in enumerate(group["params"])
    ]
    return [*parameters, (".state", optimizer.state_dict()["state"])]


def _numeric_modes() -> dict[str, Any]:
    """Look up the switches that change results."""
    with warnings.catch_warnings():  # some versions call their own names for these outdated
        warnings.simplefilter("ignore")
        modes = {
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "onednn": torch.backends.mkldnn.is_available(),
        }
        if torch.version.cuda or torch.version.hip:
            modes["tf32_matmul"] = torch.backends.cuda.matmul.allow_tf32
            modes["tf32_cudnn"] = torch.backends.cudnn.allow_tf32
    return modes


def _versions() -> dict[str, str]:
    found = {"torch": torch.__version__}
    if torch.version.cuda:
        found["cuda"] = torch.version.cuda
    if torch.version.hip:
        found["hip"] = torch.version.hip
    if torch.backends.cudnn.is_available():
        found["cudnn"] = str(torch.backends.cudnn.version())
    modules = {name: sys.modules[name] for name in VERSIONED if name in sys.modules}
    return {**found, **{name: str(m.__version__) for name, m in modules.items()}}


def framework() -> PyTorch:
    """Give the driver of PyTorch."""
    return PyTorch()


def surface() -> inventory.Surface:
    """Tell where PyTorch's public names are."""
    return inventory.Surface(
        "torch",
        torch.__version__,
        hidden=("torch.classes", "torch.ops"),  # make up what they are asked for
        holders=("torch.Tensor",),
    )
