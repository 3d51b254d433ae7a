"""Does once in the driver, before any fork, what every child would otherwise do first.

Python specialises a function for the types that it has seen after a number of calls; libraries look
up symbols and detect the processor at their first use. Each child would repeat all of this, and
copy the pages that it changes. With torch, this would be a seventh of the time for a case.
"""

from __future__ import annotations

import _socket
import os
from typing import Any

from pmdriver.digest import digest
from pmdriver.framework import Framework
from pmdriver.process import child, cpus, wire

_TIMES = 30  # Python 3.11 specialises a function after 8 calls, the parts of a loop later
_SHAPE = (2, 2)
_DATA = bytes(4 * _SHAPE[0] * _SHAPE[1])
_TOKEN = "0" * 32


def _job() -> dict[str, Any]:
    """Return a job that calls nothing, but needs what every child needs before a first call."""
    found = digest("float32", _SHAPE, _DATA)
    array = {"dtype": "float32", "shape": list(_SHAPE), "offset": 0, "bytes": len(_DATA)}
    inputs = [{"name": name, "digest": found, **array} for name in ("a", "b")]
    return {"execution": 0, "function": "", "call": "a", "inputs": inputs}


def _be_a_child(framework: Framework) -> list[dict[str, Any]]:
    """Run two jobs as a child does; return the headers of the frames that a supervisor gets."""
    ours, theirs = map(wire.Connection, _socket.socketpair())
    try:
        for last in (False, True):
            theirs.send(wire.RUN, {**_job(), "last": last}, [_DATA])
        started = child.start(framework, framework.setting, cpus.allowed())
        ours.send_bytes(child.hello(_TOKEN, started))
        child.loop(framework, ours, bytearray(1), os.getcwd())
        return [theirs.receive()[1] for _ in range(4)]
    finally:
        ours.close()
        theirs.close()


def practise(framework: Framework) -> None:
    """Run jobs that call nothing as a child does, until Python has specialised their code.

    Parameters
    ----------
    framework
        An instance that is used for nothing else, started on the host. Small arrays must not make
        it start a thread, because the children of a process with several threads hang.

    Raises
    ------
    RuntimeError
        The job failed.
    """
    for _ in range(_TIMES):
        _, started, _, result = _be_a_child(framework)
    wrong = result["harness"] or (result["raised"] or started.get("error") or {}).get("message")
    if wrong or not result["outputs"]:
        raise RuntimeError(f"the warm-up of the driver failed: {wrong or 'no output'}")
