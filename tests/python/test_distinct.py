"""Outputs that differ have leaves that differ, and equal ones have equal leaves."""

import collections
import datetime
import decimal
import enum
import importlib.util
import types
import unittest
import warnings
from typing import Any, NamedTuple

import support
from pmdriver.framework import Framework
from pmdriver.job import leaves

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_NUMPY:
    import numpy as np
    from pmdriver.numpy.framework import NumPy
if HAS_TORCH:
    import torch
    from pmdriver.pytorch.framework import PyTorch

TEXT = "x" * (1 << 16)


class Pair(NamedTuple):
    """A named tuple."""

    first: int
    second: int


class Couple(NamedTuple):
    """Another one with the same fields."""

    first: int
    second: int


class Colour(enum.IntEnum):
    """Whole numbers with names."""

    RED = 1
    BLUE = 2


def identity(value: Any, framework: Framework) -> list[tuple]:
    """Give what is compared of a value."""
    found = []
    for leaf in leaves.walk(value, framework):
        if leaf.kind == leaves.ARRAY:
            dtype, digest = framework.digest(leaf.value)
            found.append((leaf.path, leaf.kind, dtype, framework.read(leaf.value).shape, digest))
        else:
            found.append((leaf.path, leaf.kind, repr(leaf.value)))
    return found


def describe(value: Any) -> str:
    """Give what a failed test says of a value: Python refuses the text of a very large number."""
    return "a large number" if type(value) is int and value >= 2**64 else repr(value)[:80]


class Distinct(unittest.TestCase):
    """Pairs of values; the first of each is not the second."""

    def check(self, pairs: list[tuple[Any, Any]], framework: Framework) -> None:
        for first, second in pairs:
            with self.subTest(f"{describe(first)} and {describe(second)}"):
                self.assertNotEqual(identity(first, framework), identity(second, framework))
                self.assertEqual(identity(first, framework), identity(first, framework))
                for wrap in (lambda v: [v], lambda v: {"k": (v, 1)}):
                    a, b = identity(wrap(first), framework), identity(wrap(second), framework)
                    self.assertNotEqual(a, b)

    def test_of_python(self) -> None:
        array = support.Array("float32", (1,), [1.0], "device")
        self.check([
            ([1, 2], (1, 2)), ((0, 1), range(2)), ([0, 1], range(2)), ([], ()), ({}, []),
            ([array], (array,)), ({"a": array}, collections.OrderedDict(a=array)),
            ({"a": 1, "b": 2}, {"b": 1, "a": 2}), ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
            ({1: array}, {"1": array}), ({None: 1}, {"None": 1}), ({True: 1}, {1: 1}),
            (Pair(1, 2), Couple(1, 2)), (Pair(1, 2), (1, 2)), (Pair(1, 2), Pair(2, 1)),
            ({1, 2}, frozenset([1, 2])), ({1, 2}, [1, 2]), ({1, 2}, {1, 3}),
            (collections.deque([1]), [1]), ({1: 2}.keys(), [1]), ({1: 2}.keys(), {3: 2}.keys()),
            (float("inf"), "inf"), (float("nan"), "nan"), (float("inf"), float("-inf")),
            (float("inf"), {"float": "inf"}), (float("inf"), {"float": "inf"}.items()),
            (2**64, str(2**64)), (2**64, hex(2**64)), (2**64, 2**64 + 1), (2**64, float(2**64)),
            (10**5000, 10**5000 + 1), (1 << 300000, (1 << 300000) + 1),
            (1, True), (0, False), (1, 1.0), (1.0, 1 + 0j), (1, "1"), (None, "None"), (None, []),
            (1 + 2j, [1.0, 2.0]), (complex(0, float("inf")), complex(float("inf"), 0)),
            (TEXT + "a", TEXT + "b"), (TEXT + "a", TEXT + "aa"), (TEXT, TEXT[:-1]),
            (TEXT.encode() + b"a", TEXT.encode() + b"b"), (b"a", "a"), (b"a", "61"),
            (b"a", bytearray(b"a")), (b"a", memoryview(b"a")),
            ("a\0", "a\ufffd"), ("a\0", "a"), ("\ud800", "\udc00"), ("\ud800", "\ufffd"),
            ("a\0", "a\\0"), ("\ud800", "\\ud800"),
            (Colour.RED, 1), (Colour.RED, Colour.BLUE), (Colour.RED, "RED"),
            (int, float), (int, "int"), (len, abs), (slice(1), slice(2)), (slice(1), "slice(1)"),
            (types, enum), (range(3), range(4)), (range(0, 9, 2), range(0, 9, 3)),
            (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)),
            (datetime.date(2020, 1, 1), "2020-01-01"),
            (decimal.Decimal("1.0"), decimal.Decimal("1.00")), (decimal.Decimal(1), 1),
        ], support.Lists())  # fmt: skip

    def test_equal_values_have_equal_leaves(self) -> None:
        framework = support.Lists()
        for first, second in (
            ({"b", "a"}, {"a", "b"}),
            (range(0, 9, 2), range(0, 10, 2)),
            (range(3, 3), range(0)),
            (-0.0, -0.0),
        ):
            self.assertEqual(identity(first, framework), identity(second, framework))

    @unittest.skipUnless(HAS_NUMPY, "no numpy")
    def test_of_numpy(self) -> None:
        framework = NumPy()
        framework.start(support.setting())
        self.check(self.of_numpy(), framework)

    @staticmethod
    def of_numpy() -> list[tuple[Any, Any]]:
        masked = np.ma.array([1.0, 2.0], mask=[False, True])
        day = np.datetime64("2020-01-01")
        return [
            (np.int64(5), "5"), (np.int64(5), 5), (np.int64(5), np.int32(5)),
            (np.float64(1.5), 1.5), (np.float32(1.5), np.float32(2.5)), (np.bool_(True), True),
            (np.complex64(1j), 1j), (np.str_("a"), "a"), (np.bytes_(b"a"), b"a"),
            (np.dtype("float32"), "float32"), (np.dtype("float32"), np.dtype("float64")),
            (masked, np.ma.array([1.0, 2.0], mask=[True, False])),
            (masked, np.ma.array([1.0, 2.0])), (masked, np.array([1.0, 2.0])),
            (day, np.datetime64("2020-01-02")), (day, "2020-01-01"),
            (day, np.datetime64("2020-01-01", "s")), (day, np.timedelta64(18262, "D")),
            (np.array([day]), np.array([day + 1])), (np.array([day]), [day]),
            (np.array(["a"]), np.array(["b"])), (np.array(["a"]), np.array([["a"]])),
            (np.array([1, "a"], object), np.array([2, "a"], object)),
            (np.longdouble(1), np.longdouble(1) + np.finfo(np.longdouble).eps),
            (np.zeros(1, [("a", "i4")]), np.zeros(1, [("b", "i4")])),
            (np.zeros(1, [("a", "i4")]), np.ones(1, [("a", "i4")])),
            (np.array([1], ">i4"), np.array([2], ">i4")),
        ]  # fmt: skip

    @unittest.skipUnless(HAS_NUMPY, "no numpy")
    def test_the_byte_order_is_no_difference(self) -> None:
        framework = NumPy()
        swapped = framework.read(np.array([1, 2], ">i4"))
        self.assertEqual(swapped, framework.read(np.array([1, 2], "<i4")))

    @unittest.skipUnless(HAS_TORCH, "no torch")
    def test_of_pytorch(self) -> None:
        framework = PyTorch()
        framework.start(support.setting(device="cpu"))
        if HAS_NUMPY:
            self.check(self.of_numpy(), framework)
            scalar = leaves.walk(np.float32(1.5), framework)
            self.assertEqual([leaf.kind for leaf in scalar], [leaves.CONTAINER, leaves.ARRAY])
            self.assertEqual((scalar[1].value.dtype, scalar[1].value.shape), (torch.float32, ()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # quantized and compressed tensors are outdated, beta
            self.check([*self.of_tensors(), *self.of_objects()], framework)

    @staticmethod
    def of_tensors() -> list[tuple[Any, Any]]:
        eye = torch.eye(3)
        index, ones = [[0], [1]], [1.0]

        def quantized(scale: float = 0.5, zero: int = 1, dtype: Any = torch.quint8) -> Any:
            """Quantize to integers that are the same for all arguments."""
            return torch._make_per_tensor_quantized_tensor(
                torch.ones(3, dtype=torch.uint8 if dtype == torch.quint8 else torch.int8),
                scale, zero,
            )  # fmt: skip

        def by_channel(scale: float, axis: int = 0) -> Any:
            return torch._make_per_channel_quantized_tensor(
                torch.ones((2, 2), dtype=torch.uint8),
                torch.tensor([scale, 1.0]).double(), torch.tensor([0, 0]), axis,
            )  # fmt: skip

        return [
            (torch.sparse_coo_tensor(index, ones, (3, 3)),
             torch.sparse_coo_tensor(index, ones, (3, 4))),
            (eye.to_sparse(), eye), (eye.to_sparse(), eye.to_sparse_csr()),
            (eye.to_sparse_csr(), eye.to_sparse_csc()),
            (torch.zeros(2, 3).to_sparse(), torch.zeros(3, 2).to_sparse()),
            (quantized(), quantized(scale=0.25)), (quantized(), quantized(zero=2)),
            (quantized(), quantized(dtype=torch.qint8)), (quantized(), by_channel(0.5)),
            (by_channel(0.5), by_channel(0.25)), (by_channel(0.5), by_channel(0.5, axis=1)),
            (torch.ones(2), [1.0, 1.0]), (torch.tensor(1.0), 1.0),
            (torch.Size([1, 2]), (1, 2)), (torch.Size([1, 2]), [1, 2]),
            (torch.sort(torch.ones(2)), tuple(torch.sort(torch.ones(2)))),
            (torch.float32, "torch.float32"), (torch.strided, "torch.strided"),
            (torch.finfo(torch.float32), torch.finfo(torch.float16)),
            (torch.ones(2).untyped_storage(), torch.zeros(2).untyped_storage()),
            (torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)),
        ]  # fmt: skip

    @staticmethod
    def of_objects() -> list[tuple[Any, Any]]:
        nn, weight = torch.nn, torch.nn.Parameter(torch.ones(2))

        def sgd(**settings: Any) -> Any:
            return torch.optim.SGD([weight], **{"lr": 0.1, **settings})

        def schedule(gamma: float) -> Any:
            return torch.optim.lr_scheduler.ExponentialLR(sgd(), gamma)

        return [
            (sgd(), sgd(lr=0.2)), (sgd(), sgd(momentum=0.5)),
            (sgd(momentum=1), sgd(nesterov=True, momentum=1)),
            (torch.optim.Adam([weight]), torch.optim.AdamW([weight], weight_decay=0)),
            (schedule(0.5), schedule(0.25)),
            (nn.ReLU(), nn.Sigmoid()), (nn.ReLU(), nn.ReLU(inplace=True)),
            (nn.Dropout(0.1), nn.Dropout(0.2)), (nn.Dropout(0.1), nn.Dropout(0.1).eval()),
            (nn.BatchNorm1d(2), nn.BatchNorm2d(2)), (nn.BatchNorm1d(2), nn.BatchNorm1d(2, eps=1)),
            (nn.Sequential(nn.ReLU()), nn.Sequential(nn.Tanh())),
            (nn.Sequential(nn.Dropout(0.1)), nn.Sequential(nn.Dropout(0.2))),
            (nn.LazyLinear(2), nn.LazyLinear(3)),
        ]  # fmt: skip


if __name__ == "__main__":
    unittest.main()
