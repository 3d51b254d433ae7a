"""The CPUs on which a child's threads may run.

OpenMP binds the thread that imports the framework to one core, and each new thread inherits this
binding from the thread that starts it. Threads that OpenMP does not bind itself would all run on
that core: those of a compiler's or a device's runtime, and the processes that a case starts.
"""

from __future__ import annotations

import os
from collections.abc import Collection

_of_forks: Collection[int] = ()  # the CPUs for forks of this process; () keeps the inherited ones


def allowed() -> frozenset[int]:
    """Return the CPUs on which the calling thread may run."""
    return frozenset(os.sched_getaffinity(0))


def release(cpus: Collection[int]) -> None:
    """Let the calling thread, and those that it starts from now on, run on `cpus`."""
    os.sched_setaffinity(0, cpus)


def release_forks(cpus: Collection[int]) -> None:
    """Let the processes that this one forks from now on run on `cpus`."""
    global _of_forks
    _of_forks = cpus


def _after_fork() -> None:
    if _of_forks:
        release(_of_forks)


# Registered in the driver, at import: registering it in each child would take time there.
os.register_at_fork(after_in_child=_after_fork)


def _text(cpus: Collection[int]) -> str:
    """Write CPUs as Linux does: ``0-3,8``."""
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and parts[-1][1] == cpu - 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def masks() -> dict[str, int]:
    """Count the threads of this process by the CPUs on which they may run, as Linux writes them."""
    found: dict[str, int] = {}
    for thread in os.listdir("/proc/self/task"):
        try:
            text = _text(os.sched_getaffinity(int(thread)))
        except ProcessLookupError:
            continue  # the thread has ended
        found[text] = found.get(text, 0) + 1
    return found
