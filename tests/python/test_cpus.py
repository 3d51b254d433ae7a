"""Tests of the CPUs on which the threads of a child run."""

import os
import threading
import unittest

import support
from pmdriver.process import child, cpus


class Runtime(support.Lists):
    """A framework whose start begins a thread of its own."""

    def __init__(self, own_threads: bool) -> None:
        super().__init__()
        self.own_threads = own_threads

    def has_own_threads(self, setting: dict) -> bool:
        """Return the value that the test has set."""
        return self.own_threads

    def start(self, setting: dict) -> dict:
        """Begin a thread that stays."""
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        return super().start(setting)


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "only one CPU is allowed")
class Masks(unittest.TestCase):
    """OpenMP has bound the thread that imported the framework to one CPU."""

    def in_child(self, own_threads: bool, fork: bool = False) -> bool:
        """Start a child as the driver does; return whether it found what is expected."""
        pid = os.fork()
        if pid:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        try:
            everywhere = cpus.allowed()
            first = min(everywhere)
            os.sched_setaffinity(0, {first})
            cpus.release_forks(everywhere)
            started = child.start(Runtime(own_threads), {}, everywhere)
            wanted = {cpus._text(everywhere if own_threads else {first}): 2}
            right = started["masks"] == wanted
            if fork:
                worker = os.fork()
                if worker == 0:
                    os._exit(cpus.allowed() != everywhere)
                right = os.waitpid(worker, 0)[1] == 0
            os._exit(not right)
        finally:
            os._exit(3)

    def test_threads_of_a_runtime_get_all_cpus_back(self) -> None:
        self.assertTrue(self.in_child(own_threads=True))

    def test_openmp_stays_bound(self) -> None:
        self.assertTrue(self.in_child(own_threads=False))

    def test_processes_that_a_case_starts_get_all_cpus_back(self) -> None:
        self.assertTrue(self.in_child(own_threads=False, fork=True))


class Text(unittest.TestCase):
    """Masks as text."""

    def test_ranges(self) -> None:
        self.assertEqual(cpus._text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8")
        self.assertEqual(cpus._text({3}), "3")


if __name__ == "__main__":
    unittest.main()
