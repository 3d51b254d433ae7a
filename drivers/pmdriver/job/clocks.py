"""Times calls.

All times are nanoseconds of the monotonic clock. A result stays referenced until the clock has
stopped, because a lazy framework does not compute a result without references. The result is
released before the next timing begins, so that no timing includes this. Only a timing of several
calls includes the release of their results, as in `timeit`.

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

#: If each timing is prepared, timing ends after `least` timings when preparing and calling together
#: took this many budgets: a setup of 100 ms must not turn 100 ms of timings into 10 s.
PREPARED_BUDGETS = 10

#: After this many budgets such timing ends with fewer timings, but at least one: a setup that takes
#: a second, for example because it compiles, must not run many times.
MOST_PREPARED_BUDGETS = 20

#: The warm-up of prepared calls ends after this many budgets, with at least one call.
WARMUP_BUDGETS = 4

#: The most calls in a warm-up of prepared calls.
PREPARED_WARMUP = 5

#: The most series of timings that are taken, each with more calls per timing, until one takes long
#: enough.
MOST_TRIES = 4

#: The phases before the work of a call, in order; frameworks report the time of each.
PARTS = ("tracing", "lowering", "compiling")

#: Makes a number of calls one after another, and returns their total time in ns.
Loop = Callable[[int], int]


def call_repeatedly(
    clock: Callable[[], int],
    times: Iterable[None],
    call: Callable[..., Any],
    arguments: Sequence[Any],
) -> int:
    """Call once for each item of `times`; return the total time in ns."""
    begin = clock()
    for _ in times:
        call(*arguments)
    return clock() - begin


def parts(
    before: dict[str, int], spent: Callable[[], dict[str, int]] | None, took: int
) -> dict[str, int] | None:
    """Return the time in ns of each part before a call ran; None if no part is reported.

    The parts and the call have different clocks, so the sum of the parts is limited to `took`.

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
        Timing ends with this many timings if together they took `work_ns`.
    least
        Timing ends with this many timings if together they took `budget_ns`.
    warmup_ns
        Calls are made and not counted until together they took this long.
    work_ns
        The least time of all timings together, if a timing may consist of several calls.
    budget_ns
        The time of all timings together after which timing ends.
    long_ns
        Timing ends after a timing that took longer than this.
    """

    timings: int = 100
    enough: int = 30
    least: int = 5
    warmup_ns: int = 5_000_000
    work_ns: int = 10_000_000
    budget_ns: int = 100_000_000
    long_ns: int = 1_000_000_000

    def done(self, taken: int, spent: int, last: int) -> bool:
        """Return whether to stop after `taken` timings of `spent` ns, the last one of `last` ns."""
        return (
            taken >= self.timings
            or (spent >= self.work_ns and taken >= self.enough)
            or (spent >= self.budget_ns and taken >= self.least)
            or last > self.long_ns
        )

    def factor(self, call_ns: float) -> int:
        """Return how many calls a timing needs so that half of `timings` take `work_ns`."""
        if call_ns * self.timings >= self.work_ns:
            return 1
        return -(-2 * self.work_ns // int(max(call_ns, 1) * self.timings))


class Imports(NamedTuple):
    """The modules that were imported while a clock ran.

    Attributes
    ----------
    count
        How many modules were imported.
    first
        The name of the first one; an empty text if there is none.
    """

    count: int = 0
    first: str = ""

    def and_then(self, later: Imports) -> Imports:
        """Return these imports together with those of a later clock."""
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
        Time in ns until the device has finished the work of the call.
    dispatch
        Time in ns until the call returned; empty if calls return only when the work is done.
    compilations
        How often the framework compiled; empty if it does not report it.
    warmup
        How many calls were made before the first timing.
    factor
        How many calls a timing consists of; `total` has the mean time of one call.
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
        """Take a timing of as many calls as the factor; return its length in ns."""
        count, timings = self.count, self.timings
        compiled = count() if count else 0
        modules = len(sys.modules)
        took = loop(timings.factor)
        self._after(modules, compiled)
        timings.total.append(round(took / timings.factor))
        gc.collect(0)  # thousands of results with reference cycles must not accumulate
        return took

    def _after(self, modules: int, compiled: int) -> None:
        if len(sys.modules) != modules:
            self.timings.imports = self.timings.imports.and_then(imported(modules))
        if self.count:
            self.timings.compilations.append(self.count() - compiled)

    def series(self, take: Callable[[], int]) -> int:
        """Take timings until the rule is satisfied; return their total time in ns."""
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
            Makes one call; returns its time in ns.
        most
            The most calls.
        until
            No call begins after this time of the clock, except the first one.

        Returns
        -------
        int or None
            The total time in ns; None if a call is so long that it is kept as the only timing.
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
    """Continue a warm-up in which one call took `first` ns; set how many calls a timing needs."""
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
    """Time a call that can be repeated without preparation.

    Parameters
    ----------
    call, arguments
        The callable, and the positional arguments with which it is called.
    rule
        When to stop.
    wait
        Returns when the device has finished all work; None if the call returns no earlier.
    count
        Returns the number of compilations so far; called while the clock is stopped. None if the
        framework does not report it.
    loop
        Makes the same call repeatedly, for a timing of several short calls. None if each timing is
        one call. This is necessary if the call returns before the device has finished: several
        calls would measure only how fast work can be queued.
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
        Returns the call to time, after everything that the call needs is on the device and the
        device has finished all work.
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
