"""The devices of PyTorch: how each is reached, waited for, named and counted.

To add a device: a subclass of `Device` and a row in `DEVICES`. A back end that registers itself
under PrivateUse1 needs neither, see `PlugIn`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import re
import shutil
import warnings
from collections.abc import Iterable
from typing import Any, Callable

import torch

from pmdriver.failure import one_line
from pmdriver.framework import Counters
from pmdriver.host import processor_name, read_text

#: XLA's counters of scalars that were read back: a host read, no fallback.
HOST_READS = ("aten::_local_scalar_dense", "aten::item")


def split_counters(values: Iterable[tuple[str, int]]) -> Counters:
    """Tell fallbacks from host reads among XLA's counters.

    Parameters
    ----------
    values
        Names and values of counters; only those of ``aten::`` operations count, each of which says
        how often the operation was executed on the host.
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


class Device:
    """A device of PyTorch.

    Attributes
    ----------
    name
        As in a target.
    kind
        The type of its `torch.device`.
    is_host, has_values
        As of `Framework`.
    compilable
        There is a target ``+inductor`` of it.
    """

    name = ""
    kind = ""
    is_host = False
    has_values = True
    compilable = True

    def why_not(self) -> str:
        """Say in one line why it cannot be measured here; nothing where it can."""
        return ""

    def handle(self) -> Any:
        """Give what `device` is bound to in the texts of a case."""
        return torch.device(self.kind)

    def module(self) -> Any:
        """Give ``torch.<kind>``, with the back end's synchronize() and memory functions."""
        return getattr(torch, self.kind, None)

    def wait(self) -> Callable[[], None] | None:
        """Give what returns when the device has nothing left to do."""
        return getattr(self.module(), "synchronize", None)

    def study_wait(self) -> Callable[[], None] | None:
        """Give the study's own synchronisation (appendix: torch.cuda.synchronize, mark_step)."""
        return self.wait()

    def count(self) -> Callable[[], int] | None:
        """Give what tells the number of compilations so far."""
        return None

    def seed(self, number: int) -> None:
        """Seed the device's own generators."""
        seed = getattr(self.module(), "manual_seed_all", None) or getattr(
            self.module(), "manual_seed", None
        )
        if seed:
            seed(number)

    def device_name(self) -> str:
        """Name the hardware as the framework does."""
        get = getattr(self.module(), "get_device_name", None)
        return str(get()) if get else self.name

    def driver_version(self) -> str:
        """Give the driver's version; nothing where there is none."""
        return ""

    def devices(self) -> int:
        """Count the devices of this kind."""
        count = getattr(self.module(), "device_count", None)
        return int(count()) if count else 1

    def clear_counters(self) -> None:
        """Forget what was counted, and the peak of memory."""
        reset = getattr(self.module(), "reset_peak_memory_stats", None)
        if reset:
            reset()

    def read_counters(self) -> Counters:
        """Read what was counted."""
        return Counters([], 0)

    def peak_memory(self) -> int | None:
        """Peak bytes of the allocator since `clear_counters`."""
        peak = getattr(self.module(), "max_memory_allocated", None)
        return int(peak()) if peak else None


class Cpu(Device):
    """The host's processor: the control of every other device."""

    name = kind = "cpu"
    is_host = True

    def wait(self) -> None:
        """Give nothing: a call returns when it is done."""
        return None

    def seed(self, number: int) -> None:
        """Do nothing: its generator is PyTorch's default one."""

    def device_name(self) -> str:
        """Name the processor."""
        return processor_name()

    def clear_counters(self) -> None:
        """Do nothing: there is nothing to clear."""

    def peak_memory(self) -> None:
        """Give nothing: the child's resident set is known from outside."""
        return None


class Meta(Cpu):
    """Shapes and dtypes without values."""

    name = kind = "meta"
    is_host = False
    has_values = False
    compilable = False

    def device_name(self) -> str:
        """Say what it is."""
        return "meta (dtype and shape only)"


class Cuda(Device):
    """NVIDIA's GPUs."""

    name = kind = "cuda"

    def why_not(self) -> str:
        """Tell a build without CUDA from a machine without a GPU."""
        if torch.version.cuda is None:
            return "this build of PyTorch has no CUDA"
        return _unavailable(torch.cuda, "no CUDA device was found")

    def driver_version(self) -> str:
        """Give the kernel module's version."""
        found = re.search(r"Kernel Module\D*([\d.]+)", read_text("/proc/driver/nvidia/version"))
        return found.group(1) if found else str(torch._C._cuda_getDriverVersion())


class Rocm(Device):
    """AMD's GPUs, which PyTorch calls cuda."""

    name, kind = "rocm", "cuda"

    def why_not(self) -> str:
        """Tell a build without ROCm from a machine without a GPU."""
        if torch.version.hip is None:
            return "this build of PyTorch has no ROCm"
        return _unavailable(torch.cuda, "no ROCm device was found")

    def driver_version(self) -> str:
        """Give the kernel module's version, else HIP's."""
        return read_text("/sys/module/amdgpu/version").strip() or str(torch.version.hip)


class Mps(Device):
    """Apple's GPUs."""

    name = kind = "mps"

    def why_not(self) -> str:
        """Tell a build without Metal from a machine without it."""
        if not torch.backends.mps.is_built():
            return "this build of PyTorch has no Metal (MPS)"
        return "" if torch.backends.mps.is_available() else "no Metal (MPS) device was found"

    def device_name(self) -> str:
        """Name the chip."""
        return platform.processor() or "mps"

    def driver_version(self) -> str:
        """Give the system's version, to which Metal belongs."""
        return platform.mac_ver()[0]

    def peak_memory(self) -> int | None:
        """Give what the driver holds: there is no peak."""
        return int(torch.mps.driver_allocated_memory())


class Xpu(Device):
    """Intel's GPUs."""

    name = kind = "xpu"

    def why_not(self) -> str:
        """Tell a build without XPU from a machine without a GPU."""
        if not getattr(self.module(), "_is_compiled", lambda: False)():
            return "this build of PyTorch has no XPU"
        return _unavailable(torch.xpu, "no XPU device was found")

    def driver_version(self) -> str:
        """Give the driver's version as the device tells it."""
        return str(getattr(torch.xpu.get_device_properties(), "driver_version", ""))


class Xla(Device):
    """torch_xla, on whatever PJRT_DEVICE says: CPU, CUDA, TPU."""

    name = kind = "xla"
    compilable = False

    def why_not(self) -> str:
        """Tell a missing or broken package from a back end that does not start."""
        if importlib.util.find_spec("torch_xla") is None:
            return "torch_xla is not installed: portmeter env create pytorch-xla"
        try:
            self.handle()
        except Exception as error:
            return f"torch_xla cannot start: {' '.join(str(error).split())[:200]}"
        return ""

    def handle(self) -> Any:
        """Give the first XLA device."""
        import torch_xla

        return torch_xla.device()

    def wait(self) -> Callable[[], None]:
        """Give what executes all that is pending and waits: neither of the two calls does both."""
        import torch_xla
        import torch_xla.core.xla_model as xm

        execute, finish = torch_xla.sync, xm.wait_device_ops

        def wait() -> None:
            execute()
            finish()

        return wait

    def study_wait(self) -> Callable[[], None]:
        """Give the study's mark_step, which does not wait."""
        import torch_xla

        return torch_xla.sync

    def count(self) -> Callable[[], int]:
        """Give what reads the CompileTime metric."""
        import torch_xla.debug.metrics as metrics

        def count() -> int:
            data = metrics.metric_data("CompileTime")
            return int(data[0]) if data else 0

        return count

    def seed(self, number: int) -> None:
        """Seed the device's own generator."""
        import torch_xla.core.xla_model as xm

        xm.set_rng_state(number)

    def device_name(self) -> str:
        """Name the PJRT back end, and the processor where it is made of the host's cores."""
        import torch_xla.runtime

        kind = str(torch_xla.runtime.device_type())
        return f"XLA {kind}, {processor_name()}" if kind == "CPU" else f"XLA {kind}"

    def driver_version(self) -> str:
        """Give torch_xla's version, which brings its compiler along."""
        import torch_xla

        return f"torch_xla {torch_xla.__version__}"

    def devices(self) -> int:
        """Count the devices of this process."""
        import torch_xla.runtime

        return int(torch_xla.runtime.addressable_device_count())

    def clear_counters(self) -> None:
        """Forget the counters, not the metrics: compilations are counted by difference."""
        import torch_xla.debug.metrics as metrics

        metrics.clear_counters()

    def read_counters(self) -> Counters:
        """Read the counters of operations that were executed on the host."""
        import torch_xla.debug.metrics as metrics

        names = [name for name in metrics.counter_names() if name.startswith("aten::")]
        return split_counters((name, metrics.counter_value(name) or 0) for name in names)

    def peak_memory(self) -> int | None:
        """Give nothing: PJRT tells what is held, not the peak."""
        return None


class PlugIn(Device):
    """A back end that registered itself under PrivateUse1, by the name that it gave itself."""

    def __init__(self, name: str) -> None:
        self.name = self.kind = name

    def why_not(self) -> str:
        """Tell a name that nobody registered from a back end without devices."""
        if plug_in_name() != self.name:
            return f"no back end is registered under the name '{self.name}'"
        return _unavailable(self.module(), f"no {self.name} device was found")


DEVICES: tuple[type[Device], ...] = (Cpu, Cuda, Rocm, Mps, Xpu, Xla, Meta)


def plug_in_name() -> str:
    """Name the registered PrivateUse1 back end; nothing where there is none."""
    get = getattr(torch._C, "_get_privateuse1_backend_name", None)  # before 2.1
    name = get() if get else "privateuseone"
    return "" if name == "privateuseone" else name


def device_of(name: str) -> Device:
    """Find the device of a target by its name."""
    for cls in DEVICES:
        if cls.name == name:
            return cls()
    return PlugIn(name)


def all_devices() -> list[Device]:
    """List the table, and the plug-in where one is registered."""
    found: list[Device] = [cls() for cls in DEVICES]
    if plug_in_name():
        found.append(PlugIn(plug_in_name()))
    return found


def _unavailable(module: Any, otherwise: str) -> str:
    """Give the first warning that is_available() has to say, where it says no."""
    if module is None:
        return otherwise
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if module.is_available():
            return ""
    reason = str(said[0].message).split("\n")[0] if said else ""
    return f"{otherwise}: {reason[:200]}" if reason else otherwise


def describe(device: Device) -> dict[str, Any]:
    """Describe a device for ``portmeter devices``; what goes wrong meanwhile is the reason."""
    row = {"device": device.name, "mode": "", "name": "", "driver_version": ""}
    try:
        reason = device.why_not()
        if not reason:
            row["name"], row["driver_version"] = device.device_name(), device.driver_version()
    except Exception as error:
        reason = one_line(f"{type(error).__name__}: {error}", 200)
    return {**row, "measurable": not reason, "why_not": reason}


def inductor_missing() -> str:
    """Say why there is no mode ``+inductor`` here; nothing where there is one."""
    if not hasattr(torch, "compile"):
        return f"PyTorch {torch.__version__} has no torch.compile"
    candidates = [os.environ.get("CXX", ""), "g++", "clang++", "c++"]
    if any(name and shutil.which(name) for name in candidates):
        return ""
    return "inductor needs a C++ compiler: install g++"


@contextlib.contextmanager
def identity_kept() -> Any:
    """Let ``Module.to`` keep each Parameter's identity, so that optimizers still own them."""
    future = torch.__future__
    if not hasattr(future, "get_swap_module_params_on_conversion"):  # before 2.3
        yield
        return
    before = future.get_swap_module_params_on_conversion()
    future.set_swap_module_params_on_conversion(True)
    try:
        yield
    finally:
        future.set_swap_module_params_on_conversion(before)
