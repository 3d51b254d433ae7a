"""Tests of turning exceptions into lines and evidence."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import support  # noqa: F401
from pmdriver import failure, trial
from pmdriver.job import source


class Silent(Exception):
    """An exception whose text cannot be made."""

    def __str__(self) -> str:
        raise ValueError("none")


def caught(call: object) -> BaseException:
    """Return the exception that a call raises."""
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def raised(text: str) -> BaseException:
    """Return the exception that the text of a call raises, as in a case."""
    return caught(source.function_of(source.compile_call(text, []), {}))


class Lines(unittest.TestCase):
    """One exception, one line."""

    def test_summary(self) -> None:
        for error, line in (
            (ValueError("must match"), "ValueError: must match"),
            (ValueError("two\n  lines:"), "ValueError: two lines:"),
            (MemoryError(), "MemoryError"),
            (KeyError("k"), "KeyError: 'k'"),
            (Silent(), "Silent: (reading its message raised ValueError)"),
        ):
            self.assertEqual(failure.summary(error), line)

    def test_it_is_cut(self) -> None:
        line = failure.summary(ValueError("x" * 1000), 100)
        self.assertEqual((len(line), line[-3:]), (100, "..."))

    def test_no_answer_of_a_trial_names_a_folder_that_is_soon_gone(self) -> None:
        """A path is replaced before a line is cut, which would hide its beginning."""
        shown = []

        def respond(framework: str, request: dict[str, Any]) -> None:
            for name in ("case/a", "case", "b"):
                path = os.path.join(request["scratch"], name)
                shown.append(failure.summary(ValueError(path + "y" * 300), 40))

        with tempfile.TemporaryDirectory() as folder:
            request = Path(folder, "request.json")
            request.write_text(json.dumps({"scratch": os.path.join(folder, "work")}))
            with (
                mock.patch("sys.argv", ["trial.py", "null", str(request)]),
                mock.patch.dict(failure._hidden, clear=True),
                mock.patch.dict(os.environ),
            ):
                trial.main("try", respond)
        for line, path in zip(shown, ("$tmp/a", "$tmp", "$tmp/b")):
            self.assertEqual(line, f"ValueError: {path}{'y' * (25 - len(path))}...")

    def test_where_it_was_raised(self) -> None:
        error = caught(lambda: source.compile_call("", []))
        self.assertRegex(
            failure.located(error),
            r"^CaseError: call is empty: write an expression or statements \(job/source.py:\d+\)$",
        )
        line = "ZeroDivisionError: division by zero (<call>:1)"
        self.assertEqual(failure.located(raised("1 / 0")), line)
        self.assertEqual(failure.located(ValueError("no trace")), "ValueError: no trace")


class Bugs(unittest.TestCase):
    """Exceptions that are the fault of the case, and those that are the fault of portmeter."""

    def test_whose(self) -> None:
        self.assertTrue(failure.is_own_bug(caught(lambda: source.compile_call(None, []))))
        self.assertFalse(failure.is_own_bug(caught(lambda: source.compile_call("", []))))
        self.assertFalse(failure.is_own_bug(raised("{}['k']")))


class Evidence(unittest.TestCase):
    """The evidence in a result."""

    def test_keys(self) -> None:
        found = failure.evidence(raised("{}['k']"), "host")
        self.assertEqual(set(found), {"type", "types", "message", "traceback", "memory"})
        self.assertEqual(found["types"][:2], ["KeyError", "LookupError"])
        self.assertEqual((found["message"], found["memory"]), ("'k'", "host"))

    def test_types_are_those_below_exception(self) -> None:
        for error, types in ((KeyError(), ["KeyError", "LookupError"]), (Exception(), []),
                             (SystemExit(), []), (KeyboardInterrupt(), [])):  # fmt: skip
            self.assertEqual(failure.evidence(error, None)["types"], types)

    def test_the_traceback_begins_with_the_case(self) -> None:
        def through_our_code() -> None:
            source.truth(type("Bad", (), {"item": lambda self: 1 / 0})())

        text = failure.description(caught(through_our_code))["traceback"]
        self.assertIn("test_failure.py", text)
        self.assertEqual(failure.description(Silent())["message"][:20], "(reading its message")

    def test_long_texts_lose_their_middle(self) -> None:
        found = failure.description(ValueError("a" + "x" * 10**6 + "z"))
        self.assertLess(len(found["message"]), failure.MOST_MESSAGE + 10)
        self.assertEqual((found["message"][0], found["message"][-1]), ("a", "z"))


if __name__ == "__main__":
    unittest.main()
