"""Outputs are walked to leaves."""

import collections
import unittest

import support
from pmdriver.job import leaves


class Walk(unittest.TestCase):
    """Paths, order and kinds."""

    def setUp(self) -> None:
        self.framework = support.Lists()
        self.array = support.Array("float32", (1,), [1.0], "device")

    def walk(self, value: object) -> list:
        return [tuple(leaf) for leaf in leaves.walk(value, self.framework)]

    def test_an_array(self) -> None:
        self.assertEqual(self.walk(self.array), [("out", leaves.ARRAY, self.array)])

    def test_containers_in_order(self) -> None:
        pair = collections.namedtuple("Pair", "data batch_sizes")
        value = (self.array, pair(self.array, [1, 2]), {"b": 1, "a": (self.array, None)})
        self.assertEqual(
            [path for path, _, _ in self.walk(value)],
            ["out[0]", "out[1].data", "out[1].batch_sizes", "out[2]['b']", "out[2]['a'][0]",
             "out[2]['a'][1]"],
        )  # fmt: skip

    def test_plain_lists_are_one_value(self) -> None:
        self.assertEqual(self.walk([1, (2, "a"), None, True]),
                         [("out", leaves.VALUE, [1, [2, "a"], None, True])])  # fmt: skip

    def test_truth_is_no_number(self) -> None:
        self.assertIs(self.walk(True)[0][2], True)
        self.assertIs(self.walk([True])[0][2][0], True)

    def test_values_that_json_lacks(self) -> None:
        value = [float("nan"), float("-inf"), 2**70, 1 + 2j]
        self.assertEqual(self.walk(value)[0][2],
                         ["nan", "-inf", str(2**70), {"complex": [1.0, 2.0]}])  # fmt: skip

    def test_anything_else_by_its_type(self) -> None:
        self.assertEqual(self.walk((object(), {}, [support.Channel()])), [
            ("out[0]", leaves.TYPE, "object"),
            ("out[1]", leaves.TYPE, "dict"),
            ("out[2][0]", leaves.TYPE, "support.Channel"),
        ])  # fmt: skip

    def test_endless(self) -> None:
        value: list = [self.array]
        value.append(value)
        plain: list = [1]
        plain.append(plain)
        for endless in (value, plain):
            with self.assertRaises(ValueError):
                self.walk(endless)


if __name__ == "__main__":
    unittest.main()
