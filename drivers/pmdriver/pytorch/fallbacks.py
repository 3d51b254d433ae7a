"""Detects which operations of a call compute on the host instead of the device.

A back end that lacks an operation copies its arguments to the host, lets the host compute, and
copies the result back. In C++, `cpu_fallback` does this: it calls ``aten::_to_cpu`` within the
operation. In Python, there is no fixed way. PyTorch's execution trace shows both: it has the nested
operations of a call, with the storages and the devices of their inputs and outputs.

Data are the tensors that were on the device before the call, random numbers, and everything derived
from these. In a call without data, the constants from which it makes its values count as data.

A kernel of the back end that itself computes on the host is not detected.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

_PROFILER = getattr(torch._C, "_profiler", None)

#: Operations that copy values, allocate memory or view it in another shape: they compute nothing.
CARRIERS = (
    "to", "_to_copy", "_to_cpu", "copy_", "_copy_from", "_copy_from_and_resize", "clone", "cpu",
    "contiguous", "detach", "detach_", "alias", "empty", "empty_like", "empty_strided", "resize_",
    "set_", "lift", "lift_fresh", "item", "_local_scalar_dense", "resolve_conj", "resolve_neg",
    "view", "as_strided", "_reshape_alias", "_unsafe_view", "reshape", "flatten", "expand", "t",
    "transpose", "permute", "select", "slice", "narrow", "squeeze", "unsqueeze", "unbind", "split",
)  # fmt: skip
_SENDS = "aten::_to_cpu"
_RANDOM = re.compile(
    r"aten::(rand|normal|uniform|bernoulli|exponential|cauchy|geometric|log_normal)"
)
_PARTS_OF_TENSOR = 6


class Tensor(NamedTuple):
    """A tensor in a trace: the number of its storage, and the device of the storage."""

    storage: int
    device: str


class Watch:
    """The operations of the calls that were watched.

    Attributes
    ----------
    moved
        The names of the operations on data that the host executed.
    on_constants
        The names of the operations on shapes and constants that the host executed.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.forget()

    def forget(self) -> None:
        """Forget the operations found so far."""
        self.moved: list[str] = []
        self.on_constants: list[str] = []

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Trace the operations that this process executes while the block runs.

        Gradients are computed in this thread: the tracer of PyTorch 2.13 crashes the process when a
        thread of autograd ends an operation that began before tracing.
        """
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            with _silent():
                _PROFILER._add_execution_trace_observer(file.name)
                _PROFILER._enable_execution_trace_observer()
            try:
                with torch.autograd.set_multithreading_enabled(False):
                    yield
            finally:
                with _silent():
                    _PROFILER._disable_execution_trace_observer()
                    _PROFILER._remove_execution_trace_observer()
            moved, on_constants = on_host(json.load(file)["nodes"], self._kind)
            self.moved += moved
            self.on_constants += on_constants


def can_watch() -> bool:
    """Return whether this version of PyTorch traces executions: 2.0 and newer do."""
    return hasattr(_PROFILER, "_add_execution_trace_observer")


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Drop the messages that the tracer writes to standard error."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def on_host(nodes: list[dict[str, Any]], kind: str) -> tuple[list[str], list[str]]:
    """Find the operations on the host in a trace.

    Parameters
    ----------
    nodes
        The nodes of the trace, in the order in which they ended.
    kind
        The type of the device.

    Returns
    -------
    (list of str, list of str)
        The names of the operations on data, and those of the other operations.
    """
    found = _Found(kind)
    for node in nodes:
        found.note(node)
    return found.names()


class _Found:
    """What is known about the storages after some nodes, and what the host has executed."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._known: set[int] = set()
        self._data: set[int] = set()
        self._here: set[int] = set()  # storages on the device
        self._copies: set[int] = set()  # storages on the host that are copies of the device's
        self._sending: set[int] = set()  # nodes that sent their arguments to the host
        self._executed: dict[int, tuple[str, int, bool]] = {}  # name, parent and whether on data

    def note(self, node: dict[str, Any]) -> None:
        """Note a node that has ended."""
        name, parent = str(node["name"]), int(node["ctrl_deps"])
        if not name.startswith("aten::"):
            return
        inputs = list(_tensors(node["inputs"]["values"]))
        outputs = list(_tensors(node["outputs"]["values"]))
        given = {tensor.storage for tensor in inputs}
        self._forget({tensor.storage for tensor in outputs} - given)
        here = {t.storage for t in (*inputs, *outputs) if t.device.startswith(self._kind)}
        self._here |= here
        self._data |= {t.storage for t in inputs if t.storage in here - self._known}
        on_data = bool(given & self._data) or _RANDOM.match(name) is not None
        self._known |= given | {tensor.storage for tensor in outputs}
        if on_data:
            self._data |= {tensor.storage for tensor in outputs}
        carries = name.removeprefix("aten::") in CARRIERS
        if name == _SENDS:
            self._sending.add(parent)
        from_device = any(tensor.device.startswith(self._kind) for tensor in inputs)
        # A back end may compute in the host's memory: storages that it uses there count as its own.
        elsewhere = not any(tensor.storage in self._here for tensor in (*inputs, *outputs))
        copied = elsewhere and any(t.storage in self._copies and t.device == "cpu" for t in inputs)
        if node["id"] in self._sending or (copied and not carries):
            self._executed[node["id"]] = (name, parent, on_data)
        if copied or (carries and from_device):
            self._copies |= {tensor.storage for tensor in outputs if tensor.device == "cpu"}

    def _forget(self, made: set[int]) -> None:
        """Forget what is known about new storages: their numbers are addresses, and are reused."""
        self._data -= made
        self._here -= made
        self._copies -= made

    def names(self) -> tuple[list[str], list[str]]:
        """Name the operations that the host executed, without operations nested in them."""
        whole = [each for each in self._executed.values() if each[1] not in self._executed]
        moved = [name for name, _, on_data in whole if on_data or not self._data]
        on_constants = [name for name, _, on_data in whole if not on_data and self._data]
        return list(dict.fromkeys(moved)), list(dict.fromkeys(on_constants))


def _tensors(values: Any) -> Iterator[Tensor]:
    """Find the tensors in the values of a node, which are nested lists."""
    if not isinstance(values, list):
        return
    types = [type(value) for value in values]
    if types == [*[int] * (_PARTS_OF_TENSOR - 1), str]:
        yield Tensor(values[1], values[-1])
        return
    for value in values:
        yield from _tensors(value)
