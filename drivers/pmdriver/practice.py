"""What every child would be the first to do, done by its driver before the fork.

Python counts how often a function runs and then rewrites it for the types it saw; libraries look up
symbols and ask what processor this is when they are first used. A child that runs one case would do
all of it anew, on pages that it has to copy for it: with torch, a seventh of the time a case takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pmdriver import execution, wire
from pmdriver.digest import digest

if TYPE_CHECKING:
    from pmdriver.framework import Framework

_TIMES = 30  # Python 3.11 rewrites a function after 8 calls, a loop's parts some later
_SHAPE = (2, 2)
_DATA = bytes(4 * _SHAPE[0] * _SHAPE[1])


class _Silent:
    """The channel of a job that nobody listens to."""

    current = ""

    def stage(self, name: str) -> None:
        self.current = name


def _job() -> dict[str, Any]:
    """Give a job without a call: it uses what every child uses before a case's first call."""
    found = digest("float32", _SHAPE, _DATA)
    array = {"dtype": "float32", "shape": list(_SHAPE), "offset": 0, "bytes": len(_DATA)}
    inputs = [{"name": name, "digest": found, **array} for name in ("a", "b")]
    return {"execution": 0, "function": "", "call": "a", "inputs": inputs}


def practise(framework: Framework) -> None:
    """Run such a job, until that is as fast as it gets.

    Parameters
    ----------
    framework
        Made for this alone, and started on a host on which arrays this small start no thread: a
        process of several threads has children that hang.

    Raises
    ------
    RuntimeError
        The job did not end well.
    """
    job = _job()
    for _ in range(_TIMES):
        header, buffers = execution.run(framework, job, memoryview(_DATA), _Silent())
        wire.frame(wire.RESULT, header, sum(len(data) for data in buffers))
    wrong = header["harness"] or (header["raised"] or {}).get("message")
    if wrong or not header["outputs"]:
        raise RuntimeError(f"practice failed: {wrong or 'no output'}")
