"""Tests of splitting outputs into leaves, and of digests, as in src/foundation/array."""

import collections
import dataclasses
import types
import unittest
from unittest import mock

import support
from pmdriver.digest import digest, type_text
from pmdriver.job import execution, leaves
from pmdriver.process import wire


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
            [(path, kind) for path, kind, _ in self.walk(value)],
            [("out", leaves.CONTAINER), ("out[0]", leaves.ARRAY), ("out[1]", leaves.CONTAINER),
             ("out[1].data", leaves.ARRAY), ("out[1].batch_sizes", leaves.VALUE),
             ("out[2]", leaves.CONTAINER), ("out[2]['b']", leaves.VALUE),
             ("out[2]['a']", leaves.CONTAINER), ("out[2]['a'][0]", leaves.ARRAY),
             ("out[2]['a'][1]", leaves.VALUE)],
        )  # fmt: skip

    def test_plain_lists_are_one_value(self) -> None:
        self.assertEqual(self.walk([1, (2, "a"), None, True]),
                         [("out", leaves.VALUE, [1, {"tuple": [2, "a"]}, None, True])])  # fmt: skip

    def test_truth_is_no_number(self) -> None:
        self.assertIs(self.walk(True)[0][2], True)
        self.assertIs(self.walk([True])[0][2][0], True)

    def test_values_that_json_lacks(self) -> None:
        value = [float("nan"), float("-inf"), 2**70, 1 + 2j]
        self.assertEqual(self.walk(value)[0][2],
                         [{"float": "nan"}, {"float": "-inf"}, {"int": hex(2**70)},
                          {"complex": [1.0, 2.0]}])  # fmt: skip

    def test_anything_else_by_its_type(self) -> None:
        self.assertEqual(self.walk((object(), {}, [support.Channel()])), [
            ("out", leaves.CONTAINER, "tuple"),
            ("out[0]", leaves.TYPE, "object"),
            ("out[1]", leaves.CONTAINER, "dict"),
            ("out[2]", leaves.CONTAINER, "list"),
            ("out[2][0]", leaves.TYPE, "support.Channel"),
        ])  # fmt: skip

    def test_keys(self) -> None:
        keyed = {1: 0, "1": 0, None: 0, "None": 0, (2, "a"): 0, 1.5: 0, self.array: 0,
                 len: 0, "x" * 999: 0}  # fmt: skip
        paths = [path for path, _, _ in self.walk(keyed)]
        self.assertEqual(len(set(paths)), len(paths))
        self.assertEqual(paths[1:7], ["out[1]", "out['1']", "out[None]", "out['None']",
                                      "out[(2, 'a')]", "out[1.5]"])  # fmt: skip
        self.assertEqual(paths[7], "out[support.Array 6]")
        self.assertEqual(paths[8], 'out[{"function": "builtins.len"}]')
        self.assertLess(len(paths[9]), 300)

    def test_what_has_fields(self) -> None:
        @dataclasses.dataclass
        class Pair:
            first: object
            second: object

        for value in (Pair(self.array, 2), types.SimpleNamespace(first=self.array, second=2)):
            found = self.walk(value)
            self.assertEqual([path for path, _, _ in found], ["out", "out.first", "out.second"])


class Limits(unittest.TestCase):
    """Exceeding one of portmeter's own limits is not a fault of the function."""

    def fault(self, value: object) -> str:
        framework = support.Lists()
        framework.start(support.setting())
        framework.kept["value"] = value
        job = support.job("kept['value']", purity=False)
        header, _ = execution.run(framework, *job, support.Channel())
        self.assertIsNone(header["raised"])
        self.assertEqual(header["stage"], "compare")
        return header["harness"] or ""

    def test_endless(self) -> None:
        value: list = [support.Array("float32", (1,), [1.0], "device")]
        value.append(value)
        plain: list = [1]
        plain.append(plain)
        deep: list = []
        for _ in range(5000):
            deep = [deep]
        keys: dict = {}
        for _ in range(5000):
            keys = {"k": keys}
        for endless in (value, plain, deep, keys):
            self.assertIn("more than 60 levels (portmeter's limit)", self.fault(endless))

    def test_levels_within_the_limit(self) -> None:
        deep: object = 1.5
        for _ in range(leaves.MOST_DEPTH):
            deep = (deep,)
        self.assertEqual(self.fault(deep), "")

    def test_many_leaves(self) -> None:
        array = support.Array("float32", (1,), [1.0], "device")
        with mock.patch.object(leaves, "MOST_LEAVES", 100):
            self.assertIn("more than 100 parts", self.fault([array] * 100))
            self.assertEqual(self.fault([array] * 99), "")

    def test_size_and_dimensions(self) -> None:
        array = support.Array("float32", (1,), [1.0], "device")
        extents = [
            ((2, 2**31), "2,147,483,648 bytes, over 943,718,400 (portmeter's limit)"),
            ((1, 2**32 + 8), "4,294,967,304 bytes"),
            ((65, 4), "65 dimensions, over 64"),
            ((64, 4), ""),
        ]
        for extent, text in extents:
            with mock.patch.object(support.Lists, "extent", lambda *_, e=extent: e):
                self.assertIn(text, self.fault((1, array)))
        with mock.patch.object(leaves, "MOST_BYTES_OF_ALL", 7):
            self.assertIn("8 bytes with the arrays before it, over 7", self.fault([array, array]))

    def test_they_are_the_frames(self) -> None:
        self.assertEqual(leaves.MOST_BYTES_OF_ALL, wire.BODY_MAX)


class Digest(unittest.TestCase):
    """Digests; the expected values were computed by a C program with xxhash.h."""

    KNOWN = (
        ("float32", (0, 3), b"", "d82e2b49961db516109c74e1aef096c9"),
        ("float32", (2, 2), bytes(16), "165fd8992f80a3a17a1da77190b36547"),
        ("int64", (2,), bytes(16), "a5d6f025b9bd65f74af3409b8c9c37cb"),
        ("uint8", (), bytes(1), "549fa655b36d3faed47d79a42c954f59"),
        ("uint8", (256,), bytes(range(256)), "0e35e39a748a66a050eb9bcd6159b4a9"),
        ("bool", (16, 16), bytes(range(256)), "f78539c22491c57f49fcf2adee5686c9"),
    )

    def test_known_values(self) -> None:
        for dtype, shape, data, expected in self.KNOWN:
            with self.subTest(type_text(dtype, shape)):
                self.assertEqual(digest(dtype, shape, data), expected)

    def test_type_is_part_of_it(self) -> None:
        found = {digest(d, s, bytes(8)) for d, s in (("int8", (8,)), ("int8", (2, 4)),
                                                     ("uint8", (8,)), ("int64", ()))}  # fmt: skip
        self.assertEqual(len(found), 4)

    def test_text(self) -> None:
        self.assertEqual(type_text("float32", (4, 200)), "float32[4,200]")
        self.assertEqual(type_text("bool", ()), "bool[]")


if __name__ == "__main__":
    unittest.main()
