"""Times calls.

All times are nanoseconds of the monotonic clock. A result stays referenced until the clock has
stopped, because a lazy framework never computes what nobody references. It is dropped before the
next timing begins, so that no timing contains the time to free it. Only where a timing holds
several calls does the clock include dropping their results, as in `timeit`.

The garbage collector is off while timings are taken, as in `timeit`.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, NamedTuple

now = time.perf_counter_ns

#: Timings that are prepared one by one end, with the least number taken, when preparing and calling
#: took this many times the budget: a setup of 100 ms must not turn 100 ms of timings into 10 s.
PREPARED_BUDGETS = 10

#: They end after so many budgets with what they have, at least one: a setup of a second, as where a
#: device compiles in it, must not take ten.
MOST_PREPARED_BUDGETS = 20

#: Their warm-up ends after so many budgets, with at least one call.
WARMUP_BUDGETS = 4

#: How many calls of a warm-up are prepared one by one.
PREPARED_WARMUP = 5

#: How often a series that holds too little work is taken again with more calls in each timing.
MOST_TRIES = 4

#: What a call does before it runs, as far as frameworks report it.
PARTS = ("tracing", "lowering", "compiling")

#: Makes a number of calls one after another, and returns how long all of them took, in ns.
Loop = Callable[[int], int]


def call_repeatedly(
    clock: Callable[[], int],
    times: Iterable[None],
    call: Callable[..., Any],
    arguments: Sequence[Any],
) -> int:
    """Call once for each item of `times`; return how long all took, in ns."""
    begin = clock()
    for _ in times:
        call(*arguments)
    return clock() - begin


def parts(
    before: dict[str, int], spent: Callable[[], dict[str, int]] | None, took: int
) -> dict[str, int] | None:
    """Return what a call spent before it ran, by part, in ns; None: nothing is reported.

    The parts are no longer than the call, whose clock is another one.

    Parameters
    ----------
    before, spent
        What `Framework.before_running` returned before the call, and that hook.
    took
        How long the call took, in ns.
    """
    after, found = spent() if spent else {}, {}
    for name in (name for name in PARTS if name in after):
        found[name] = min(max(after[name] - before.get(name, 0), 0), took)
        took -= found[name]
    return found or None


class Rule(NamedTuple):
    """How long calls are timed.

    Attributes
    ----------
    timings
        The most timings that are taken.
    enough
        Timing ends with this many timings if they hold `work_ns`.
    least
        The number of timings after which the budget counts.
    warmup_ns
        Calls are made and not counted until they took so long.
    work_ns
        What all timings together hold at least, where a timing may consist of several calls.
    budget_ns
        Timing ends when all timings together took so long.
    long_ns
        Timing ends with a call that took longer.
    """

    timings: int = 100
    enough: int = 30
    least: int = 5
    warmup_ns: int = 5_000_000
    work_ns: int = 10_000_000
    budget_ns: int = 100_000_000
    long_ns: int = 1_000_000_000

    def done(self, taken: int, spent: int, last: int) -> bool:
        """Return whether to stop after `taken` timings in `spent` ns, the last one in `last` ns."""
        return (
            taken >= self.timings
            or (spent >= self.work_ns and taken >= self.enough)
            or (spent >= self.budget_ns and taken >= self.least)
            or last > self.long_ns
        )

    def factor(self, call_ns: float) -> int:
        """Return how many calls a timing needs: half of the most timings must hold the work."""
        if call_ns * self.timings >= self.work_ns:
            return 1
        return -(-2 * self.work_ns // int(max(call_ns, 1) * self.timings))


class Imports(NamedTuple):
    """The modules that were imported while a clock ran.

    Attributes
    ----------
    count
        How many.
    first
        The name of the first one; an empty text if there is none.
    """

    count: int = 0
    first: str = ""

    def and_then(self, later: Imports) -> Imports:
        """Add those of a later clock."""
        return Imports(self.count + later.count, self.first or later.first)


def imported(before: int) -> Imports:
    """Return what was imported since `sys.modules` had `before` items."""
    count = len(sys.modules) - before
    if count <= 0:
        return Imports()
    return Imports(count, next(itertools.islice(list(sys.modules), before, None)))


class Timings:
    """What was measured, one item for each timing.

    Attributes
    ----------
    total
        Time of a call until the work was done, in ns.
    dispatch
        Time until the call returned, in ns; empty if calls return only when the work is done.
    compilations
        How often the framework compiled; empty if it does not report it.
    warmup
        How many calls were made before the first timing.
    factor
        How many calls a timing consists of; `total` is the time of one.
    imports
        What was imported inside the timings.
    """

    def __init__(self) -> None:
        self.total: list[int] = []
        self.dispatch: list[int] = []
        self.compilations: list[int] = []
        self.warmup = 0
        self.factor = 1
        self.imports = Imports()

    def restart(self) -> None:
        """Count what was taken so far as warm-up."""
        self.warmup += len(self.total) * self.factor
        for taken in (self.total, self.dispatch, self.compilations):
            taken.clear()
        self.imports = Imports()


@contextlib.contextmanager
def _collector_off() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Timer:
    """Takes timings of one call after another.

    Parameters
    ----------
    rule, wait, count
        As for `time_calls`.
    """

    def __init__(
        self, rule: Rule, wait: Callable[[], None] | None, count: Callable[[], int] | None
    ) -> None:
        self.rule = rule
        self.wait = wait
        self.count = count
        self.timings = Timings()

    def one(self, call: Callable[..., Any], arguments: Sequence[Any]) -> int:
        """Take a timing of one call; return its length in ns."""
        clock, wait, count, timings = now, self.wait, self.count, self.timings
        compiled = count() if count else 0
        modules = len(sys.modules)
        begin = clock()
        out = call(*arguments)
        if wait is None:
            took = clock() - begin
        else:
            returned = clock()
            wait()
            took = clock() - begin
            timings.dispatch.append(returned - begin)
        self._after(modules, compiled)
        del out
        timings.total.append(took)
        return took

    def several(self, loop: Loop) -> int:
        """Take a timing of as many calls as the factor says; return its length in ns."""
        count, timings = self.count, self.timings
        compiled = count() if count else 0
        modules = len(sys.modules)
        took = loop(timings.factor)
        self._after(modules, compiled)
        timings.total.append(round(took / timings.factor))
        gc.collect(0)  # thousands of results in cycles must not pile up
        return took

    def _after(self, modules: int, compiled: int) -> None:
        if len(sys.modules) != modules:
            self.timings.imports = self.timings.imports.and_then(imported(modules))
        if self.count:
            self.timings.compilations.append(self.count() - compiled)

    def series(self, take: Callable[[], int]) -> int:
        """Take timings until the rule says stop; return how long they took, in ns."""
        spent = 0
        while True:
            took = take()
            spent += took
            if self.rule.done(len(self.timings.total), spent, took):
                return spent

    def warm_up(self, take: Callable[[], int], most: int, until: int = sys.maxsize) -> int | None:
        """Make calls that are not counted.

        Parameters
        ----------
        take
            Makes one; returns how long it took, in ns.
        most
            The most calls.
        until
            The time of the clock after which no more are begun; the first one is.

        Returns
        -------
        int or None
            How long they took, in ns; None if one is so long that it is the only timing.
        """
        spent = 0
        while spent < self.rule.warmup_ns and len(self.timings.total) < most:
            took = take()
            spent += took
            if took > self.rule.long_ns:
                self.timings.warmup = len(self.timings.total) - 1
                for taken in (self.timings.total, self.timings.dispatch, self.timings.compilations):
                    del taken[:-1]
                return None
            if now() >= until:
                break
        self.timings.restart()
        return spent


def _find_factor(loop: Loop, rule: Rule, timings: Timings, first: int) -> None:
    """Go on with a warm-up whose first call took `first` ns; set how many calls a timing needs."""
    spent = took = first
    calls = 1
    while spent < rule.warmup_ns:
        calls *= 2
        took = loop(calls)
        spent += took
        timings.warmup += calls
    timings.factor = rule.factor(took / calls)


def time_calls(
    call: Callable[..., Any],
    arguments: Sequence[Any],
    rule: Rule,
    wait: Callable[[], None] | None = None,
    count: Callable[[], int] | None = None,
    loop: Loop | None = None,
) -> Timings:
    """Time a call that may be repeated as it is.

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
    loop
        Makes the same call repeatedly, for a timing of several short calls. None if each timing is
        one call, as it must be where the call returns earlier than the device: several calls
        would show how fast the device can be fed.
    """
    timer = _Timer(rule, wait, count)
    timings = timer.timings
    with _collector_off():
        first = timer.warm_up(lambda: timer.one(call, arguments), 1 if loop else sys.maxsize)
        if first is None:
            return timings
        if loop is not None:
            _find_factor(loop, rule, timings, first)
        for _ in range(MOST_TRIES):
            if loop is None or timings.factor == 1:
                timer.series(lambda: timer.one(call, arguments))
                break
            spent = timer.series(lambda: timer.several(loop))
            if spent >= rule.work_ns:
                break
            factor = 1 + 2 * timings.factor * rule.work_ns // max(spent, 1)
            timings.restart()
            timings.factor = factor
    return timings


def time_prepared(
    prepare: Callable[[], Callable[[], Any]],
    rule: Rule,
    wait: Callable[[], None] | None = None,
    count: Callable[[], int] | None = None,
) -> Timings:
    """Time a call that must be prepared, untimed, before each timing.

    Parameters
    ----------
    prepare
        Returns the call to time; everything that it needs is made and on the device, which has
        finished all work.
    rule, wait, count
        As for `time_calls`.
    """
    timer = _Timer(rule, wait, count)
    begin = now()

    def take() -> int:
        call = prepare()
        with _collector_off():
            return timer.one(call, ())

    if timer.warm_up(take, PREPARED_WARMUP, begin + WARMUP_BUDGETS * rule.budget_ns) is None:
        return timer.timings
    spent = 0
    while True:
        took = take()
        spent += took
        taken = len(timer.timings.total)
        budgets = PREPARED_BUDGETS if taken >= rule.least else MOST_PREPARED_BUDGETS
        if now() - begin >= budgets * rule.budget_ns or rule.done(taken, spent, took):
            return timer.timings
