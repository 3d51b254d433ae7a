"""NumPy and SciPy: the oracle, and the shortest example of a framework.

As the oracle (``setting.oracle``), NumPy evaluates a case's `expect` instead of its call, with
floating-point inputs as float64 and complex ones as complex128, to detect a wrong reference.
Otherwise it runs cases like any framework.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from pmdriver import host
from pmdriver.framework import Buffer, Framework

SCIPY_MODULES = ("scipy", "scipy.special", "scipy.linalg", "scipy.fft", "scipy.ndimage")

_NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


class BFloat16Bits(np.ndarray):
    """The bits of bfloat16 numbers, as uint16: NumPy has no such dtype."""


def decode_bfloat16(bits: Any) -> Any:
    """Return bfloat16 numbers as float32: a bfloat16 is the upper half of a float32.

    Parameters
    ----------
    bits
        uint16, of any shape.
    """
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)


def widen(array: Any) -> Any:
    """Return floating-point arrays as float64, complex ones as complex128, others unchanged."""
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


class NumPy(Framework):
    """NumPy on the host."""

    name = "numpy"

    def import_all(self) -> dict[str, Any]:
        """Import NumPy and, if it is installed, SciPy."""
        self._scipy = None
        versions = {"numpy": np.__version__}
        if importlib.util.find_spec("scipy"):
            self._scipy = [importlib.import_module(name) for name in SCIPY_MODULES][0]
            versions["scipy"] = self._scipy.__version__
        return {"version": np.__version__, "versions": versions}

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Compute one sum; turn off warnings about NaN and overflow, which cases may produce."""
        self.setting = setting
        np.seterr(all="ignore")
        np.ones(8).sum()
        return {
            "device": host.processor_name(),
            "driver_version": "",
            "numeric": {},
            "threads": int(setting.get("threads") or 0),
        }

    def devices(self) -> list[dict[str, Any]]:
        """List the one device."""
        row = {"device": "cpu", "variant": "", "name": host.processor_name(), "driver_version": ""}
        return [{**row, "measurable": True, "why_not": ""}]

    def texts(self, job: dict[str, Any]) -> dict[str, Any]:
        """Replace `call` with `expect` for the oracle; drop what needs the case's own framework."""
        if not self.setting.get("oracle"):
            return job
        return {
            **job,
            "call": job.get("expect") or "None",
            "requires": ["expect"] if not job.get("expect") else [],
            "context": None,
            "setup": None,
            "arguments": [],
            "modules": [],
            "process": {},
            "output": "out",
            "check": None,
            "repeat": "once",
            "backward": False,
            "host_only": False,
        }

    def unmet(self, requirement: str) -> str | None:
        """Say that the host is the only device, or that there is no `expect` to evaluate."""
        return "the case has no expect" if requirement == "expect" else f"requires {requirement}"

    def names(self) -> dict[str, Any]:
        """Return ``np``, ``numpy``, ``scipy`` (or None), ``device`` and ``on_reference``."""
        return {
            "np": np,
            "numpy": np,
            "scipy": self._scipy,
            "device": "cpu",
            "on_reference": bool(self.setting.get("reference")),
        }

    def seed(self, number: int) -> None:
        """Seed NumPy's global generator."""
        np.random.seed(number % 2**32)

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Any:
        """Make an array; one of bfloat16 stays bits until `prepare`."""
        if dtype == "bfloat16":
            return np.frombuffer(data, np.uint16).reshape(shape).copy().view(BFloat16Bits)
        return np.frombuffer(data, dtype).reshape(shape).copy()

    def prepare(self, array: Any, differentiate: bool) -> Any:
        """Decode bfloat16; widen everything for the oracle."""
        if isinstance(array, BFloat16Bits):
            array = decode_bfloat16(array)
        return widen(array) if self.setting.get("oracle") else array

    def key(self, number: int) -> int:
        """Return the number of the key itself, for `expect`."""
        return number

    def read(self, array: Any) -> Buffer:
        """Copy the elements in C order."""
        dtype = "bfloat16" if isinstance(array, BFloat16Bits) else array.dtype.name
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        return Buffer(dtype, tuple(array.shape), little.tobytes())

    def extent(self, array: Any) -> tuple[int, int]:
        """Return the dimensions and bytes that the array itself reports."""
        return array.ndim, array.nbytes

    def is_array(self, value: Any) -> bool:
        """Detect arrays and NumPy's scalars of a dtype that can be compared; no masked arrays."""
        plain = type(value) in (np.ndarray, BFloat16Bits) or isinstance(value, np.generic)
        return plain and value.dtype.name in _NAMES

    def children(self, value: Any) -> list[tuple[str, Any]] | None:
        """Open named tuples by index, as frameworks open the structures that they return."""
        if isinstance(value, tuple):
            return [(f"[{i}]", item) for i, item in enumerate(value)]
        return None


FRAMEWORK = NumPy
