"""Tests of mutating outputs of any dtype in the ways that the supervisor knows."""

import collections
import os
import re
import struct
import unittest
from typing import Any

from pmdriver.job import mutate
from support import Array, Lists

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/judging/judge/judge.h")


class Names(unittest.TestCase):
    """The driver and the supervisor have the same names of mutations."""

    def test_they_are_those_of_the_header(self) -> None:
        with open(HEADER, encoding="utf-8") as file:
            text = file.read()
        listed = re.search(r"#define PM_MUTATIONS\(X, P\)(.*?)\nPM_WORDS", text, re.S)
        names = set(re.findall(r'"([^"]+)"', listed.group(1)))
        own = {mutate.ZEROS, mutate.SHAPE, mutate.ELEMENT, mutate.NAN, mutate.VALUE,
               mutate.KEY, mutate.SWAPPED}  # fmt: skip
        self.assertEqual(own - names, set())


class Bytes(unittest.TestCase):
    """Elements of each dtype."""

    def of(self, dtype: str, data: bytes) -> dict[str, bytes]:
        return dict(mutate._of_bytes(dtype, data))

    def test_floats(self) -> None:
        for dtype, kind in (("float16", "e"), ("float32", "f"), ("float64", "d")):
            found = self.of(dtype, struct.pack(f"<2{kind}", 1, 2))
            values = {name: struct.unpack(f"<2{kind}", data) for name, data in found.items()}
            self.assertEqual(values.pop(mutate.ZEROS), (0, 0))
            self.assertEqual(values.pop(mutate.HIGH), (float("inf"),) * 2)
            self.assertEqual(values.pop(mutate.LOW), (float("-inf"),) * 2)
            first, second = values.pop(mutate.NAN)
            self.assertTrue(first != first and second == 2)
            self.assertEqual(values, {})

    def test_bfloat16_is_half_of_float32(self) -> None:
        found = self.of("bfloat16", b"\x80\x3f")
        self.assertEqual(found[mutate.HIGH], b"\x80\x7f")
        self.assertEqual(found[mutate.LOW], b"\x80\xff")
        self.assertEqual(struct.unpack("<f", b"\0\0" + found[mutate.NAN])[0] == 0, False)

    def test_complex(self) -> None:
        found = self.of("complex64", struct.pack("<4f", 1, 2, 3, 4))
        self.assertEqual(struct.unpack("<4f", found[mutate.NAN])[2:], (3, 4))
        self.assertEqual(len(found[mutate.HIGH]), 16)

    def test_whole_numbers(self) -> None:
        for bits in (8, 16, 32, 64):
            for signed in (True, False):
                dtype, size = f"{'' if signed else 'u'}int{bits}", bits // 8
                top = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
                data = b"".join(n.to_bytes(size, "little", signed=signed) for n in (top, 5))
                found = {
                    name: [
                        int.from_bytes(changed[:size], "little", signed=signed),
                        int.from_bytes(changed[size:], "little", signed=signed),
                    ]
                    for name, changed in self.of(dtype, data).items()
                }
                high = min(top, mutate.FAR)
                self.assertEqual(found.pop(mutate.ELEMENT), [-top - 1 if signed else 0, 5])
                self.assertEqual(found.pop(mutate.HIGH), [high, high])
                self.assertEqual(found.pop(mutate.LOW, [-high] * 2), [-high, -high])
                self.assertEqual(found, {mutate.ZEROS: [0, 0]})

    def test_truth_values_and_nothing(self) -> None:
        self.assertEqual(self.of("bool", b"\1\0"), {
            mutate.ZEROS: b"\0\0", mutate.ELEMENT: b"\0\0", mutate.HIGH: b"\1\1",
        })  # fmt: skip
        self.assertEqual(self.of("float32", b""), {})


class Structures(unittest.TestCase):
    """Containers are copied with one leaf replaced."""

    def variants(self, value: Any) -> list[tuple]:
        return list(mutate._variants(value, Lists(), "out"))

    def test_containers_keep_their_type(self) -> None:
        pair = collections.namedtuple("pair", "a b")
        array = Array("float32", (1,), [1.0], "device")
        for value in (
            [array, array],
            (array, array),
            pair(array, array),
            {"a": array, 2: array},
            collections.OrderedDict(a=array, b=array),
        ):
            found = self.variants(value)
            self.assertEqual({type(variant) for _, _, variant in found}, {type(value)})
            self.assertEqual(len({path for path, _, _ in found}), 2)
            self.assertTrue(all(len(variant) == 2 for _, _, variant in found))

    def test_nothing_that_cannot_be_mutated(self) -> None:
        for value in (None, object(), [], {}, len):
            self.assertEqual(self.variants(value), [])

    def test_an_array_that_would_not_change_is_left_out(self) -> None:
        zeros = Array("float32", (2,), [0.0, 0.0], "device")
        self.assertNotIn(mutate.ZEROS, [name for _, name, _ in self.variants(zeros)])


if __name__ == "__main__":
    unittest.main()
