"""Tests when the driver waits for the device (docs/internals/guards.md)."""

from __future__ import annotations

import time
import unittest

import support
from support import Lists
from test_execution import X, run


class Waiting(unittest.TestCase):
    """The device is idle when a clock starts, and has finished when it stops."""

    SLOW_NS = 10_000_000

    def log(self, lists: Lists, **keys: object) -> list[str]:
        """Run a job; return the log of the framework, with each wait."""
        lists.wait = lambda: lists.log.append("wait")
        header, _, _ = run(lists, "x + 1", X, **keys)
        self.assertIsNone(header["raised"] or header["harness"])
        return lists.log

    def slow(self) -> Lists:
        """Return a framework whose device needs a while to finish."""
        return Lists(wait=lambda: time.sleep(self.SLOW_NS / 1e9))

    def test_after_the_setup(self) -> None:
        log = self.log(Lists(), setup="ops.append('setup')", repeat="once")
        self.assertIn("wait", log[: log.index("clear")])

    def test_after_the_setup_of_each_sample(self) -> None:
        log = self.log(Lists(), repeat="fresh", setting={"clocks": True})
        timings = support.WARM["timings"] + 1
        # Each timing makes an input, waits, and waits again after its call.
        self.assertIn(["make", "seed", "wait", "wait"] * timings, [
            log[i : i + 4 * timings] for i in range(len(log))
        ])  # fmt: skip

    def test_in_the_cold_clock(self) -> None:
        header, _, _ = run(self.slow(), "x + 1", X, setting={"clocks": True})
        self.assertGreaterEqual(header["timings"]["cold"][0], self.SLOW_NS)

    def test_in_the_clock_of_a_transfer(self) -> None:
        header, _, _ = run(self.slow(), "x + 1", X, setting={"clocks": True})
        self.assertGreaterEqual(min(header["timings"]["transfer_in"]), self.SLOW_NS)

    def test_before_the_call_that_differentiates(self) -> None:
        log = self.log(support.Gradients(), backward=True, repeat="once")
        self.assertEqual(log[: log.index("gradients")][-2:], ["wait", "clear"])


if __name__ == "__main__":
    unittest.main()
