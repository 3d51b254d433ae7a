"""The driver of NumPy and SciPy: the oracle, and the shortest example of a framework.

As the oracle (``setting.oracle``) it evaluates a case's `expect` in the place of its call, floating
inputs as float64 and complex ones as complex128, so that it tells when the control itself is wrong.
Otherwise it runs cases as any framework does.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pmdriver import host
from pmdriver.framework import Buffer, Framework
from pmdriver.leaves import NOT_PLAIN

SCIPY_MODULES = ("scipy", "scipy.special", "scipy.linalg", "scipy.fft", "scipy.ndimage")

_NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


class BFloat16Bits(np.ndarray):
    """The bits of bfloat16 numbers, which NumPy does not have; uint16."""


def decode_bfloat16(bits: Any) -> Any:
    """Widen bfloat16 to float32: it is the upper half of one."""
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32)


def widen(array: Any) -> Any:
    """Give floating arrays as float64, complex ones as complex128, others as they are."""
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


class NumPy(Framework):
    """NumPy on the host."""

    name = "numpy"

    def import_all(self) -> dict[str, Any]:
        """Import NumPy and, where it is there, SciPy."""
        self._scipy = None
        versions = {"numpy": np.__version__}
        if importlib.util.find_spec("scipy"):
            self._scipy = [importlib.import_module(name) for name in SCIPY_MODULES][0]
            versions["scipy"] = self._scipy.__version__
        return {"version": np.__version__, "versions": versions}

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Compute one sum; warnings about NaN and overflow would be noise."""
        begin = time.perf_counter_ns()
        self.setting = setting
        np.seterr(all="ignore")
        np.ones(8).sum()
        return {
            "startup_ns": time.perf_counter_ns() - begin,
            "device": host.processor_name(),
            "driver_version": "",
            "numeric": {},
            "threads": int(setting.get("threads") or 0),
        }

    def devices(self) -> list[dict[str, Any]]:
        """List the one device."""
        row = {"device": "cpu", "mode": "", "name": host.processor_name(), "driver_version": ""}
        return [{**row, "measurable": True, "why_not": ""}]

    def texts(self, job: dict[str, Any]) -> dict[str, Any]:
        """Put `expect` in the place of `call` for the oracle, without what needs the framework."""
        if not self.setting.get("oracle"):
            return job
        return {
            **job,
            "call": job.get("expect") or "None",
            "requires": ["expect"] if not job.get("expect") else [],
            "setup": None,
            "modules": [],
            "output": "out",
            "check": None,
            "repeat": "once",
            "backward": False,
            "host_only": False,
        }

    def unmet(self, requirement: str) -> str | None:
        """Know ``expect``, of the oracle's own, and that there is no device but the host."""
        return "the case has no expect" if requirement == "expect" else f"requires {requirement}"

    def names(self) -> dict[str, Any]:
        """Give ``np``, ``numpy`` and ``scipy``."""
        control = bool(self.setting.get("control"))
        return {"np": np, "numpy": np, "scipy": self._scipy, "device": "cpu", "control": control}

    def seed(self, number: int) -> None:
        """Seed NumPy's global generator."""
        np.random.seed(number % 2**32)

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make an array; bfloat16 as its bits until `prepare`."""
        if dtype == "bfloat16":
            return np.frombuffer(data, np.uint16).reshape(shape).copy().view(BFloat16Bits)
        return np.frombuffer(data, dtype).reshape(shape).copy()

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Decode bfloat16; widen for the oracle."""
        if isinstance(array, BFloat16Bits):
            array = decode_bfloat16(array)
        return widen(array) if self.setting.get("oracle") else array

    def read(self, array: Any) -> Buffer:
        """Copy the elements in C order."""
        dtype = "bfloat16" if isinstance(array, BFloat16Bits) else array.dtype.name
        return Buffer(dtype, tuple(array.shape), array.tobytes())

    def is_array(self, value: Any) -> bool:
        """Tell arrays and NumPy's scalars of a dtype that has bytes."""
        return isinstance(value, (np.ndarray, np.generic)) and value.dtype.name in _NAMES

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open named tuples by index, as a framework's own structures of results are."""
        if isinstance(value, tuple):
            return [(f"[{i}]", item) for i, item in enumerate(value)]
        return None

    def plain(self, value: Any) -> Any:
        """Write dtypes by name."""
        return str(value) if isinstance(value, np.dtype) else NOT_PLAIN


def framework() -> NumPy:
    """Give the driver of NumPy."""
    return NumPy()
