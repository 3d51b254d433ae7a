"""Tests of the work that a driver does before it forks, to save its children this work."""

from __future__ import annotations

import importlib.util
import unittest
from pathlib import Path
from unittest import mock

import fresh
import support
from pmdriver.process import practice

ROOT = Path(__file__).resolve().parent.parent.parent
HAS_TORCH = importlib.util.find_spec("torch") is not None

IN_A_DRIVER = """
import os, sys
sys.path.insert(0, "../../drivers")
from pmdriver import frameworks
framework = frameworks.framework("pytorch")
framework.import_all()
threads, before = os.listdir("/proc/self/task"), dict(vars(framework))
framework.practise()
print(os.listdir("/proc/self/task") == threads, vars(framework) == before)
"""


class Deaf(support.Lists):
    """A framework that cannot read arrays back."""

    def read(self, array: object) -> object:
        raise OSError("no luck")


def started(framework: support.Lists) -> support.Lists:
    """Start a framework with the usual setting."""
    framework.start(support.setting())
    return framework


class Practise(unittest.TestCase):
    """A job that calls nothing is run many times."""

    def test_it_is_done(self) -> None:
        framework = started(support.Lists())
        with mock.patch.object(framework, "end_job", wraps=framework.end_job) as ended:
            practice.practise(framework)
        self.assertGreaterEqual(ended.call_count, 20)

    def test_a_job_that_fails_is_reported(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "warm-up of the driver failed: .*no luck"):
            practice.practise(started(Deaf()))

    @unittest.skipUnless(HAS_TORCH, "no torch")
    def test_torch_starts_no_thread_and_is_as_before(self) -> None:
        self.assertEqual(fresh.python(IN_A_DRIVER), (0, "True True\n"))


if __name__ == "__main__":
    unittest.main()
