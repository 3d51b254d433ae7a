"""The rival of portmeter's clock: times one call in a bare loop, in the measured process.

The cases of the benchmark call `read` before and after portmeter's first call. portmeter and this
loop therefore time the call in the same process, with the same inputs, threads and memory.
"""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Mapping
from typing import Any

SAMPLES = 50
SAMPLE_SECONDS = 0.0005
WARM_UP_SECONDS = 0.005


def read(text: str, names: Mapping[str, Any]) -> float:
    """Return the time of a call in nanoseconds: the median of loops of half a millisecond."""
    timer = timeit.Timer(text, globals=dict(names))
    number, spent = 1, 0.0
    while spent < WARM_UP_SECONDS:
        number *= 2
        took = timer.timeit(number)
        spent += took
    number = max(1, round(number * SAMPLE_SECONDS / took))
    return statistics.median(timer.repeat(SAMPLES, number)) / number * 1e9
