"""Tests how calls are timed."""

import gc
import sys
import time
import types
import unittest
from unittest import mock

import support  # noqa: F401
from pmdriver.job import clocks

MS = 1_000_000


#: One call of warm-up, then timings of one call each.
PLAIN = clocks.Rule(warmup_ns=1, work_ns=1)


class WarmRule(unittest.TestCase):
    """The number of timings: 30 to 100 for quick calls, and fewer for slower calls."""

    def taken(self, *times_ms: float) -> int:
        rule, spent = clocks.Rule(), 0
        for count in range(1, 1000):
            took = int((times_ms[count - 1] if count <= len(times_ms) else times_ms[-1]) * MS)
            spent += took
            if rule.done(count, spent, took):
                return count
        return 0

    def test_quick_calls(self) -> None:
        self.assertEqual(self.taken(0.001), 100)

    def test_enough_work(self) -> None:
        self.assertEqual(self.taken(0.2), 50)
        self.assertEqual(self.taken(3), 30)

    def test_the_budget_ends_it(self) -> None:
        self.assertEqual(self.taken(10), 10)

    def test_at_least_five(self) -> None:
        self.assertEqual(self.taken(60), 5)

    def test_one_long_call(self) -> None:
        self.assertEqual(self.taken(1001), 1)

    def test_exactly_a_second_is_not_long(self) -> None:
        self.assertEqual(self.taken(1000), 5)

    def test_calls_of_a_sample(self) -> None:
        rule = clocks.Rule()
        self.assertEqual(rule.factor(100_000), 1)
        self.assertEqual(rule.factor(50_000), 4)
        self.assertEqual(rule.factor(100), 2000)
        self.assertEqual(rule.factor(0.01), 200_000)


class Loops(unittest.TestCase):
    """Timings of several calls, by a clock of the test: each call takes `call_ns`."""

    def setUp(self) -> None:
        self.calls, self.call_ns = 0, 100.0

    def loop(self, times: int) -> int:
        self.calls += times
        return round(times * self.call_ns)

    def timing(self, **more: object) -> clocks.Timings:
        def call() -> None:
            self.calls += 1

        return clocks.time_calls(call, (), clocks.Rule(), loop=self.loop, **more)

    def test_a_series_of_short_calls_holds_10_ms(self) -> None:
        for self.call_ns in (1.0, 60.0, 900.0, 30_000.0, 90_000.0):
            with self.subTest(self.call_ns):
                found = self.timing()
                self.assertEqual(set(found.total), {int(self.call_ns)})
                self.assertGreaterEqual(sum(found.total) * found.factor, 10 * MS)
                self.assertTrue(30 <= len(found.total) <= 100, len(found.total))

    def test_the_warm_up_is_stated(self) -> None:
        found = self.timing()
        self.assertGreaterEqual(found.warmup * self.call_ns, 4.9 * MS)
        self.assertEqual(self.calls, found.warmup + found.factor * len(found.total))

    def test_calls_that_become_faster_are_taken_again(self) -> None:
        def loop(times: int) -> int:
            before, self.calls = self.calls, self.calls + times
            return times * (10_000 if before < 1000 else 100)

        found = clocks.time_calls(lambda: None, (), clocks.Rule(), loop=loop)
        self.assertGreaterEqual(sum(found.total) * found.factor, 10 * MS)

    def test_compilations_of_each_sample(self) -> None:
        found = self.timing(count=lambda: self.calls)
        self.assertEqual(set(found.compilations), {found.factor})

    def test_a_long_call_is_the_one_sample(self) -> None:
        found = clocks.time_calls(
            time.sleep, (0.01,), clocks.Rule(long_ns=5 * MS), loop=lambda times: self.fail()
        )
        self.assertEqual((len(found.total), found.warmup, found.factor), (1, 0, 1))

    def test_results_in_cycles_do_not_pile_up(self) -> None:
        class Node:
            alive = most = 0

            def __init__(self) -> None:
                Node.alive += 1
                Node.most = max(Node.most, Node.alive)
                self.me = self

            def __del__(self) -> None:
                Node.alive -= 1

        def loop(times: int) -> int:
            for _ in range(10):
                Node()
            return self.loop(times)

        clocks.time_calls(lambda: None, (), clocks.Rule(), loop=loop)
        self.assertLess(Node.most, 300)
        gc.collect()


class Importing(unittest.TestCase):
    """Modules that are imported while a clock runs are counted."""

    def call(self) -> None:
        name = f"made_up_{len(sys.modules)}"
        sys.modules[name] = types.ModuleType(name)
        self.addCleanup(sys.modules.pop, name)

    def test_in_timings(self) -> None:
        found = clocks.time_calls(self.call, (), PLAIN._replace(timings=3))
        self.assertEqual(found.imports.count, 3)
        self.assertRegex(found.imports.first, "^made_up_")

    def test_in_samples_of_several_calls(self) -> None:
        def loop(times: int) -> int:
            self.call()
            return times * 10_000

        found = clocks.time_calls(self.call, (), clocks.Rule(timings=3), loop=loop)
        self.assertEqual(found.imports.count, 3)

    def test_not_in_the_warm_up_or_the_preparation(self) -> None:
        calls = []

        def call() -> None:
            calls.append(0)
            if len(calls) == 1:
                self.call()

        self.assertEqual(clocks.time_calls(call, (), PLAIN).imports.count, 0)

        def prepare() -> object:
            self.call()
            return lambda: None

        found = clocks.time_prepared(prepare, PLAIN._replace(timings=3))
        self.assertEqual(found.imports.count, 0)


class Timing(unittest.TestCase):
    """Timings of calls."""

    def test_a_known_wait(self) -> None:
        found = clocks.time_calls(time.sleep, (0.01,), PLAIN._replace(timings=5))
        self.assertEqual(len(found.total), 5)
        self.assertGreaterEqual(min(found.total), 10 * MS)
        self.assertEqual((found.dispatch, found.compilations), ([], []))

    def test_waiting_is_in_the_total_and_not_in_the_dispatch(self) -> None:
        found = clocks.time_calls(
            lambda: None, (), PLAIN._replace(timings=3), wait=lambda: time.sleep(0.01)
        )
        self.assertGreaterEqual(min(found.total), 10 * MS)
        self.assertLess(min(found.dispatch), 5 * MS)

    def test_the_result_is_held_while_waiting_and_gone_afterwards(self) -> None:
        alive = []

        class Result:
            def __del__(self) -> None:
                alive.pop()

        def call() -> Result:
            alive.append(True)
            return Result()

        seen = []
        clocks.time_calls(call, (), PLAIN._replace(timings=4), wait=lambda: seen.append(len(alive)))
        self.assertEqual(seen, [1] * 5)
        self.assertEqual(alive, [])

    def test_the_result_is_held_until_the_clock_stops(self) -> None:
        alive: list[int] = []
        seen = []

        class Result:
            def __init__(self) -> None:
                alive.append(1)

            def __del__(self) -> None:
                alive.pop()

        def now() -> int:
            seen.append(len(alive))
            return len(seen)

        with mock.patch.object(clocks, "now", now):
            clocks.time_calls(Result, (), PLAIN._replace(timings=2))
        warm_up, budget, timings = [0, 1], [0], [0, 1] * 2
        self.assertEqual(seen, warm_up + budget + timings)

    def test_compilations_of_each_sample(self) -> None:
        compiled = [0]

        def call() -> None:
            compiled[0] += compiled[0] < 4

        found = clocks.time_calls(call, (), PLAIN._replace(timings=5), count=lambda: compiled[0])
        self.assertEqual(found.compilations, [1, 1, 1, 0, 0])

    def test_the_collector_is_off(self) -> None:
        seen = []
        clocks.time_calls(lambda: seen.append(gc.isenabled()), (), PLAIN._replace(timings=3))
        self.assertEqual(seen, [False] * 4)
        self.assertTrue(gc.isenabled())

    def test_preparing_is_untimed(self) -> None:
        def prepare() -> object:
            time.sleep(0.01)
            return lambda: None

        found = clocks.time_prepared(prepare, PLAIN._replace(timings=3))
        self.assertEqual(len(found.total), 3)
        self.assertLess(min(found.total), 5 * MS)

    def test_preparing_for_long_ends_it(self) -> None:
        def prepare() -> object:
            time.sleep(0.01)
            return lambda: None

        found = clocks.time_prepared(prepare, PLAIN._replace(least=2, budget_ns=MS))
        self.assertLess(len(found.total), 10)

    def test_a_setup_as_long_as_all_budgets_is_made_twice(self) -> None:
        rule = clocks.Rule(budget_ns=2 * MS)

        def prepare() -> object:
            time.sleep(clocks.MOST_PREPARED_BUDGETS * rule.budget_ns / 1e9)
            return lambda: None

        found = clocks.time_prepared(prepare, rule)
        self.assertEqual((found.warmup, len(found.total)), (1, 1))

    def test_a_prepared_warm_up_is_short(self) -> None:
        found = clocks.time_prepared(lambda: lambda: None, clocks.Rule())
        self.assertEqual(found.warmup, clocks.PREPARED_WARMUP)


class Parts(unittest.TestCase):
    """The parts of a first call's time before the call runs."""

    def test_they_are_what_was_added(self) -> None:
        spent = {"tracing": 8, "lowering": 9, "compiling": 2, "another": 1}
        found = clocks.parts({"tracing": 5, "lowering": 9}, lambda: spent, 100)
        self.assertEqual(found, {"tracing": 3, "lowering": 0, "compiling": 2})

    def test_they_are_no_longer_than_the_call_and_not_negative(self) -> None:
        spent = {"tracing": 4, "lowering": 1 << 60, "compiling": 1}
        found = clocks.parts({"tracing": 5}, lambda: spent, 100)
        self.assertEqual(found, {"tracing": 0, "lowering": 100, "compiling": 0})

    def test_there_may_be_none(self) -> None:
        self.assertIsNone(clocks.parts({}, dict, 100))
        self.assertIsNone(clocks.parts({}, None, 100))


if __name__ == "__main__":
    unittest.main()
