"""Does in the driver, before any fork, what every child would be the first to do.

Python counts how often a function runs and then rewrites it for the types that it saw; libraries
look up symbols and detect the processor when they are first used. A child that runs one case would
do all of it again, on pages that it must copy for it: with torch, a seventh of the time that a case
takes.
"""

from __future__ import annotations

from typing import Any

from pmdriver.digest import digest
from pmdriver.framework import Framework
from pmdriver.job import execution
from pmdriver.process import wire

_TIMES = 30  # Python 3.11 rewrites a function after 8 calls, the parts of a loop later
_SHAPE = (2, 2)
_DATA = bytes(4 * _SHAPE[0] * _SHAPE[1])


class _Silent:
    """A channel without a supervisor."""

    current = ""

    def stage(self, name: str) -> None:
        self.current = name


def _job() -> dict[str, Any]:
    """Return a job that calls nothing: it needs what every child needs before a first call."""
    found = digest("float32", _SHAPE, _DATA)
    array = {"dtype": "float32", "shape": list(_SHAPE), "offset": 0, "bytes": len(_DATA)}
    inputs = [{"name": name, "digest": found, **array} for name in ("a", "b")]
    return {"execution": 0, "function": "", "call": "a", "inputs": inputs}


def practise(framework: Framework) -> None:
    """Run a job that calls nothing, until repeating it makes it no faster.

    Parameters
    ----------
    framework
        An instance that is used for nothing else, started on a host on which arrays as small as
        these start no thread: the children of a process with several threads hang.

    Raises
    ------
    RuntimeError
        The job failed.
    """
    job = _job()
    for _ in range(_TIMES):
        header, buffers = execution.run(framework, job, memoryview(_DATA), _Silent())
        wire.frame(wire.RESULT, header, sum(len(data) for data in buffers))
    wrong = header["harness"] or (header["raised"] or {}).get("message")
    if wrong or not header["outputs"]:
        raise RuntimeError(f"warm-up of the driver failed: {wrong or 'no output'}")
