"""The devices of PyTorch: how to reach each one, wait for it, name it and read its counters.

To add a device, write a subclass of `Device` and add it to `DEVICES`. A back end that registers
itself under PrivateUse1 needs neither: see `PlugIn`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import platform
import warnings
from collections.abc import Iterable
from typing import Any, Callable

import torch

from pmdriver import nvidia
from pmdriver.failure import one_line, summary
from pmdriver.framework import MOST_REASON, Counters, device_named, device_row
from pmdriver.host import processor_name, read_text
from pmdriver.pytorch import modes

#: The counters of XLA that count scalars read back to the host, which is not a fallback.
HOST_READS = ("aten::_local_scalar_dense", "aten::item")


def split_counters(values: Iterable[tuple[str, int]]) -> Counters:
    """Separate fallbacks from host reads in XLA's counters.

    Parameters
    ----------
    values
        Names and values of counters. The counter of an ``aten::`` operation counts how often it was
        executed on the host; all other counters are ignored.
    """
    fallback, host_reads = [], 0
    for name, value in values:
        if not name.startswith("aten::") or not value:
            continue
        if name in HOST_READS:
            host_reads += value
        else:
            fallback.append(name)
    return Counters(sorted(fallback), host_reads)


#: Variables that change how fast a device is, or its results.
CHANGING = (
    "ATEN_CPU_CAPABILITY",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "NVIDIA_TF32_OVERRIDE",
    "PJRT_DEVICE",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "XLA_FLAGS",
    "XLA_USE_BF16",
)


def environment() -> dict[str, str]:
    """Return the variables that are set and change how fast a device is, or its results."""
    return {name: os.environ[name] for name in CHANGING if name in os.environ}


class Device:
    """A device of PyTorch.

    Attributes
    ----------
    name
        As in a target.
    kind
        The type of its `torch.device`.
    is_host, has_values
        As in `pmdriver.framework.Framework`.
    compilable
        A target may add the variant ``+inductor``.
    has_own_threads
        Its runtime starts threads, which OpenMP does not bind to cores.
    has_silent_fallback
        The host may compute operations that the back end lacks, and PyTorch does not count them:
        see ``fallbacks.py``.
    index
        Which device of this kind is used, for placement, waiting and memory.
    """

    name = ""
    kind = ""
    is_host = False
    has_values = True
    compilable = True
    has_own_threads = True
    has_silent_fallback = False
    index = 0

    def __init__(self) -> None:
        self._held = 0  # bytes that were allocated when the counters were cleared

    def why_not(self) -> str:
        """Say in one line why the device cannot be measured here; an empty text if it can."""
        return ""

    def target(self) -> str:
        """Return how a target names the device: ``cuda``, ``cuda:1``."""
        return f"{self.name}:{self.index}" if self.index else self.name

    def why_no_index(self) -> str:
        """Say in one line that the index is too high; an empty text if it is not."""
        if not self.index or self.index < self.devices():
            return ""
        return (
            f"device {self.target()} does not exist "
            f"(number of {self.name} devices: {self.devices()}): use a lower index"
        )

    def handle(self) -> Any:
        """Return the object to which `device` is bound in the texts of a case."""
        return torch.device(self.kind, *self._here())

    def module(self) -> Any:
        """Return the module ``torch.<kind>``, with functions for this device; None if missing."""
        return getattr(torch, self.kind, None)

    def is_indexed(self) -> bool:
        """Return whether an index names one of several devices of its kind."""
        return hasattr(self.module(), "set_device")

    def _here(self) -> tuple[int, ...]:
        """Return the arguments by which functions of its module identify this device."""
        return (self.index,) if self.is_indexed() else ()

    def make_current(self) -> None:
        """Make this the current device of its kind: the last case may have changed it."""
        if self._here():
            self.module().set_device(self.index)

    def holds(self, array: Any) -> bool:
        """Return whether a tensor is on this device, not just on one of its kind."""
        device = array.device
        return device.type == self.kind and device.index in (None, self.index)

    def wait(self) -> Callable[[], None] | None:
        """Return a function that waits until the device has finished all work; None if unneeded."""
        synchronize = getattr(self.module(), "synchronize", None)
        here = self._here()
        return functools.partial(synchronize, *here) if synchronize and here else synchronize

    def paper_wait(self) -> Callable[[], None] | None:
        """Return the paper's synchronisation (its appendix: torch.cuda.synchronize, mark_step)."""
        return self.wait()

    def count(self) -> Callable[[], int] | None:
        """Return a function that counts compilations so far; None if PyTorch counts none."""
        return None

    def before_running(self) -> Callable[[], dict[str, int]] | None:
        """Return the hook `before_running` of `Framework`; None if PyTorch reports no times."""
        return None

    def seed(self, number: int) -> None:
        """Seed the device's own generators."""
        seed = getattr(self.module(), "manual_seed_all", None) or getattr(
            self.module(), "manual_seed", None
        )
        if seed:
            seed(number)

    def device_name(self) -> str:
        """Return PyTorch's name of the hardware."""
        get = getattr(self.module(), "get_device_name", None)
        return str(get(*self._here())) if get else self.name

    def driver_version(self) -> str:
        """Return the version of the device's driver; an empty text if it has none."""
        return ""

    def devices(self) -> int:
        """Count the devices of this kind."""
        count = getattr(self.module(), "device_count", None)
        return int(count()) if count else 1

    def clear_counters(self) -> None:
        """Reset the counters and the peak of memory, and note the bytes that are allocated now."""
        reset = getattr(self.module(), "reset_peak_memory_stats", None)
        if reset:
            reset(*self._here())
        self._held = self._allocated("memory_allocated") or 0

    def read_counters(self) -> Counters:
        """Read the counters."""
        return Counters([], 0)

    def peak_memory(self) -> int | None:
        """Return the peak bytes since `clear_counters` minus those in use then; None if unknown."""
        return self._above(self._allocated("max_memory_allocated"))

    def _allocated(self, function: str) -> int | None:
        """Return the bytes that a function of the module reports; None without such a function."""
        ask = getattr(self.module(), function, None)
        return int(ask(*self._here())) if ask else None

    def _above(self, allocated: int | None) -> int | None:
        """Subtract the bytes that were allocated when the counters were cleared."""
        return None if allocated is None else max(allocated - self._held, 0)

    def fast_modes(self) -> list[str]:
        """Name the active numeric modes that are faster but less exact."""
        return modes.fast(self.kind)

    def make_exact(self) -> None:
        """Turn off the modes that `fast_modes` names, before the device is started."""
        modes.make_exact()

    def others(self, gpus: list[nvidia.Gpu]) -> dict[str, Any]:
        """Describe how other processes used the device when the driver started and saw `gpus`."""
        return {}


class Cpu(Device):
    """The host's processor: the reference of every other device."""

    name = kind = "cpu"
    is_host = True
    has_own_threads = False

    def module(self) -> None:
        """Return None: the host needs no device selection and no waiting."""
        return None

    def wait(self) -> None:
        """Return None: a call returns only when its work is done."""
        return None

    def seed(self, number: int) -> None:
        """Do nothing: its generator is PyTorch's default one."""

    def device_name(self) -> str:
        """Return the processor's name."""
        return processor_name()

    def clear_counters(self) -> None:
        """Do nothing: there are no counters."""

    def peak_memory(self) -> None:
        """Return None: the driver reads the peak resident set of the child after its end."""
        return None


class Meta(Cpu):
    """Shapes and dtypes without values."""

    name = kind = "meta"
    is_host = False
    has_values = False
    compilable = False

    def device_name(self) -> str:
        """Return a name that says what the device lacks."""
        return "meta (dtype and shape only)"


class Cuda(Device):
    """NVIDIA's GPUs."""

    name = kind = "cuda"

    def why_not(self) -> str:
        """Distinguish a build without CUDA from a machine without a GPU."""
        if torch.version.cuda is None:
            return "this build of PyTorch has no CUDA"
        return _unavailable(torch.cuda, "no CUDA device was found")

    def driver_version(self) -> str:
        """Return the version of NVIDIA's kernel module, or else of the CUDA driver."""
        return nvidia.driver_version() or str(torch._C._cuda_getDriverVersion())

    def others(self, gpus: list[nvidia.Gpu]) -> dict[str, Any]:
        """Describe the GPU by its UUID; before PyTorch 2.4, which reports none, the only GPU."""
        uuid = getattr(torch.cuda.get_device_properties(self.index), "uuid", "") if gpus else ""
        gpu = nvidia.of_uuid(gpus, str(uuid))
        return gpu.described() if gpu else {}


class Rocm(Device):
    """AMD's GPUs, which PyTorch calls cuda."""

    name, kind = "rocm", "cuda"

    def why_not(self) -> str:
        """Distinguish a build without ROCm from a machine without a GPU."""
        if torch.version.hip is None:
            return "this build of PyTorch has no ROCm"
        return _unavailable(torch.cuda, "no ROCm device was found")

    def driver_version(self) -> str:
        """Return the version of AMD's kernel module, or else of HIP."""
        return read_text("/sys/module/amdgpu/version").strip() or str(torch.version.hip)


class Mps(Device):
    """Apple's GPUs."""

    name = kind = "mps"
    has_silent_fallback = True

    def why_not(self) -> str:
        """Distinguish a build without Metal from a machine without a Metal device."""
        if not torch.backends.mps.is_built():
            return "this build of PyTorch has no Metal (MPS)"
        return "" if torch.backends.mps.is_available() else "no Metal (MPS) device was found"

    def device_name(self) -> str:
        """Return the chip's name."""
        return platform.processor() or "mps"

    def driver_version(self) -> str:
        """Return the version of the system, to which Metal belongs."""
        return platform.mac_ver()[0]

    def clear_counters(self) -> None:
        """Note the bytes that are allocated now."""
        self._held = self._allocated("current_allocated_memory") or 0

    def peak_memory(self) -> int | None:
        """Return the bytes that the call has left allocated: Metal records no peak."""
        return self._above(self._allocated("current_allocated_memory"))


class Xpu(Device):
    """Intel's GPUs."""

    name = kind = "xpu"

    def why_not(self) -> str:
        """Distinguish a build without XPU from a machine without a GPU."""
        if not getattr(self.module(), "_is_compiled", lambda: False)():
            return "this build of PyTorch has no XPU"
        return _unavailable(torch.xpu, "no XPU device was found")

    def driver_version(self) -> str:
        """Return the version that the device reports."""
        properties = torch.xpu.get_device_properties(self.index)
        return str(getattr(properties, "driver_version", ""))


class Xla(Device):
    """torch_xla, on the back end that PJRT_DEVICE names: CPU, CUDA, TPU."""

    name = kind = "xla"
    compilable = False

    def why_not(self) -> str:
        """Distinguish a missing package from a back end that does not start."""
        if importlib.util.find_spec("torch_xla") is None:
            return "torch_xla is not installed: use portmeter env create pytorch-xla"
        try:
            self.handle()
        except Exception as error:
            return f"torch_xla cannot start: {summary(error, MOST_REASON)}"
        return ""

    def handle(self) -> Any:
        """Return the first XLA device."""
        import torch_xla

        return torch_xla.device()

    def wait(self) -> Callable[[], None]:
        """Return a function that executes all pending work and waits: XLA has a call for each."""
        import torch_xla
        import torch_xla.core.xla_model as xm

        execute, finish = torch_xla.sync, xm.wait_device_ops

        def wait() -> None:
            execute()
            finish()

        return wait

    def paper_wait(self) -> Callable[[], None]:
        """Return the paper's mark_step, which does not wait."""
        import torch_xla

        return torch_xla.sync

    def count(self) -> Callable[[], int]:
        """Return a function that reads the number of compilations from the CompileTime metric."""
        import torch_xla.debug.metrics as metrics

        def count() -> int:
            data = metrics.metric_data("CompileTime")
            return int(data[0]) if data else 0

        return count

    def before_running(self) -> Callable[[], dict[str, int]]:
        """Return a function that reads the time of compilations, in ns, from the same metric."""
        import torch_xla.debug.metrics as metrics

        def spent() -> dict[str, int]:
            data = metrics.metric_data("CompileTime")
            return {"compiling": int(data[1]) if data else 0}

        return spent

    def seed(self, number: int) -> None:
        """Seed the device's own generator."""
        import torch_xla.core.xla_model as xm

        xm.set_rng_state(number)

    def device_name(self) -> str:
        """Return the name of the PJRT back end; on the host also that of the processor."""
        import torch_xla.runtime

        kind = str(torch_xla.runtime.device_type())
        return f"XLA {kind}, {processor_name()}" if kind == "CPU" else f"XLA {kind}"

    def driver_version(self) -> str:
        """Return the version of torch_xla, which contains its compiler."""
        import torch_xla

        return f"torch_xla {torch_xla.__version__}"

    def devices(self) -> int:
        """Count the devices of this process."""
        import torch_xla.runtime

        return int(torch_xla.runtime.addressable_device_count())

    def clear_counters(self) -> None:
        """Reset the counters but not the metrics, whose differences count compilations."""
        import torch_xla.debug.metrics as metrics

        metrics.clear_counters()

    def read_counters(self) -> Counters:
        """Read how often operations were executed on the host."""
        import torch_xla.debug.metrics as metrics

        names = [name for name in metrics.counter_names() if name.startswith("aten::")]
        return split_counters((name, metrics.counter_value(name) or 0) for name in names)

    def fast_modes(self) -> list[str]:
        """Add the precision of XLA's products of matrices: bfloat16 on a TPU, exact on the host."""
        import torch_xla.runtime

        backends, found = _xla_backends(), super().fast_modes()
        on_host = torch_xla.runtime.device_type() == "CPU"
        if not on_host and backends and backends.get_mat_mul_precision() != modes.EXACT_MATMUL:
            found.append("xla_mat_mul_precision")
        return found

    def make_exact(self) -> None:
        """Also set the exact precision for XLA's products of matrices."""
        super().make_exact()
        backends = _xla_backends()
        if backends:
            backends.set_mat_mul_precision(modes.EXACT_MATMUL)

    def peak_memory(self) -> int | None:
        """Return None: PJRT reports what is allocated now, not the peak."""
        return None


def _xla_backends() -> Any:
    """Import and return the module of torch_xla with numeric modes; None before 2.8."""
    if importlib.util.find_spec("torch_xla.backends") is None:
        return None
    return importlib.import_module("torch_xla.backends")


class PlugIn(Device):
    """A back end that registered itself under PrivateUse1 with a name of its own."""

    has_silent_fallback = True

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = self.kind = name

    def why_not(self) -> str:
        """Distinguish a name that is not registered from a back end without devices."""
        if plug_in_name() != self.name:
            return (
                f"no back end is registered under the name '{self.name}': use portmeter env add "
                "--import with the module that registers it"
            )
        return _unavailable(self.module(), f"no {self.name} device was found")


DEVICES: tuple[type[Device], ...] = (Cpu, Cuda, Rocm, Mps, Xpu, Xla, Meta)


def plug_in_name() -> str:
    """Return the name of the registered PrivateUse1 back end; an empty text if there is none."""
    get = getattr(torch._C, "_get_privateuse1_backend_name", None)  # missing before 2.1
    name = get() if get else "privateuseone"
    return "" if name == "privateuseone" else name


def device_of(text: str) -> Device:
    """Return the device that a target names; an unknown name counts as that of a plug-in."""
    device: Device = device_named(text, DEVICES, PlugIn)
    return device


def all_devices() -> list[Device]:
    """Return the first device of each kind in `DEVICES`, and of a registered plug-in, if any."""
    found: list[Device] = [cls() for cls in DEVICES]
    if plug_in_name():
        found.append(PlugIn(plug_in_name()))
    return found


def others_of(first: Device) -> list[Device]:
    """Return the other devices of the same kind as `first`, which must be measurable."""
    count = first.devices() if first.is_indexed() else 1
    return [device_of(f"{first.name}:{index}") for index in range(1, count)]


def _unavailable(module: Any, otherwise: str) -> str:
    """Return ``""`` if a device is available; else `otherwise`, with PyTorch's warning if any."""
    if module is None:
        return otherwise
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if module.is_available():
            return ""
    reason = one_line(str(warned[0].message).split("\n")[0], MOST_REASON) if warned else ""
    return f"{otherwise}: {reason}" if reason else otherwise


def describe(device: Device) -> dict[str, Any]:
    """Describe a device for ``portmeter devices``."""
    return device_row(device, device.why_not)
