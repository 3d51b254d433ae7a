"""What a case may ask of the driver beside its inputs, setup and call, on a framework of Python."""

from __future__ import annotations

import unittest
from typing import Any

import support
from pmdriver.job import execution
from support import Channel, Lists, job

X = {"x": ("float32", (2,), [1.0, 2.0])}


def run(call: str, framework: Lists | None = None, **keys: Any) -> dict:
    """Run a job; give its header."""
    framework = framework or Lists()
    framework.setting = support.setting(control=True)
    return execution.run(framework, *job(call, keys.pop("inputs", X), **keys), Channel())[0]


class Process(unittest.TestCase):
    """The key `process`."""

    def test_what_the_framework_does_not_know_is_the_cases_fault(self) -> None:
        header = run("x", process={"x64": True})
        self.assertEqual(header["harness"], "process: lists has no 'x64': remove it")

    def test_a_variable_is_for_every_framework(self) -> None:
        header = run("x", process={"environment": {"A": "1"}, "alone": True})
        self.assertIsNone(header["harness"])

    def test_fewer_devices(self) -> None:
        framework = Lists(process_keys=Lists.process_keys | {"devices"})
        header = run("x", framework, process={"devices": 2})
        self.assertEqual(header["not_applicable"], "requires 2 devices, and there is 1")


if __name__ == "__main__":
    unittest.main()
