"""Tests of keys of a case other than inputs, setup and call, on a framework of plain Python."""

from __future__ import annotations

import os
import tempfile
import types
import unittest
from typing import Any

import support
from pmdriver.job import execution
from support import Channel, Lists, job

X = {"x": ("float32", (2,), [1.0, 2.0])}


def run(call: str, framework: Lists | None = None, **keys: Any) -> dict:
    """Run a job; return its header."""
    framework = framework or Lists()
    framework.setting = support.setting(reference=True)
    return execution.run(framework, *job(call, keys.pop("inputs", X), **keys), Channel())[0]


class Process(unittest.TestCase):
    """The key `process`."""

    def test_what_the_framework_does_not_know_is_the_cases_fault(self) -> None:
        header = run("x", process={"x64": True})
        self.assertEqual(header["harness"], "process: lists does not support 'x64': remove it")

    def test_a_variable_is_for_every_framework(self) -> None:
        header = run("x", process={"environment": {"A": "1"}, "alone": True})
        self.assertIsNone(header["harness"])

    def test_fewer_devices(self) -> None:
        framework = Lists(process_keys=Lists.process_keys | {"devices"})
        header = run("x", framework, process={"devices": 2})
        self.assertEqual(
            header["not_applicable"], "requires 2 devices, but the number of devices is 1"
        )


class Context(unittest.TestCase):
    """The key `context`."""

    OPENING = """
class Opened:
    def __init__(self, log, name): self.log, self.name = log, name
    def __enter__(self): self.log.append("+" + self.name); return self.name
    def __exit__(self, *_): self.log.append("-" + self.name)
"""

    def run_in(self, call: str, context: str, **keys: Any) -> tuple[dict, list[str]]:
        """Run a job whose context may use `Opened`; return its header and what was opened."""
        scope: dict[str, Any] = {}
        exec(self.OPENING, scope)
        framework = Lists()
        log = framework.kept["log"] = []
        framework.kept["open"] = lambda name: scope["Opened"](log, name)
        return run(call, framework, context=context, **keys), log

    def test_it_surrounds_everything_and_gives_names(self) -> None:
        header, log = self.run_in(
            "(a, b, list(kept['log']))",
            "kept['open']('a') as a, kept['open'](a + 'b') as b",
            setup="assert kept['log'] == ['+a', '+ab']",
            output="(*out, list(kept['log']), a)",
            check="kept['log'][-1] == '+ab' and out[1] == b",
            repeat="once",
        )
        self.assertEqual(header["outputs"][0]["value"]["tuple"][:2], ["a", "ab"])
        self.assertTrue(header["check"])
        self.assertEqual(log, ["+a", "+ab", "-ab", "-a"])

    def test_each_sample_has_its_own_within_the_first(self) -> None:
        framework = Lists()
        framework.setting = support.setting(clocks=True)
        made = framework.kept["made"] = []
        opening = (
            "__import__('contextlib').closing(type('A', (), {"
            "'__init__': lambda self: kept['made'].append('+'), "
            "'close': lambda self: kept['made'].append('-')})())"
        )
        header, _ = execution.run(
            framework, *job("x", X, context=opening, repeat="fresh"), Channel()
        )
        self.assertIsNone(header["raised"])
        timings = len(header["timings"]["warm"]) + header["clocks"]["warm"]["warmup"]
        self.assertEqual("".join(made), "+" + timings * "+-" + "-")

    def test_what_is_open_is_left_after_an_exception(self) -> None:
        header, log = self.run_in("1 / 0", "kept['open']('a')")
        self.assertEqual(header["raised"]["type"], "ZeroDivisionError")
        self.assertEqual(log, ["+a", "-a"])

    def test_one_that_cannot_be_opened_fails_at_the_setup(self) -> None:
        header = run("x", context="1 / 0")
        self.assertEqual(
            (header["raised"]["type"], header["stage"]), ("ZeroDivisionError", "setup")
        )

    def test_what_is_no_list_of_contexts(self) -> None:
        for text, why in (
            ("a b", "context is not valid Python after 'with'"),
            ("a as b.c", "context: write a name after 'as'"),
            ("a): pass\nif (b", "context is not valid Python after 'with'"),
        ):
            self.assertIn(why, run("x", context=text)["harness"], text)


class Arguments(unittest.TestCase):
    """The key `arguments`."""

    def test_they_are_parameters_behind_the_inputs(self) -> None:
        seen = []

        class Binding(Lists):
            def bind(self, function: Any) -> Any:
                seen.append(function.__code__.co_varnames[: function.__code__.co_argcount])
                return function

        header = run("x + y + z", Binding(), setup="y, z = 1, 2", arguments=["z", "y"])
        self.assertIsNone(header["raised"] or header["harness"])
        self.assertEqual(seen, [("x", "z", "y")])

    def test_samples_have_them(self) -> None:
        framework = Lists()
        framework.setting = support.setting(clocks=True)
        for repeat in ("pure", "fresh"):
            keys = {"setup": "y = 1", "arguments": ["y"], "repeat": repeat}
            header, _ = execution.run(framework, *job("x + y", X, **keys), Channel())
            self.assertIsNone(header["raised"] or header["harness"])
            self.assertTrue(header["timings"]["warm"])

    def test_one_that_the_setup_does_not_make(self) -> None:
        header = run("x", setup="y = 1", arguments=["z"])
        self.assertEqual(
            header["harness"], "'z' of 'arguments' is not a name from 'setup': define it there"
        )

    def test_a_pure_call_leaves_them_as_they_are(self) -> None:
        header = run("y.append(3)", setup="y = [x]", arguments=["y"])
        self.assertEqual(header["second"]["inputs_changed"], ["y"])


class Absent(unittest.TestCase):
    """The key `absent` of a file."""

    def run_absent(self, missing: str | None, **absent: str) -> dict:
        """Run a case of a function that exists or is missing; return the header."""
        framework = Lists(missing=lambda function: missing)
        return run("None", framework, inputs={}, absent=absent)

    def test_a_function_that_is_gone(self) -> None:
        header = self.run_absent("f is not in 3", until="2", replaced_by="g")
        self.assertTrue(header["absent"])
        self.assertEqual(header["not_applicable"], "f is not in 3: last in 2, now g")
        header = self.run_absent("f is not in 3", until="2")
        self.assertEqual(header["not_applicable"], "f is not in 3: last in 2, nothing replaces it")

    def test_a_name_that_is_near_is_suggested_to_the_author(self) -> None:
        lists = types.SimpleNamespace(inner=types.SimpleNamespace(logaddexp=1))
        for function, suggested in (
            ("lists.inner.logadexp", "not there: did you mean lists.inner.logaddexp?"),
            ("lists.iner.logaddexp", "not there: did you mean lists.inner?"),
            ("lists.inner.sin", "not there"),
            ("other.logadexp", "not there"),
        ):
            for rehearse in (False, True):
                framework = Lists(
                    missing=lambda function: "not there", names=lambda: {"lists": lists}
                )
                keys = {"function": function, "rehearse": rehearse}
                header = run("None", framework, inputs={}, **keys)
                expected = suggested if rehearse else "not there"
                self.assertEqual(header["not_applicable"], expected)

    def test_one_that_is_there_all_the_same(self) -> None:
        header = self.run_absent(None, until="2")
        self.assertEqual(
            header["harness"],
            "absent: the framework still has the function after version 2: change 'until'",
        )


class Captured(unittest.TestCase):
    """The name `captured`."""

    PRINTING = "import os, sys\ndef say():\n    print('a'); os.write(2, b'b\\n'); return 1"

    def test_output_and_check_see_what_the_call_prints(self) -> None:
        header = run(
            "say()", setup=self.PRINTING, output="(out, captured)", check="captured == 'a\\nb\\n'"
        )
        self.assertEqual(header["outputs"][0]["value"], {"tuple": [1, "a\nb\n"]})
        self.assertTrue(header["check"])
        self.assertEqual(header["second"]["output_changed"], [])

    def test_printing_works_again_after_an_exception(self) -> None:
        before = [os.fstat(number).st_ino for number in (1, 2)]
        header = run("1 / 0", output="captured")
        self.assertEqual(header["raised"]["type"], "ZeroDivisionError")
        self.assertEqual([os.fstat(number).st_ino for number in (1, 2)], before)

    def test_who_does_not_ask_has_no_such_name(self) -> None:
        header = run("x", setup="assert 'captured' not in globals()")
        self.assertIsNone(header["raised"])


class Keys(unittest.TestCase):
    """The form `key(n)` of an input."""

    def test_a_framework_without_keys(self) -> None:
        given, body = job("k")
        given["inputs"] = [{"name": "k", "key": 3}]
        framework = Lists()
        framework.setting = support.setting()
        header, _ = execution.run(framework, given, body, Channel())
        self.assertEqual(header["harness"], "key(3): lists has no random keys: use another input")


class Scratch(unittest.TestCase):
    """The folder `$tmp`."""

    def test_each_setup_finds_it_empty(self) -> None:
        framework = Lists()
        framework.setting = support.setting(clocks=True)
        keys = {"setup": "import os\nassert not os.listdir('$tmp')", "repeat": "fresh"}
        with tempfile.TemporaryDirectory() as folder:
            header, _ = execution.run(
                framework, *job("open('$tmp/f', 'x').close()", X, **keys), Channel(folder)
            )
        self.assertIsNone(header["raised"])
        self.assertTrue(header["timings"]["warm"])


if __name__ == "__main__":
    unittest.main()
