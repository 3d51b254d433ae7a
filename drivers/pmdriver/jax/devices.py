"""The devices of JAX: how to reach and name each one, and what JAX reports about memory and stages.

To add a device, write a subclass of `Device` and add it to `DEVICES`. A device of a PJRT plug-in
needs neither: a target names it by the plug-in's own name.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Any

import jax
from jax._src import xla_bridge

from pmdriver import host, nvidia
from pmdriver.framework import device_named, device_row
from pmdriver.jax import lowering

#: Variables that change how fast a device is, or its results.
CHANGING = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "JAX_DEFAULT_MATMUL_PRECISION",
    "LIBTPU_INIT_ARGS",
    "NVIDIA_TF32_OVERRIDE",
    "XLA_FLAGS",
    "XLA_PYTHON_CLIENT_ALLOCATOR",
    "XLA_PYTHON_CLIENT_MEM_FRACTION",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
)

#: The variable for the number of threads of the host's back end, which reads it when it starts.
THREADS = "PJRT_NPROC"

#: The number of devices of the host: JAX's setting, and the flag of XLA for JAX before 0.5.
DIVISION, DIVISION_FLAG = "jax_num_cpu_devices", "--xla_force_host_platform_device_count"

#: The setting with which products of float32 keep the precision of float32.
EXACT_MATMUL = "highest"


#: Stages by JAX's events; JAX reports an event with its duration when the stage has ended.
EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "tracing",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    "/jax/core/compile/backend_compile_duration": "compiling",
}


class Stages:
    """Adds up the durations of events; the time of nested stages counts only for the inner one.

    Attributes
    ----------
    compiled
        How many computations were compiled.
    """

    def __init__(self) -> None:
        self.compiled = 0
        self._spent = dict.fromkeys(EVENTS.values(), 0)
        self._ended: list[tuple[int, int]] = []  # begin, length in ns; later ones may contain them

    def note(self, event: str, duration: float, **_: Any) -> None:
        """Count an event; JAX calls this when the event ends.

        Parameters
        ----------
        event
            JAX's name of the event.
        duration
            Seconds.
        """
        stage = EVENTS.get(event)
        if stage is None:
            return
        self.compiled += stage == "compiling"
        length = round(duration * 1e9)
        begin = time.perf_counter_ns() - length
        within = 0
        while self._ended and self._ended[-1][0] >= begin:
            within += self._ended.pop()[1]
        self._spent[stage] += max(length - within, 0)
        self._ended.append((begin, length))

    def spent(self) -> dict[str, int]:
        """Return the time of each stage so far, in ns; call it only while no stage is running."""
        self._ended.clear()
        return dict(self._spent)


class Device:
    """A device of JAX.

    Attributes
    ----------
    name
        As in a target.
    platform
        JAX's name of the back end that computes.
    is_host
        As in `pmdriver.framework.Framework`.
    jittable
        A target may add the variant ``+jit``.
    rounds
        Products of float32 are less exact than float32 unless exact mode is on.
    index
        Which of the devices of this platform.
    """

    name = ""
    is_host = False
    jittable = True
    rounds = True
    index = 0

    def __init__(self) -> None:
        self._held = self._peak = 0

    @property
    def platform(self) -> str:
        """Return the name that JAX has for the platform."""
        return self.name

    def target(self) -> str:
        """Return how a target names the device: ``cuda``, ``cuda:1``."""
        return f"{self.name}:{self.index}" if self.index else self.name

    def needs(self) -> str:
        """Say in one line what is missing, without starting a back end; empty if nothing is."""
        return ""

    def start(self, threads: int, devices: int = 1) -> Any:
        """Start the back end, and that of the host, in a process where none is started.

        Parameters
        ----------
        threads
            The number of threads that compute on the host; 0 for JAX's default.
        devices
            The number of devices that the host gets; other platforms ignore it.

        Raises
        ------
        RuntimeError
            There is no such device.
        """
        if self.needs():
            raise RuntimeError(self.needs())
        if threads:
            os.environ[THREADS] = str(threads)
        if devices > 1 and self.platform == "cpu":
            _divide_host(devices)
        jax.config.update("jax_platforms", ",".join(dict.fromkeys([self.platform, "cpu"])))
        return self.handle()

    def handle(self) -> Any:
        """Return the object to which `device` is bound in the texts of a case."""
        found = jax.devices(self.platform)
        if self.index >= len(found):
            raise RuntimeError(
                f"device {self.target()} does not exist "
                f"(number of {self.name} devices: {len(found)}): use a lower index"
            )
        return found[self.index]

    def count(self) -> int:
        """Count the devices of this platform."""
        return len(jax.devices(self.platform))

    def device_name(self) -> str:
        """Return JAX's name of the hardware."""
        return str(self.handle().device_kind)

    def driver_version(self) -> str:
        """Return the version of the device's driver; an empty text if it has none."""
        return str(self.handle().client.platform_version).split("\n")[0]

    def fast_modes(self) -> list[str]:
        """Name the active numeric modes that are faster but less exact."""
        is_exact = jax.config.jax_default_matmul_precision in (EXACT_MATMUL, "float32")
        return ["default_matmul_precision"] if self.rounds and not is_exact else []

    def clear_counters(self) -> None:
        """Note the bytes that are in use now, and the peak so far."""
        self._held, self._peak = self._used()

    def peak_memory(self) -> int | None:
        """Return the peak bytes since `clear_counters`, minus the bytes in use then.

        JAX reports only the peak since the start of the process. None if this peak has not risen
        since `clear_counters`, or if JAX reports none.
        """
        _, peak = self._used()
        return peak - self._held if peak > self._peak else None

    def _used(self) -> tuple[int, int]:
        found = self.handle().memory_stats() or {}
        return int(found.get("bytes_in_use", 0)), int(found.get("peak_bytes_in_use", 0))

    def others(self, gpus: list[nvidia.Gpu]) -> dict[str, Any]:
        """Describe how other processes used the device when the driver started and saw `gpus`."""
        return {}

    def environment(self) -> dict[str, str]:
        """Return the variables that are set and change how fast the device is, or its results."""
        return {name: os.environ[name] for name in CHANGING if name in os.environ}


def _divide_host(devices: int) -> None:
    """Configure several devices for the host's back end, which must not be started yet."""
    if hasattr(jax.config, DIVISION):
        jax.config.update(DIVISION, devices)
    else:
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{flags} {DIVISION_FLAG}={devices}".strip()


class Cpu(Device):
    """The host's processor: the reference of every other device."""

    name = "cpu"
    is_host = True
    rounds = False

    def device_name(self) -> str:
        """Return the processor's name."""
        return host.processor_name()

    def driver_version(self) -> str:
        """Return an empty text: the host needs no driver."""
        return ""

    def clear_counters(self) -> None:
        """Do nothing: there are no counters."""

    def peak_memory(self) -> None:
        """Return None: the driver reads the peak resident set of the child after its end."""
        return None


def _installing(extra: str) -> str:
    """Return the command that installs what this version of JAX needs for a platform."""
    return f"{sys.executable} -m pip install 'jax[{extra}]=={jax.__version__}'"


class Cuda(Device):
    """NVIDIA's GPUs."""

    name = "cuda"

    def needs(self) -> str:
        """Say that the CUDA plug-in is missing; empty if it is installed."""
        names = ("jax_cuda12_plugin", "jax_cuda13_plugin", "jax_plugins.xla_cuda12",
                 "jax_plugins.xla_cuda13")  # fmt: skip
        is_there = any(map(host.is_installed, names))
        return "" if is_there else f"no CUDA plug-in of JAX is installed: {_installing('cuda12')}"

    def driver_version(self) -> str:
        """Return the version of NVIDIA's kernel module, or else JAX's version of the platform."""
        return nvidia.driver_version() or super().driver_version()

    def others(self, gpus: list[nvidia.Gpu]) -> dict[str, Any]:
        """Describe the GPU if it is the only one: JAX does not report its UUID."""
        gpu = nvidia.of_uuid(gpus, "")
        return gpu.described() if gpu else {}


class Rocm(Device):
    """AMD's GPUs."""

    name = "rocm"

    def needs(self) -> str:
        """Say that the ROCm plug-in is missing; empty if it is installed."""
        names = ("jax_rocm60_plugin", "jax_rocm7_plugin", "jax_plugins.xla_rocm60",
                 "jax_plugins.xla_rocm7")  # fmt: skip
        return "" if any(map(host.is_installed, names)) else "no ROCm plug-in of JAX is installed"


class Tpu(Device):
    """Google's TPUs."""

    name = "tpu"

    def needs(self) -> str:
        """Say that libtpu is missing; empty if it is installed."""
        is_there = host.is_installed("libtpu")
        return "" if is_there else f"libtpu is not installed: {_installing('tpu')}"


class Metal(Device):
    """Apple's GPUs."""

    name = "METAL"

    def needs(self) -> str:
        """Say that the Metal plug-in is missing; empty if it is installed."""
        is_there = host.is_installed("jax_plugins.metal_plugin")
        return "" if is_there else "no Metal plug-in of JAX is installed"


class Lowered(Cpu):
    """An absent platform: cases run on the host, and their computations are lowered for it.

    Attributes
    ----------
    absent
        JAX's name of the absent platform.
    """

    jittable = False
    absent = ""

    @property
    def platform(self) -> str:
        """Return the host's platform, which computes."""
        return "cpu"

    def needs(self) -> str:
        """Say why this version of JAX cannot be used to lower; empty if it can."""
        return lowering.missing()

    def device_name(self) -> str:
        """Name the absent platform and the processor that computes."""
        return f"lowered for {self.absent}, computed on {host.processor_name()}"


class LowerTpu(Lowered):
    """Lowered for a TPU."""

    name, absent = "lower-tpu", "tpu"


class LowerCuda(Lowered):
    """Lowered for NVIDIA's GPUs."""

    name, absent = "lower-cuda", "cuda"


class LowerRocm(Lowered):
    """Lowered for AMD's GPUs."""

    name, absent = "lower-rocm", "rocm"


class PlugIn(Device):
    """A device of a PJRT plug-in, by the name under which the plug-in registered itself."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


DEVICES: tuple[type[Device], ...] = (
    Cpu, Cuda, Rocm, Tpu, Metal, LowerTpu, LowerCuda, LowerRocm,
)  # fmt: skip


def device_of(text: str) -> Device:
    """Return the device that a target names; an unknown name counts as that of a plug-in."""
    device: Device = device_named(text, DEVICES, PlugIn)
    return device


def described(device: Device, variants: tuple[str, ...]) -> list[dict[str, Any]]:
    """Describe a device for ``portmeter devices``, alone and with each variant."""
    row = device_row(device, device.needs)
    with_variants = [
        {**row, "variant": variant} for variant in variants if device.jittable and row["measurable"]
    ]
    return [row, *with_variants]


def all_rows(variants: tuple[str, ...]) -> list[dict[str, Any]]:
    """Describe all devices of the kinds in `DEVICES` and of the plug-ins."""
    rows = []
    for device in (*(cls() for cls in DEVICES), *plug_ins()):
        found = described(device, variants)
        rows += found
        if found[0]["measurable"] and not isinstance(device, Lowered):
            for index in range(1, device.count()):
                rows += described(device_of(f"{device.name}:{index}"), variants)
    return rows


def plug_ins() -> list[PlugIn]:
    """List the plug-ins that have registered themselves, except those in `DEVICES`."""
    with contextlib.suppress(RuntimeError):
        jax.devices("cpu")  # makes JAX look for plug-ins
    known = {cls().platform for cls in DEVICES} | {"interpreter"}
    registered = getattr(xla_bridge, "_backend_factories", {})
    return [PlugIn(name) for name in registered if name not in known]
