"""The null framework, which computes nothing and fails on request.

With it, everything around a framework can be tested without a real one. The `call` of a case (and
its `setup`) is not Python but one command, ``name`` or ``name(argument, ...)``: a method of
`commands.Commands`. The command becomes the Python text of a case, which is then executed as with
any framework. The output of a case is its inputs, unless its command changes them.

The variable ``PORTMETER_NULL`` makes the driver itself misbehave: see `Null.import_all`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

from pmdriver import host
from pmdriver.failure import message_of
from pmdriver.framework import Buffer, Counters, Framework
from pmdriver.null import commands
from pmdriver.null.commands import Array, Commands
from pmdriver.process import child


class Null(Framework):
    """The framework; its devices are ``null`` and ``host``, which is the reference of ``null``.

    Attributes
    ----------
    commands
        The commands of the job that runs.
    """

    name = "null"

    def __init__(self) -> None:
        super().__init__()
        self.commands = Commands({}, None, honest=False)
        self._fast = False  # whether the device rounds
        self._several = False  # whether there are two devices

    def import_all(self) -> dict[str, Any]:
        """Import nothing; misbehave if `PORTMETER_NULL` says so.

        It can fail (``import``), hang (``hang``), give children a wrong token (``token``), make
        each command `slow` take at least 50 ms (``busy``), compute in a numeric mode that is fast
        and rounds (``fast``), or claim two devices (``several``).
        """
        wish = os.environ.get("PORTMETER_NULL", "")
        if wish == "import":
            raise ImportError("the null framework was asked to fail")
        if wish == "hang":
            commands.hang()
        if wish == "busy":
            commands.least_ms = 50.0
        if wish == "token":
            honest = child.hello
            child.hello = lambda token, started: honest("0" * len(token), started)
        self._fast = wish == "fast"
        self._several = wish == "several"
        version = host.python_version()
        return {"version": version, "versions": {"python": version}}

    def make_exact(self, setting: dict[str, Any]) -> None:
        """Stop rounding, as the device does in its fast mode."""
        self._fast = False

    def fast_modes(self) -> list[str]:
        """Return the mode that rounds, if it is on; the host has none."""
        return ["rounding"] if self._fast and self.setting["device"] != "host" else []

    def start(self, setting: dict[str, Any]) -> dict[str, Any]:
        """Start nothing; execute the command that `setting["start"]` names, if any."""
        self.setting = setting
        self.count = lambda: commands.tally["compilations"]
        self.before_running = lambda: dict(commands.spent)
        error = commands.execute(self.commands, setting.get("start") or "ok")
        if isinstance(error, Exception):
            raise error
        return {
            "device": "null",
            "driver_version": "",
            "numeric": {},
            "threads": setting.get("threads") or 1,
        }

    def devices(self) -> list[dict[str, Any]]:
        """List one or two null devices, and the host, which is their reference."""
        row = {"variant": "", "driver_version": "", "measurable": True, "why_not": ""}
        names = ["null", *["null:1"] * self._several, "host"]
        return [{"device": name, "name": name, **row} for name in names]

    # -------------------------------------------------------------------- job

    def begin_job(self, job: dict[str, Any], channel: Any) -> None:
        """Make the job's commands; some of them misbehave on the channel."""
        self.commands = Commands(job, channel, honest=bool(self.setting.get("reference")))
        self.commands.rounds = bool(self.fast_modes())

    def texts(self, job: dict[str, Any]) -> dict[str, Any]:
        """Write the commands as Python; omit the second call, which would repeat their effects."""
        specs = job.get("inputs") or (job.get("series") or [[]])[0]
        setup = job.get("setup")
        return {
            **job,
            "setup": commands.python(setup, []) if setup else None,
            "call": commands.python(job["call"], [spec["name"] for spec in specs]),
            "purity": False,
        }

    def names(self) -> dict[str, Any]:
        """Return ``null``, which executes a command."""
        return {"null": functools.partial(commands.execute, self.commands)}

    def route(self, function: str) -> list[Any]:
        """Return the command with this name, or else the function that executes commands."""
        command = getattr(Commands, function.rpartition(".")[2], None)
        return [Commands, command] if command else [commands.execute]

    # ----------------------------------------------------------------- arrays

    def make(self, dtype: str, shape: Sequence[int], data: memoryview) -> Array:
        """Copy the bytes; invert them if the device destroys values."""
        kept = bytes(byte ^ 0xFF for byte in data) if self.commands.destroys else bytes(data)
        return Array(dtype, tuple(shape), kept)

    def read(self, array: Array) -> Buffer:
        """Return the bytes, which never change."""
        return Buffer(array.dtype, array.shape, array.data)

    def extent(self, array: Array) -> tuple[int, int]:
        """Count the dimensions and the bytes."""
        return len(array.shape), len(array.data)

    def is_array(self, value: Any) -> bool:
        """Return whether a value is an array of the null framework."""
        return isinstance(value, Array)

    def where(self, array: Array) -> tuple[str, bool]:
        """Name the device that the array claims to be on."""
        return (self.setting["device"], True) if array.on_device else ("host", False)

    # --------------------------------------------------------------- evidence

    def clear_counters(self) -> None:
        """Forget the operations claimed to have run on the host."""
        self.commands.on_host, self.commands.on_constants = [], []

    def read_counters(self) -> Counters:
        """Report the operations claimed to have run on the host."""
        return Counters(self.commands.on_host, 0, self.commands.on_constants)

    def memory_kind(self, error: BaseException) -> str | None:
        """Return ``device`` for the null device's own message."""
        return (
            "device" if message_of(error) == commands.OUT_OF_MEMORY else super().memory_kind(error)
        )

    def poisoned(self) -> bool:
        """Return whether the context is lost."""
        return self.commands.lost


FRAMEWORK = Null
