"""Times calls.

All times are nanoseconds of the monotonic clock. A result stays referenced until the clock has
stopped, because a lazy framework never computes what nobody references. It is dropped before the
next sample begins, so that no sample contains the time to free it.

The garbage collector is off while samples are taken, as in `timeit`.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

now = time.perf_counter_ns

#: Samples that are prepared one by one end, with the least number taken, when preparing and calling
#: took this many times the budget: a setup of 100 ms must not turn 50 ms of samples into 10 s.
PREPARED_BUDGETS = 20


class Rule(NamedTuple):
    """When sampling ends.

    Attributes
    ----------
    samples
        The most samples that are taken.
    least
        The number of samples after which the budget counts.
    budget_ns
        Sampling ends when all samples together took so long.
    long_ns
        Sampling ends with a call that took longer.
    """

    samples: int = 100
    least: int = 5
    budget_ns: int = 50_000_000
    long_ns: int = 1_000_000_000

    def done(self, taken: int, spent: int, last: int) -> bool:
        """Return whether to stop after `taken` samples in `spent` ns, the last one in `last` ns."""
        return (
            taken >= self.samples
            or (spent >= self.budget_ns and taken >= self.least)
            or last > self.long_ns
        )


class Samples(NamedTuple):
    """What was measured, one item for each sample.

    Attributes
    ----------
    total
        Time until the work was done, in ns.
    dispatch
        Time until the call returned, in ns; empty if calls return only when the work is done.
    compilations
        How often the framework compiled; empty if it does not report it.
    """

    total: list[int]
    dispatch: list[int]
    compilations: list[int]


@contextlib.contextmanager
def _collector_off() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def sample(
    call: Callable[..., Any],
    arguments: Sequence[Any],
    rule: Rule,
    wait: Callable[[], None] | None = None,
    count: Callable[[], int] | None = None,
) -> Samples:
    """Sample a call that may be repeated as it is.

    Parameters
    ----------
    call, arguments
        What is timed.
    rule
        When to stop.
    wait
        Returns when the device has finished all work; None if the call returns no earlier.
    count
        Returns the number of compilations so far; called while the clock is stopped. None if the
        framework does not report it.
    """
    with _collector_off():
        if wait is None and count is None:
            return Samples(_sample_bare(call, arguments, rule), [], [])
        return _sample_waiting(call, arguments, rule, wait, count)


def _sample_bare(call: Callable[..., Any], arguments: Sequence[Any], rule: Rule) -> list[int]:
    clock = now
    total: list[int] = []
    spent = 0
    while True:
        begin = clock()
        out = call(*arguments)
        took = clock() - begin
        out = None  # noqa: F841  freed here, while the clock is stopped
        total.append(took)
        spent += took
        if rule.done(len(total), spent, took):
            return total


def _sample_waiting(
    call: Callable[..., Any],
    arguments: Sequence[Any],
    rule: Rule,
    wait: Callable[[], None] | None,
    count: Callable[[], int] | None,
) -> Samples:
    samples = Samples([], [], [])
    spent = 0
    while True:
        took = _one(call, arguments, wait, count, samples)
        spent += took
        if rule.done(len(samples.total), spent, took):
            return samples


def _one(
    call: Callable[..., Any],
    arguments: Sequence[Any],
    wait: Callable[[], None] | None,
    count: Callable[[], int] | None,
    samples: Samples,
) -> int:
    clock = now
    before = count() if count else 0
    begin = clock()
    out = call(*arguments)
    if wait is None:
        took = clock() - begin
    else:
        returned = clock()
        wait()
        took = clock() - begin
        samples.dispatch.append(returned - begin)
    del out
    samples.total.append(took)
    if count:
        samples.compilations.append(count() - before)
    return took


def sample_prepared(
    prepare: Callable[[], Callable[[], Any]],
    rule: Rule,
    wait: Callable[[], None] | None = None,
    count: Callable[[], int] | None = None,
) -> Samples:
    """Sample a call that must be prepared, untimed, before each sample.

    Parameters
    ----------
    prepare
        Returns the call to time; everything that it needs is made and on the device.
    rule, wait, count
        As for `sample`.
    """
    samples = Samples([], [], [])
    spent = 0
    begin = now()
    while True:
        call = prepare()
        if wait is not None:
            wait()
        with _collector_off():
            took = _one(call, (), wait, count, samples)
        spent += took
        taken = len(samples.total)
        too_long = now() - begin >= PREPARED_BUDGETS * rule.budget_ns and taken >= rule.least
        if too_long or rule.done(taken, spent, took):
            return samples
