"""What a call that is declared pure changes in its inputs is noted, on every target."""

from __future__ import annotations

import unittest

from support import Lists
from test_execution import X, run


class Purity(unittest.TestCase):
    """Arrays after the first call, and literals after the second."""

    def test_inputs_that_the_first_call_changed(self) -> None:
        two = {**X, "y": ("float32", (1,), [3.0], "host")}
        for purity in (True, False):
            header, _, _ = run(Lists(), "y.add_(1)", two, purity=purity)
            self.assertEqual(header["inputs_changed"], ["y"])
        self.assertEqual(run(Lists(), "x + 1", two, purity=False)[0]["inputs_changed"], [])
        self.assertIsNone(run(Lists(has_values=False), "x", X)[0]["inputs_changed"])
        for keys in ({"repeat": "fresh"}, {"repeat": "once"}, {"rehearse": True}):
            self.assertIsNone(run(Lists(), "x.add_(1)", X, **keys)[0]["inputs_changed"])

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
