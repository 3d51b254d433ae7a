"""How calls are timed."""

import gc
import time
import unittest

import support  # noqa: F401
from pmdriver.job import clocks

MS = 1_000_000


class WarmRule(unittest.TestCase):
    """Until 100 samples, or 50 ms of them, at least 5, or one where a call takes over a second."""

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

    def test_the_budget_ends_it(self) -> None:
        self.assertEqual(self.taken(5), 10)

    def test_at_least_five(self) -> None:
        self.assertEqual(self.taken(30), 5)

    def test_one_long_call(self) -> None:
        self.assertEqual(self.taken(1001), 1)

    def test_exactly_a_second_is_not_long(self) -> None:
        self.assertEqual(self.taken(1000), 5)


class Sampling(unittest.TestCase):
    """Samples of calls."""

    def test_a_known_wait(self) -> None:
        found = clocks.sample(time.sleep, (0.01,), clocks.Rule(samples=5))
        self.assertEqual(len(found.total), 5)
        self.assertGreaterEqual(min(found.total), 10 * MS)
        self.assertEqual((found.dispatch, found.compilations), ([], []))

    def test_waiting_is_in_the_total_and_not_in_the_dispatch(self) -> None:
        found = clocks.sample(
            lambda: None, (), clocks.Rule(samples=3), wait=lambda: time.sleep(0.01)
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
        clocks.sample(call, (), clocks.Rule(samples=4), wait=lambda: seen.append(len(alive)))
        self.assertEqual(seen, [1, 1, 1, 1])
        self.assertEqual(alive, [])

    def test_compilations_of_each_sample(self) -> None:
        compiled = [0]

        def call() -> None:
            compiled[0] += compiled[0] < 3

        found = clocks.sample(call, (), clocks.Rule(samples=5), count=lambda: compiled[0])
        self.assertEqual(found.compilations, [1, 1, 1, 0, 0])

    def test_the_collector_is_off(self) -> None:
        seen = []
        clocks.sample(lambda: seen.append(gc.isenabled()), (), clocks.Rule(samples=3))
        self.assertEqual(seen, [False] * 3)
        self.assertTrue(gc.isenabled())

    def test_preparing_is_untimed(self) -> None:
        def prepare() -> object:
            time.sleep(0.01)
            return lambda: None

        found = clocks.sample_prepared(prepare, clocks.Rule(samples=3))
        self.assertEqual(len(found.total), 3)
        self.assertLess(min(found.total), 5 * MS)

    def test_preparing_for_long_ends_it(self) -> None:
        def prepare() -> object:
            time.sleep(0.01)
            return lambda: None

        found = clocks.sample_prepared(prepare, clocks.Rule(least=2, budget_ns=MS))
        self.assertLess(len(found.total), 10)


if __name__ == "__main__":
    unittest.main()
