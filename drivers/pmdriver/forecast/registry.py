"""Class `Registry`, which predicts failures; each framework has a subclass."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

from pmdriver.framework import Framework


class Lack(NamedTuple):
    """Why an operation cannot run on a device.

    Attributes
    ----------
    cause
        One of `CAUSES`, or `DOUBT`.
    what
        The operation, and what it lacks.
    """

    cause: str
    what: str


#: Causes of a predicted failure.
KERNEL, DTYPE, VALUE, DEVICES, LOWERING = "kernel", "dtype", "value", "devices", "lowering"
CAUSES = (KERNEL, DTYPE, VALUE, DEVICES, LOWERING)
#: The cause of what may be lacking, which predicts nothing. `what` is then a whole sentence.
DOUBT = "doubt"

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
        """Prepare the registry in a child, after the framework was started."""

    def unknown(self, device: str) -> str:
        """Say why nothing can be predicted for a device; an empty text if something can."""
        raise NotImplementedError

    def passes(self, devices: list[str]) -> list[list[str]]:
        """Group the devices: each group needs one execution of the case on the host."""
        return [devices]

    def begin(self, devices: list[str]) -> None:
        """Forget the previous case; the next case is executed for these devices."""

    def record(self, stage: str) -> contextlib.AbstractContextManager[None]:
        """Return a context that records the operations executed in a stage."""
        raise NotImplementedError

    def operations(self, stage: str) -> int:
        """Count the operations that were recorded in a stage."""
        raise NotImplementedError

    def lacks(self, stage: str, device: str) -> list[Lack]:
        """Return what a device lacks for the operations of a stage, without duplicates."""
        raise NotImplementedError

    def refusal(self, error: Exception, device: str) -> Lack | None:
        """Return what a device lacks if an exception shows it; None for any other exception."""
        return None

    def is_of_host(self, array: Any) -> bool:
        """Return whether an array of an output is on the host for every device."""
        return False

    def place(self, array: Any) -> Any:
        """Note that an array of the host represents one on the device; return the array to use."""
        return array
