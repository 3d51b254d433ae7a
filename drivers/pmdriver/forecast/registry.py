"""What foretells for one framework: class `Registry`, one subclass for each framework."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

from pmdriver.framework import Framework


class Lack(NamedTuple):
    """Why an operation cannot run on a device.

    Attributes
    ----------
    cause
        One of `CAUSES`.
    what
        The operation, and what it lacks.
    """

    cause: str
    what: str


#: Causes of a foretold failure.
KERNEL, DTYPE, VALUE, DEVICES, LOWERING = "kernel", "dtype", "value", "devices", "lowering"
CAUSES = (KERNEL, DTYPE, VALUE, DEVICES, LOWERING)

#: Stages of a case.
SETUP, CALL = "setup", "call"


class Registry:
    """Records the operations of calls on the host, and looks them up for other devices.

    Parameters
    ----------
    framework
        How the framework is measured.
    """

    def __init__(self, framework: Framework) -> None:
        self.framework = framework

    def start(self) -> None:
        """Prepare in a child, after the framework was started."""

    def unknown(self, device: str) -> str:
        """Say why nothing can be foretold for a device; an empty text if something can."""
        raise NotImplementedError

    def passes(self, devices: list[str]) -> list[list[str]]:
        """Return for which devices one execution on the host is enough."""
        return [devices]

    def begin(self, devices: list[str]) -> None:
        """Forget the case before; the next one is executed for these devices."""

    def record(self, stage: str) -> contextlib.AbstractContextManager[None]:
        """Record what is executed in a stage."""
        raise NotImplementedError

    def operations(self, stage: str) -> int:
        """Count the operations that were recorded in a stage."""
        raise NotImplementedError

    def lacks(self, stage: str, device: str) -> list[Lack]:
        """Return what a device lacks for a stage, each once."""
        raise NotImplementedError

    def refusal(self, error: Exception, device: str) -> Lack | None:
        """Return what a device lacks if an exception is the answer; None if it is another one."""
        return None

    def is_of_host(self, array: Any) -> bool:
        """Return whether an array of an output is on the host whatever device is measured."""
        return False

    def place(self, array: Any) -> Any:
        """Note that an array of the host stands for one on the device."""
        return array
