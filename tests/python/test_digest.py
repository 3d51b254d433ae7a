"""Digests are those of src/array."""

import unittest

import support  # noqa: F401
from pmdriver.digest import digest, type_text


class Digest(unittest.TestCase):
    """The values were computed by a C program with xxhash.h."""

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
