"""Shared parts of the drivers' tests: a channel, jobs, and a framework of plain Python."""

from __future__ import annotations

import importlib
import importlib.util
import os
import struct
import sys
import tempfile
import unittest
from collections.abc import Sequence
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../drivers"))

from pmdriver import framework, frameworks
from pmdriver.census import items, signatures
from pmdriver.digest import digest

#: The rule of warm timings: one call of warm-up, then 7 timings of one call each.
WARM = {
    "timings": 7,
    "enough": 7,
    "least": 2,
    "warmup_ns": 1,
    "work_ns": 1,
    "budget_ns": 10**9,
    "long_ns": 10**10,
}

FORMATS = {"float32": "f", "float64": "d", "int64": "q", "uint8": "B", "bool": "?"}


def setting(**changes: Any) -> dict[str, Any]:
    """Return a child's setting: the device cpu, clocks off, and these changes."""
    return {
        "device": "cpu",
        "variant": "",
        "environment": {},
        "threads": 1,
        "clocks": False,
        "paper": False,
        "warm": dict(WARM),
        "seed": 7,
        "reference": False,
        **changes,
    }


class Channel:
    """A supervisor that notes stages and answers with values that depend only on the name."""

    def __init__(self, scratch: str = "") -> None:
        self.scratch = scratch or tempfile.gettempdir()
        self.stages: list[str] = []
        self.asked: list[dict[str, Any]] = []

    def stage(self, name: str) -> None:
        """Note a stage."""
        self.stages.append(name)

    def ask(self, arrays: list[dict[str, Any]]) -> list[tuple[dict[str, Any], memoryview]]:
        """Answer with values within the scale."""
        self.asked += arrays
        return [(spec, memoryview(bytearray(self._values(spec)))) for spec in arrays]

    @staticmethod
    def _values(spec: dict[str, Any]) -> bytes:
        count = 1
        for size in spec["shape"]:
            count *= size
        first = sum(spec["name"].encode())
        values = [spec["scale"] * ((first + i) % 17 - 8) / 9 for i in range(count)]
        return struct.pack(f"<{count}{FORMATS[spec['dtype']]}", *values)


def packed(dtype: str, values: Sequence[Any]) -> bytes:
    """Return values of a dtype as bytes."""
    return struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)


def unpacked(dtype: str, data: bytes) -> list[Any]:
    """Return the values of a dtype that these bytes contain."""
    size = struct.calcsize(FORMATS[dtype])
    return list(struct.unpack(f"<{len(data) // size}{FORMATS[dtype]}", data))


def job(call: str, inputs: dict[str, Any] | None = None, **keys: Any) -> tuple[dict, memoryview]:
    """Return a job and its body.

    `inputs` maps a name to (dtype, shape, values) or (dtype, shape, values, "host"), or to a list
    or any other JSON value, which is then a literal. `series` is a list of such mappings.
    """
    body = bytearray()
    made = {
        "execution": 3,
        "function": "f",
        "case": "c",
        "call": call,
        "output": "out",
        "repeat": "pure",
        "compare": "close",
    }
    if "series" in keys:
        made["series"] = [_specs(each, body) for each in keys.pop("series")]
    else:
        made["inputs"] = _specs(inputs or {}, body)
    return {**made, **keys}, memoryview(body)


def _specs(inputs: dict[str, Any], body: bytearray) -> list[dict[str, Any]]:
    specs = []
    for name, given in inputs.items():
        if not isinstance(given, tuple):
            specs.append({"name": name, "literal": given})
            continue
        dtype, shape, values = given[:3]
        data = values if isinstance(values, bytes) else packed(dtype, values)
        specs.append({
            "name": name,
            "dtype": dtype,
            "shape": list(shape),
            "host": given[3:] == ("host",),
            "offset": len(body),
            "bytes": len(data),
            "digest": digest(dtype, shape, data),
        })  # fmt: skip
        body += data
    return specs


def parts(header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the outputs of a result without the containers around them."""
    return [leaf for leaf in header["outputs"] if "container" not in leaf]


class Array:
    """An array of the framework below: a list of numbers on a device."""

    def __init__(self, dtype: str, shape: Sequence[int], values: list, device: str) -> None:
        self.dtype, self.shape, self.values, self.device = dtype, tuple(shape), values, device

    def __add__(self, other: float) -> Array:
        return Array(self.dtype, self.shape, [v + other for v in self.values], self.device)

    def add_(self, other: float) -> Array:
        """Add a number in place; return this array."""
        self.values = [v + other for v in self.values]
        return self

    def host(self) -> Array:
        """Return a copy on the host."""
        return Array(self.dtype, self.shape, list(self.values), "host")


class Lists(framework.Framework):
    """A framework of plain Python with a device beside the host.

    Attributes
    ----------
    log
        What was called, in order.
    ops
        What `read_counters` will answer: a case appends to it through its name ``ops``.
    """

    name = "lists"
    is_host = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__()
        self.log: list[str] = []
        self.ops: list[str] = []
        self.reads = 0
        self.spoil = False  # whether the device changes values that are placed on it
        self.as_dtype = ""  # the dtype of all arrays that are placed on the device; "": their own
        self.kept: dict[str, Any] = {}
        for name, value in attributes.items():
            setattr(self, name, value)

    def import_all(self) -> dict[str, Any]:
        """Import nothing."""
        return {"version": "1", "versions": {}}

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Note the setting."""
        self.setting = setting
        return {"device": "lists", "driver_version": "", "numeric": {}, "threads": 1}

    def devices(self) -> list[dict[str, Any]]:
        """Return no device."""
        return []

    def names(self) -> dict[str, Any]:
        """Return the names of a case: the framework, its operations, its store and the device."""
        return {"lists": self, "ops": self.ops, "kept": self.kept, "device": "device"}

    def seed(self, number: int) -> None:
        """Log that a seed was set."""
        self.log.append("seed")

    def unmet(self, requirement: str) -> str | None:
        """Report that there is no GPU."""
        return "requires gpu" if requirement == "gpu" else super().unmet(requirement)

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Array:
        """Return an array on the host with these values, and log this."""
        self.log.append("make")
        return Array(dtype, shape, unpacked(dtype, bytes(data)), "host")

    def place(self, array: Array) -> Array:
        """Return a copy on the device."""
        values = [v + 1 for v in array.values] if self.spoil else list(array.values)
        return Array(self.as_dtype or array.dtype, array.shape, values, "device")

    def read(self, array: Array) -> framework.Buffer:
        """Return the values of an array as bytes, and log this."""
        self.log.append("read")
        return framework.Buffer(array.dtype, array.shape, packed(array.dtype, array.values))

    def extent(self, array: Array) -> tuple[int, int]:
        """Return the numbers of dimensions and of bytes."""
        return len(array.shape), len(packed(array.dtype, array.values))

    def is_array(self, value: Any) -> bool:
        """Return whether a value is an `Array`."""
        return isinstance(value, Array)

    def where(self, array: Array) -> tuple[str, bool]:
        """Return the array's device, and whether this is not the host."""
        return array.device, array.device == "device"

    def clear_counters(self) -> None:
        """Forget the operations and the reads."""
        self.log.append("clear")
        self.ops.clear()
        self.reads = 0

    def read_counters(self) -> framework.Counters:
        """Return the operations and the number of reads."""
        self.log.append("counters")
        return framework.Counters(list(self.ops), self.reads)


class Gradients(Lists):
    """A `Lists` that can differentiate, and logs each differentiation."""

    def differentiable(self, array: Array) -> bool:
        """Return that every array can be differentiated."""
        return True

    def cotangent(self, path: str, array: Array) -> framework.Wanted:
        """Ask for a cotangent of the same shape."""
        return framework.Wanted(f"cotangent.{path}", array.dtype, array.shape, 1.0)

    def gradients(self, outputs: list, sources: list, cotangents: list) -> list:
        """Log the call, and return the cotangents as gradients."""
        self.log.append("gradients")
        return list(cotangents)


def needed(header: dict) -> list[str]:
    """Return what the setup and the call of a case need, from the header of a result."""
    return sorted({word for words in header["needs"].values() for word in words})


def kit_of(name: str) -> Any:
    """Return the kit of a framework; skip the test if the interpreter does not have it."""
    if importlib.util.find_spec({"pytorch": "torch"}.get(name, name)) is None:
        raise unittest.SkipTest(f"no {name}")
    measured = frameworks.framework(name)
    measured.import_all()
    kit = importlib.import_module(f"pmdriver.census.{name}").KIT(measured)
    kit.start()
    return kit


def item_of(name: str, kind: str, value: Any) -> Any:
    """Return a public name for which a census makes cases."""
    docs = value.__doc__ or ""
    found = signatures.all_of(value, name.rpartition(".")[2], docs, [])
    return items.Item(name, kind, value, "", docs, found, ())
