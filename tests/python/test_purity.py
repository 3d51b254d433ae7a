"""Tests that changes of inputs by a call that is declared pure are noted on every target."""

from __future__ import annotations

import unittest

from support import Lists, unpacked
from test_execution import X, run


class Purity(unittest.TestCase):
    """Changes of arrays by the first call, and of literals by two calls."""

    def test_inputs_that_the_first_call_changed(self) -> None:
        two = {**X, "y": ("float32", (1,), [3.0], "host")}
        for purity in (True, False):
            header, _, _ = run(Lists(), "y.add_(1)", two, purity=purity)
            self.assertEqual(header["inputs_changed"], ["y"])
        self.assertEqual(run(Lists(), "x + 1", two, purity=False)[0]["inputs_changed"], [])
        self.assertIsNone(run(Lists(has_values=False), "x", X)[0]["inputs_changed"])
        self.assertIsNone(run(Lists(), "x.add_(1)", X, rehearse=True)[0]["inputs_changed"])

    def test_inputs_that_may_change_are_stored(self) -> None:
        two = {**X, "y": ("float32", (1,), [3.0], "host")}
        for repeat in ("fresh", "once"):
            for rehearse in (False, True):
                keys = {"repeat": repeat, "rehearse": rehearse}
                header, buffers, _ = run(Lists(), "[y.add_(1), None][1]", two, **keys)
                self.assertEqual(header["inputs_changed"], ["y"])
                self.assertEqual([leaf["path"] for leaf in header["inputs_after"]], ["y"])
                self.assertTrue(header["inputs_after"][0]["on_device"])
                self.assertEqual(unpacked("float32", buffers[-1]), [4.0])
                header, _, _ = run(Lists(), "y.add_(1)", two, **keys)  # the output is the input
                self.assertEqual((header["inputs_changed"], header["inputs_after"]), (["y"], []))
                header, _, _ = run(Lists(), "x + 1", two, **keys)
                self.assertEqual((header["inputs_changed"], header["inputs_after"]), ([], []))
        header, _, _ = run(Lists(has_values=False), "[x.add_(1), None][1]", X, repeat="once")
        self.assertEqual((header["inputs_changed"], header["inputs_after"]), (None, []))

    def test_inputs_that_a_call_consumes_are_not_read(self) -> None:
        header, _, _ = run(Lists(), "[setattr(x, 'values', None), 1][1]", X, repeat="once")
        self.assertEqual((header["harness"], header["inputs_changed"]), (None, []))

    def test_changed_literals_are_reported(self) -> None:
        literals = {"a": [2, 1], "b": {"k": 1}, "c": [[3], 4], "d": [5]}
        call = "(a.sort(), b.update(j=2), c[0].clear(), d.copy())"
        header, _, _ = run(Lists(), call, literals, setup="a.append(0)")
        self.assertEqual(header["second"], {"inputs_changed": ["a", "b", "c"],
                                            "output_changed": []})  # fmt: skip
        header, _, _ = run(Lists(), "a.append(x)", {**X, "a": []}, output="0")
        self.assertEqual(header["second"]["inputs_changed"], ["a"])


if __name__ == "__main__":
    unittest.main()
