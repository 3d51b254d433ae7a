"""Tests that different outputs have different leaves, and equal outputs have equal leaves."""

import array
import collections
import datetime
import decimal
import enum
import functools
import importlib.util
import operator
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
    """Another named tuple with the same fields."""

    first: int
    second: int


class Colour(enum.IntEnum):
    """Whole numbers with names."""

    RED = 1
    BLUE = 2


def identity(value: Any, framework: Framework) -> list[tuple]:
    """Return the leaves of a value, as they are compared."""
    found = []
    for leaf in leaves.walk(value, framework):
        if leaf.kind == leaves.ARRAY:
            dtype, digest = framework.digest(leaf.value)
            found.append((leaf.path, leaf.kind, dtype, framework.read(leaf.value).shape, digest))
        else:
            found.append((leaf.path, leaf.kind, repr(leaf.value)))
    return found


def describe(value: Any) -> str:
    """Return a value as text for a failed test; Python refuses the text of a very large number."""
    return "a large number" if type(value) is int and value >= 2**64 else repr(value)[:80]


class Distinct(unittest.TestCase):
    """Pairs of values that must have different leaves."""

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
            (int, float), (int, "int"), (len, abs), (str.upper, str.lower),
            (slice(1), slice(2)), (slice(1), "slice(1)"),
            (types, enum), (range(3), range(4)), (range(0, 9, 2), range(0, 9, 3)),
            (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)),
            (datetime.date(2020, 1, 1), "2020-01-01"),
            (decimal.Decimal("1.0"), decimal.Decimal("1.00")), (decimal.Decimal(1), 1),
        ], support.Lists())  # fmt: skip

    def test_of_functions(self) -> None:
        array = support.Array("float32", (1,), [1.0], "device")

        def power(exponent: Any) -> Any:
            return lambda x: x**exponent

        def recursive(base: int) -> Any:
            def call(n: int) -> int:
                return base if n == 0 else call(n - 1)

            return call

        def defined(text: str) -> Any:
            names: dict[str, Any] = {"__name__": "portmeter_case"}
            exec(text, names)
            return names["f"]

        partial = functools.partial
        self.check([
            (lambda x: x + 1, lambda x: x - 1), (lambda x: x + 1, lambda x: x + 2),
            (lambda x, y=1: x, lambda x, y=2: x), (power(2), power(3)), (power(array), power(2)),
            (recursive(1), recursive(2)), (lambda x: x.a, lambda x: x.b),
            (lambda *, k=1: k, lambda *, k=2: k), (lambda x: lambda y: 1, lambda x: lambda y: 2),
            (defined("def f(x): return x"), defined("def f(x): return -x")),
            (partial(max, 1), partial(max, 2)), (partial(max, 1), partial(min, 1)),
            (partial(sorted, key=len), partial(sorted, key=abs)), (partial(max), max),
            (partial(max, array), partial(max, 1)),
            ([1].append, [2].append), ([1].append, [1].remove),
            (decimal.Decimal(1).exp, decimal.Decimal(2).exp), (self.setUp, self.tearDown),
            (operator.itemgetter(1), operator.itemgetter(2)),
            (operator.attrgetter("a"), operator.itemgetter("a")),
            (operator.methodcaller("f", k=1), operator.methodcaller("f", k=2)),
        ], support.Lists())  # fmt: skip

    def test_of_objects(self) -> None:
        one, two = (support.Array("float32", (1,), [n], "device") for n in (1.0, 2.0))
        numbers = array.array
        self.check([
            ({one}, {two}), ({one, two}, {one}), (frozenset([one]), {one}),
            ({one, "a"}, {one, "b"}),
            (numbers("i", [1]), numbers("i", [2])), (numbers("i", [1]), numbers("q", [1])),
            (numbers("f", [1]), numbers("f", [2])), (numbers("B", [1]), b"\1"),
            (memoryview(numbers("i", [1])), memoryview(numbers("I", [1]))),
            (ValueError("a"), ValueError("b")), (ValueError("a"), TypeError("a")),
            (ValueError(one), ValueError(two)), (..., NotImplemented),
        ], support.Lists())  # fmt: skip

    def test_of_classes_that_show_other_items(self) -> None:
        array = support.Array("float32", (1,), [1.0], "device")

        class Bytes(bytes):
            def __bytes__(self) -> bytes:
                return b"the same"

        class List(list):
            def __iter__(self) -> Any:
                return iter([1])

        class Dict(dict):
            def items(self) -> Any:
                return {}.items()

        class Short(tuple):
            _fields = ("first",)

        class Complex(complex):
            real = imag = 0.0

        self.check([
            (Bytes(b"a"), Bytes(b"b")), (List([1, 2]), List([1, 3])), (List([array]), List([])),
            (Dict(a=1), Dict(a=2)), (Short((1, 2)), Short((1, 3))), (Complex(1), Complex(2)),
        ], support.Lists())  # fmt: skip

    def test_equal_values_have_equal_leaves(self) -> None:
        framework = support.Lists()
        for first, second in (
            ({"b", "a"}, {"a", "b"}),
            (range(0, 9, 2), range(0, 10, 2)),
            (range(3, 3), range(0)),
            (-0.0, -0.0),
            (lambda x: x + 1, lambda x: x + 1),
            (ValueError("a"), ValueError("a")),
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

        def advanced(generator: Any) -> Any:
            generator.random()
            return generator

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
            (np.sin, np.cos), (np.random.default_rng(1), np.random.default_rng(2)),
            (np.random.default_rng(1), advanced(np.random.default_rng(1))),
            (np.random.PCG64(1), np.random.PCG64(2)), (np.random.PCG64(1), np.random.MT19937(1)),
            (np.random.RandomState(1), np.random.RandomState(2)),
            (np.random.SeedSequence(1), np.random.SeedSequence(2)),
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
            warnings.simplefilter("ignore")  # about quantized and compressed tensors
            self.check([*self.of_tensors(), *self.of_objects()], framework)

    @staticmethod
    def of_tensors() -> list[tuple[Any, Any]]:
        eye = torch.eye(3)
        index, ones = [[0], [1]], [1.0]

        def quantized(scale: float = 0.5, zero: int = 1, dtype: Any = torch.quint8) -> Any:
            """Return a quantized tensor whose integers are the same for all arguments."""
            return torch._make_per_tensor_quantized_tensor(
                torch.ones(3, dtype=torch.uint8 if dtype == torch.quint8 else torch.int8),
                scale, zero,
            )  # fmt: skip

        def by_channel(scale: float, axis: int = 0) -> Any:
            return torch._make_per_channel_quantized_tensor(
                torch.ones((2, 2), dtype=torch.uint8),
                torch.tensor([scale, 1.0]).double(), torch.tensor([0, 0]), axis,
            )  # fmt: skip

        def advanced(generator: Any) -> Any:
            torch.rand(1, generator=generator)
            return generator

        def typed(values: list[int]) -> Any:
            return torch.tensor(values, dtype=torch.int32).storage()

        repeated = torch.sparse_coo_tensor([[0, 0]], [1.0, 1.0], (3,))

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
            (torch.Generator().manual_seed(1), advanced(torch.Generator().manual_seed(1))),
            (typed([1, 2, 3]), typed([4, 5, 6])), (typed([1, 2, 3]), typed([1, 2, 3, 4])),
            (typed([1, 0]), torch.tensor([1]).storage()), (typed([1]), typed([1]).untyped()),
            (repeated, repeated.coalesce()), ({eye}, {eye + 1}), ({eye}, {eye, eye + 1}),
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

    @staticmethod
    def of_programs() -> list[tuple[Any, Any]]:
        from torch import export, fx, jit

        class Plus(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x + 1

        class Minus(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x - 1

        def traced(constant: float) -> Any:
            return jit.trace(lambda x: x + torch.tensor([constant, 1.0]), torch.ones(2))

        plus, minus, x = Plus(), Minus(), torch.ones(2)
        return [
            (jit.script(plus), jit.script(minus)), (traced(2.0), traced(3.0)),
            (jit.trace(plus, x), jit.trace(minus, x)),
            (jit.script(torch.nn.Sequential(plus)), jit.script(torch.nn.Sequential(minus))),
            (jit.trace(lambda x: x + 1, x), jit.trace(lambda x: x - 1, x)),
            (fx.symbolic_trace(plus), fx.symbolic_trace(minus)),
            (fx.symbolic_trace(plus).graph, fx.symbolic_trace(minus).graph),
            (export.export(plus, (x,)), export.export(minus, (x,))),
        ]  # fmt: skip

    @staticmethod
    def of_distributions() -> list[tuple[Any, Any]]:
        from torch import distributions as dist

        one, two = torch.tensor([1.0]), torch.tensor([2.0])
        both = torch.tensor([0.25, 0.75])

        def mixed(probs: Any) -> Any:
            return dist.MixtureSameFamily(dist.Categorical(probs), dist.Normal(both, both))

        return [
            (dist.Normal(0.0, 1.0), dist.Normal(0.0, 2.0)),
            (dist.Normal(one, one), dist.Laplace(one, one)),
            (dist.Multinomial(2, both), dist.Multinomial(2, both.flip(0))),
            (dist.Categorical(both), dist.Categorical(both.flip(0))),
            (mixed(both), mixed(both.flip(0))),
            (dist.LogNormal(one, one), dist.LogNormal(one, two)),
            (dist.Independent(mixed(both), 0), dist.Independent(mixed(both.flip(0)), 0)),
            (dist.AffineTransform(0.0, 1.0), dist.AffineTransform(0.0, 2.0)),
            (dist.ExpTransform().inv, dist.SigmoidTransform().inv),
            (dist.constraints.greater_than(1), dist.constraints.greater_than(2)),
        ]

    @unittest.skipUnless(HAS_TORCH, "no torch")
    def test_of_programs_and_distributions_of_pytorch(self) -> None:
        framework = PyTorch()
        framework.start(support.setting(device="cpu"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # TorchScript is outdated
            self.check([*self.of_programs(), *self.of_distributions()], framework)
            for _ in range(2):
                scripted = torch.jit.script(torch.nn.Sequential(torch.nn.ReLU()))
            self.assertNotIn("mangle", str(leaves.walk(scripted, framework)))
        zeros = torch.jit.trace(lambda x: x + torch.zeros(1, device="cpu"), torch.ones(1))
        self.assertNotIn("cpu", str(leaves.walk(zeros, framework)))

    @unittest.skipUnless(HAS_TORCH, "no torch")
    def test_a_set_of_tensors_has_no_order(self) -> None:
        framework = PyTorch()
        framework.start(support.setting(device="cpu"))
        tensors = [torch.tensor([1.0, float(i)]) for i in range(20)]
        expected = identity(set(tensors), framework)
        again = {tensor.clone() for tensor in reversed(tensors)}
        self.assertEqual(identity(again, framework), expected)


if __name__ == "__main__":
    unittest.main()
