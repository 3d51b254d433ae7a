"""Tests of the runner: a test that fails beside others runs again alone, and that run counts."""

from __future__ import annotations

import contextlib
import io
import math
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from running import MOST_AGAIN, Result, Runner, Task, selection


def flaky(log: str = "") -> Task:
    """Make a task that fails the first time."""
    runs: list[int] = []

    def task() -> Iterator[Result]:
        runs.append(1)
        yield Result("flaky", "FAIL" if len(runs) == 1 else "PASS", log)

    return ("ring", task)


def failing() -> Task:
    """Make a task that always fails."""
    return ("ring", lambda: [Result("failing", "FAIL")])


def passing() -> Task:
    """Make a task that passes."""
    return ("ring", lambda: [Result("passing", "PASS")])


class Again(unittest.TestCase):
    """The status of a run of tasks."""

    def status(self, tasks: list[Task], jobs: int = 2, only: str = "") -> int:
        """Run tasks; return the exit status."""
        self.printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(self.printed):
            runner = Runner(only, Path(folder) / "times.tsv")
            runner.do_all(tasks, jobs=jobs)
            return runner.close(0.0)

    def test_a_selection_of_nothing_has_its_own_status(self) -> None:
        self.assertEqual(self.status([passing()], only="ring/pass"), 0)
        self.assertEqual(self.status([passing()], only="tests/ring/test_passing.py"), 0)
        self.assertEqual(self.status([passing()], only="ring/test_nothing"), 2)
        self.assertIn("no test has 'ring/nothing' in its name", self.printed.getvalue())
        self.assertEqual(self.status([failing()], only="ring/failing"), 1)

    def test_a_whole_run_stores_what_each_test_took(self) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            times = Path(folder) / "times.tsv"
            for only in "", "ring/passing":  # a run of one test keeps the times of the others
                runner = Runner(only, times)
                runner.do_all([passing(), failing()], jobs=1)
                runner.close(0.0)
            after = Runner("", times)
        self.assertLess(after.took_before("ring/failing"), 60)
        self.assertEqual(after.took_before("ring/unknown"), math.inf)

    def test_the_path_of_a_file_selects_its_tests(self) -> None:
        for part in "unit/stat", "unit/test_stat", "tests/unit/test_stat.c", "unit/stat.c":
            self.assertEqual(selection(part), "unit/stat")
        self.assertEqual(selection("tests/cli/scan-uses.test"), "cli/scan-uses")
        self.assertEqual(selection("test_welch"), "test_welch")
        self.assertEqual(selection("unit-sanitized/"), "unit-sanitized/")

    def test_what_passes_alone_is_named(self) -> None:
        self.assertEqual(self.status([flaky("why"), passing()]), 0)
        self.assertIn("      why\n", self.printed.getvalue())
        self.assertIn("flaky: ring/flaky", self.printed.getvalue())
        self.assertIn("2 passed, 0 failed", self.printed.getvalue())

    def test_what_fails_twice_fails(self) -> None:
        self.assertEqual(self.status([failing(), passing()]), 1)
        self.assertIn("1 passed, 1 failed", self.printed.getvalue())

    def test_what_failed_alone_fails(self) -> None:
        self.assertEqual(self.status([flaky()], jobs=1), 1)

    def test_a_sanitizer_is_believed(self) -> None:
        self.assertEqual(self.status([flaky("AddressSanitizer: ..."), passing()]), 1)

    def test_many_failures_are_believed(self) -> None:
        self.assertEqual(self.status([flaky() for _ in range(MOST_AGAIN + 1)]), 1)


if __name__ == "__main__":
    unittest.main()
