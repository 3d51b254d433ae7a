"""Tests of the driver of NumPy, as the oracle and as a framework."""

import importlib.util
import struct
import unittest

import support
from pmdriver import frameworks
from pmdriver.job import execution
from support import Channel, job, parts, unpacked

HAS_NUMPY = importlib.util.find_spec("numpy") is not None

X = {"x": ("float32", (2,), [1.0, 3.0])}


def run(call: str, inputs: object, oracle: bool = True, **keys: object) -> tuple:
    """Run a job; return the header and the buffers."""
    framework = frameworks.framework("numpy")
    framework.import_all()
    framework.start(support.setting(oracle=oracle))
    return execution.run(framework, *job(call, inputs, **keys), Channel())


@unittest.skipUnless(HAS_NUMPY, "no numpy")
class Oracle(unittest.TestCase):
    """The oracle evaluates `expect` in double precision."""

    def test_expect_takes_the_place_of_the_call(self) -> None:
        header, buffers = run(
            "torch.mul(x, 2)", X, expect="x * 2", setup="import torch_is_not_here",
            modules=["m"], output="out.values", check="1 / 0", backward=True, requires=["cuda"],
        )  # fmt: skip
        self.assertIsNone(header["raised"] or header["harness"] or header["not_applicable"])
        self.assertEqual(header["outputs"][0]["dtype"], "float64")
        self.assertEqual(unpacked("float64", buffers[0]), [2.0, 6.0])

    def test_inputs_are_checked_as_they_came(self) -> None:
        header, _ = run("1", X, expect="x")
        self.assertEqual(header["inputs"][0]["dtype"], "float32")

    def test_bfloat16(self) -> None:
        bits = struct.pack("<4H", 0x3F80, 0xC040, 0x7F80, 0x0001)  # 1, -3, inf, the least positive
        header, buffers = run("1", {"x": ("bfloat16", (4,), bits)}, expect="x")
        self.assertEqual(unpacked("float64", buffers[0]), [1.0, -3.0, float("inf"), 2.0**-133])
        self.assertEqual(header["inputs"][0]["dtype"], "bfloat16")

    def test_a_scalar_of_bfloat16(self) -> None:
        # NumPy 1 shifts scalars of uint32 into int64, unless the other operand is unsigned too
        header, buffers = run("1", {"x": ("bfloat16", (), b"\x40\xc0")}, expect="x")
        self.assertIsNone(header["raised"] or header["harness"])
        self.assertEqual(unpacked("float64", buffers[0]), [-3.0])

    def test_complex_and_integers(self) -> None:
        data = struct.pack("<2f", 1.0, 2.0)
        header, _ = run("1", {"x": ("complex64", (1,), data)}, expect="x")
        self.assertEqual(header["outputs"][0]["dtype"], "complex128")
        header, _ = run("1", {"x": ("int64", (1,), [3])}, expect="x")
        self.assertEqual(header["outputs"][0]["dtype"], "int64")

    def test_host_inputs_are_widened_too(self) -> None:
        header, _ = run("1", {"x": ("float32", (1,), [1.0], "host")}, expect="x")
        self.assertEqual(header["outputs"][0]["dtype"], "float64")

    def test_named_tuples_go_by_index(self) -> None:
        header, _ = run("1", {"x": ("float64", (1, 1), [2.0])}, expect="np.linalg.slogdet(x)")
        self.assertEqual([leaf["path"] for leaf in parts(header)], ["out[0]", "out[1]"])
        self.assertEqual(parts(header)[0]["shape"], [])

    def test_a_case_without_expect(self) -> None:
        header, _ = run("torch.mul(x, 2)", X)
        self.assertEqual(header["not_applicable"], "the case has no expect")

    def test_a_wrong_expect_raises(self) -> None:
        header, _ = run("1", X, expect="np.nothing(x)")
        self.assertEqual(header["raised"]["type"], "AttributeError")

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "no scipy")
    def test_scipy(self) -> None:
        _, buffers = run("1", X, expect="scipy.special.gammaln(x)")
        self.assertAlmostEqual(unpacked("float64", buffers[0])[1], 0.6931471805599453)


@unittest.skipUnless(HAS_NUMPY, "no numpy")
class AsFramework(unittest.TestCase):
    """NumPy as a framework runs its own cases."""

    def test_a_call(self) -> None:
        header, buffers = run("np.add(x, k)", X, oracle=False, setup="k = np.float32(1)")
        self.assertEqual(header["outputs"][0]["dtype"], "float32")
        self.assertEqual(unpacked("float32", buffers[0]), [2.0, 4.0])
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})


if __name__ == "__main__":
    unittest.main()
