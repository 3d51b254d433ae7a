"""What JAX reports of its stages: how long it traced, lowered and compiled, and how often."""

from __future__ import annotations

import time
from typing import Any

#: The stages by JAX's events, of which each names its duration when it has ended.
EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "tracing",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    "/jax/core/compile/backend_compile_duration": "compiling",
}


class Stages:
    """Listens to events; what happens within another stage counts once, for the inner one.

    Attributes
    ----------
    compiled
        How many computations were compiled.
    """

    def __init__(self) -> None:
        self.compiled = 0
        self._spent = dict.fromkeys(EVENTS.values(), 0)
        self._ended: list[tuple[int, int]] = []  # begin and length of those that may be inner ones

    def note(self, event: str, duration: float, **_: Any) -> None:
        """Take an event; JAX calls this at its end.

        Parameters
        ----------
        event
            JAX's name of it.
        duration
            Seconds.
        """
        stage = EVENTS.get(event)
        if stage is None:
            return
        self.compiled += stage == "compiling"
        length = round(duration * 1e9)
        begin = time.perf_counter_ns() - length
        within = 0
        while self._ended and self._ended[-1][0] >= begin:
            within += self._ended.pop()[1]
        self._spent[stage] += max(length - within, 0)
        self._ended.append((begin, length))

    def spent(self) -> dict[str, int]:
        """Return how long each stage took so far, in ns; called when none is under way."""
        self._ended.clear()
        return dict(self._spent)
