"""The devices of TensorFlow: how to reach each one, wait for it, name it and read its memory.

To add a device, write a subclass of `Device` and add it to `DEVICES`.
"""

from __future__ import annotations

import os
from typing import Any, Callable

import tensorflow as tf

from pmdriver import host, nvidia
from pmdriver.framework import device_named, device_row

#: Variables that change how fast a device is, or its results.
CHANGING = (
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_TF32_OVERRIDE",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
)

#: The flag that makes TensorFlow offer XLA's device on the host; the table of targets sets it.
XLA_FLAG = "--tf_xla_enable_xla_devices"


class Device:
    """A device of TensorFlow.

    Attributes
    ----------
    name
        As in a target.
    kind
        TensorFlow's type of device: ``"GPU"``.
    is_host
        As in `pmdriver.framework.Framework`.
    returns_early
        A call may return before its work is done.
    index
        Which of the devices of its kind.
    """

    name = kind = ""
    is_host = False
    returns_early = True
    index = 0

    def __init__(self) -> None:
        self._held = 0  # bytes that were allocated when the counters were cleared

    def target(self) -> str:
        """Return how a target names the device: ``cuda``, ``cuda:1``."""
        return f"{self.name}:{self.index}" if self.index else self.name

    def handle(self) -> str:
        """Return the text to which `device` is bound in a case: ``/device:GPU:0``."""
        return f"/device:{self.kind}:{self.index}"

    def holds(self, array: Any) -> bool:
        """Return whether a tensor is on this device."""
        return str(array.device).endswith(self.handle())

    def holds_any(self, array: Any) -> bool:
        """Return whether a tensor is on a device of this kind."""
        return self.runs(str(array.device))

    def runs(self, name: str) -> bool:
        """Return whether `name`, TensorFlow's name of a device, is a device of this kind."""
        return f"device:{self.kind}:" in name

    def why_not(self) -> str:
        """Say in one line why the device cannot be measured here; an empty text if it can."""
        found = self.count()
        if self.index < found:
            return ""
        if not found:
            return f"TensorFlow finds no {self.kind}"
        return (
            f"device {self.target()} does not exist "
            f"(number of {self.name} devices: {found}): use a lower index"
        )

    def count(self) -> int:
        """Count the devices of this kind."""
        return len(tf.config.list_physical_devices(self.kind))

    def prepare(self, threads: int, devices: int = 1) -> None:
        """Configure TensorFlow before its devices start: they start with the first operation.

        Parameters
        ----------
        threads
            The number of threads that compute on the host; 0 for TensorFlow's default.
        devices
            The number of devices that the host gets; other kinds ignore it.
        """
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        if devices > 1 and self.kind == "CPU":
            host_devices = [tf.config.LogicalDeviceConfiguration() for _ in range(devices)]
            tf.config.set_logical_device_configuration(
                tf.config.list_physical_devices("CPU")[0], host_devices
            )
        if self.kind != "GPU":
            tf.config.set_visible_devices([], "GPU")
        for gpu in tf.config.get_visible_devices("GPU"):
            tf.config.experimental.set_memory_growth(gpu, True)

    def wait(self) -> Callable[[], None] | None:
        """Return a function that waits until the device has finished all work; None if unneeded."""
        return tf.test.experimental.sync_devices if self.returns_early else None

    def device_name(self) -> str:
        """Return TensorFlow's name of the hardware."""
        device = tf.config.list_physical_devices(self.kind)[self.index]
        return str(tf.config.experimental.get_device_details(device).get("device_name", self.kind))

    def driver_version(self) -> str:
        """Return the version of the device's driver; an empty text if it has none."""
        return ""

    def fast_modes(self) -> list[str]:
        """Name the active numeric modes that are faster but less exact."""
        return []

    def clear_counters(self) -> None:
        """Do nothing: there are no counters to reset."""

    def peak_memory(self) -> int | None:
        """Return None: TensorFlow does not report it."""
        return None

    def others(self, gpus: list[nvidia.Gpu]) -> dict[str, Any]:
        """Describe how other processes used the device when the driver started and saw `gpus`."""
        return {}

    def environment(self) -> dict[str, str]:
        """Return the variables that are set and change how fast the device is, or its results."""
        return {name: os.environ[name] for name in CHANGING if name in os.environ}


class Cpu(Device):
    """The host's processor: the reference of every other device."""

    name, kind = "cpu", "CPU"
    is_host = True
    returns_early = False

    def device_name(self) -> str:
        """Return the processor's name."""
        return host.processor_name()


class Gpu(Device):
    """A GPU of the vendor that TensorFlow was built for."""

    kind = "GPU"

    def fast_modes(self) -> list[str]:
        """Name TF32 if it is on; TensorFlow turns it on by default."""
        return ["tf32"] * tf.config.experimental.tensor_float_32_execution_enabled()

    def clear_counters(self) -> None:
        """Reset the peak of memory, and note the bytes that are allocated now."""
        tf.config.experimental.reset_memory_stats(self.handle()[len("/device:") :])
        self._held = self._memory("current")

    def peak_memory(self) -> int | None:
        """Return the peak bytes since `clear_counters` minus those in use then."""
        return max(self._memory("peak") - self._held, 0)

    def _memory(self, key: str) -> int:
        name = self.handle()[len("/device:") :]
        return int(tf.config.experimental.get_memory_info(name)[key])


class Cuda(Gpu):
    """NVIDIA's GPUs."""

    name = "cuda"

    def why_not(self) -> str:
        """Distinguish a build without CUDA from a machine without a GPU."""
        return (
            super().why_not()
            if tf.test.is_built_with_cuda()
            else "this build of TensorFlow has no CUDA"
        )

    def driver_version(self) -> str:
        """Return the version of NVIDIA's kernel module."""
        return nvidia.driver_version()

    def others(self, gpus: list[nvidia.Gpu]) -> dict[str, Any]:
        """Describe the GPU if it is the only one: TensorFlow does not report its UUID."""
        gpu = nvidia.of_uuid(gpus, "")
        return gpu.described() if gpu else {}


class Rocm(Gpu):
    """AMD's GPUs."""

    name = "rocm"

    def why_not(self) -> str:
        """Distinguish a build without ROCm from a machine without a GPU."""
        return (
            super().why_not()
            if tf.test.is_built_with_rocm()
            else "this build of TensorFlow has no ROCm"
        )


class Tpu(Device):
    """Google's TPUs that are attached to this machine."""

    name, kind = "tpu", "TPU"


class Xla(Device):
    """XLA's own device, on the host: each operation is compiled, and none falls back.

    Its calls return when their work is done; the calibrated work of each run verifies this.
    """

    name, kind = "xla", "XLA_CPU"
    returns_early = False

    def why_not(self) -> str:
        """Say which flag makes TensorFlow offer the device, or that the index is too high."""
        if self.count():
            return super().why_not()
        return f"TensorFlow does not offer this device: set TF_XLA_FLAGS={XLA_FLAG}"

    def device_name(self) -> str:
        """Return ``XLA`` with the processor's name."""
        return f"XLA, {host.processor_name()}"


DEVICES: tuple[type[Device], ...] = (Cpu, Cuda, Rocm, Tpu, Xla)


def device_of(text: str) -> Device:
    """Return the device that a target names.

    Raises
    ------
    RuntimeError
        There is no such kind of device.
    """

    def otherwise(name: str) -> Device:
        raise RuntimeError(
            f"tensorflow has no device '{name}': portmeter devices lists the devices"
        )

    device: Device = device_named(text, DEVICES, otherwise)
    return device


def described(device: Device, variants: tuple[str, ...]) -> list[dict[str, Any]]:
    """Describe a device for ``portmeter devices``, alone and with each variant."""
    row = device_row(device, device.why_not)
    return [row, *({**row, "variant": variant} for variant in variants if row["measurable"])]


def all_rows(variants: tuple[str, ...]) -> list[dict[str, Any]]:
    """Describe all devices of each kind in `DEVICES`."""
    rows = []
    for cls in DEVICES:
        found = described(cls(), variants)
        rows += found
        if found[0]["measurable"]:
            for index in range(1, cls().count()):
                rows += described(device_of(f"{cls.name}:{index}"), variants)
    return rows
