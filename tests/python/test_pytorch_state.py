"""Tests of PyTorch's tensors that share elements, and of settings of the whole process."""

from __future__ import annotations

import unittest

import support  # noqa: F401
from support import parts, unpacked
from test_pytorch import HAS_TORCH, OnHost, X, run, started

if HAS_TORCH:
    import torch

TWO = "from torch.testing._internal.two_tensor import TwoTensor as Two"


@unittest.skipUnless(HAS_TORCH, "no torch")
class Memory(OnHost):
    """Tensors made of others, and tensors without memory."""

    def test_tensors_made_of_others_are_opened(self) -> None:
        header, buffers, _ = self.run_job("torch.masked.masked_tensor(x, x > 2)", X)
        self.assertEqual(header["outputs"][0]["container"], "torch.masked.maskedtensor.core."
                         "MaskedTensor")  # fmt: skip
        self.assertEqual([leaf["path"] for leaf in parts(header)],
                         ["out.to_tensor(0)", "out.get_mask()"])  # fmt: skip
        self.assertEqual(unpacked("float32", buffers[0]), [3.0, 0.0, 0.0, 6.0, 5.0, 4.0])
        header, buffers, _ = self.run_job(
            "Two(x, x + 1)",
            X,
            setup="from torch.testing._internal.two_tensor import TwoTensor as Two",
        )
        self.assertEqual([leaf["path"] for leaf in parts(header)],
                         ["out.dtype", "out.shape", "out.context", "out.a", "out.b"])  # fmt: skip
        self.assertEqual(unpacked("float32", buffers[1]), [4.0, 2.0, 3.0, 7.0, 6.0, 5.0])

    def test_a_tensor_without_memory_is_not_read(self) -> None:
        fake = "import torch._subclasses.fake_tensor as f\nm = f.FakeTensorMode()"
        wrapper = """
class W(torch.Tensor):
    def __new__(cls, x):
        return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype)
    @classmethod
    def __torch_dispatch__(cls, f, types, arguments, keys=None):
        raise NotImplementedError
"""
        calls = (("m.from_tensor(x)", fake, "FakeTensor"), ("W(x)", wrapper, "portmeter_case.W"),
                 ("(x.untyped_storage().resize_(0), x)[1]", "", "torch.Tensor"),
                 ("(y := x.t(), x.untyped_storage().resize_(20), y)[2]", "", "torch.Tensor"),
                 ("torch.vmap(lambda v: kept.append(v) or v)(x) is kept or kept[0]", "kept = []",
                  "torch.Tensor"))  # fmt: skip
        for call, setup, name in calls:
            for repeat in ("pure", "once"):
                with self.subTest(call, repeat=repeat):
                    header, buffers, _ = run(self.framework, call, X, setup=setup, repeat=repeat)
                    self.assertIsNone(header["raised"])
                    self.assertIn(f"{name}, which has no memory of its own", header["harness"])
                    self.assertEqual(buffers, [])

    def test_zeros_without_memory_are_zeros(self) -> None:
        _, buffers, _ = self.run_job("torch._efficientzerotensor((2,))")
        self.assertEqual(unpacked("float32", buffers[0]), [0.0, 0.0])

    def test_a_tensors_own_class_is_part_of_it(self) -> None:
        (leaf, array) = self.run_job("torch.nn.Parameter(x)", X)[0]["outputs"]
        self.assertEqual((leaf["path"], leaf["container"]),
                         ("out", "torch.nn.parameter.Parameter"))  # fmt: skip
        self.assertEqual((array["path"], array["dtype"]), ("out", "float32"))
        self.assertEqual(len(self.run_job("torch.nn.Parameter(x).data", X)[0]["outputs"]), 1)

    def test_a_memory_format_that_the_call_asks_for_is_compared(self) -> None:
        image = {"x": ("float32", (2, 3, 4, 4), [0.0] * 96)}
        cases = {"x.to(memory_format=torch.channels_last)": "torch.Tensor, torch.channels_last",
                 "x.contiguous(memory_format=torch.contiguous_format)":
                     "torch.Tensor, torch.contiguous_format",
                 "torch.empty_like(x.t(), memory_format=torch.preserve_format).zero_()":
                     "torch.Tensor, no memory format"}  # fmt: skip
        for call, kind in cases.items():
            with self.subTest(call):
                outputs = self.run_job(call, X if ".t()" in call else image)[0]["outputs"]
                self.assertEqual([leaf.get("container") for leaf in outputs], [kind, None])
        setup = "y = x.to(memory_format=torch.channels_last)"
        self.assertEqual(len(self.run_job("y * 2", image, setup=setup)[0]["outputs"]), 1)


@unittest.skipUnless(HAS_TORCH, "no torch")
class Global(unittest.TestCase):
    """Settings that a case changes for the whole process."""

    def test_a_default_device_does_not_move_what_the_driver_makes(self) -> None:
        self.addCleanup(torch.set_default_device, None)
        header, _, _ = run(started(), "x.detach().numpy() * 2", X, reference=True, backward=False,
                           setup="torch.set_default_device('meta')", output="(out, x)")  # fmt: skip
        self.assertIsNone(header["raised"] or header["harness"])
        header, buffers, _ = run(started(), "x * 2", X, backward=True,
                                 setup="torch.set_default_device('meta')")  # fmt: skip
        self.assertIsNone(header["raised"] or header["harness"])
        self.assertEqual(header["gradients"][0]["device"], "cpu")
        self.assertNotEqual(unpacked("float32", buffers[-1]), [0.0] * 6)

    def test_the_next_case_begins_as_the_first_did(self) -> None:
        look = "[str(torch.empty(0).device), str(torch.get_default_dtype()), " \
               "torch.is_grad_enabled(), torch.are_deterministic_algorithms_enabled(), " \
               "torch.is_deterministic_algorithms_warn_only_enabled(), " \
               "torch.get_float32_matmul_precision(), torch.get_num_threads(), " \
               "torch.is_anomaly_enabled()]"  # fmt: skip
        changes = ("torch.set_default_device('meta')", "torch.set_default_dtype(torch.float64)",
                   "torch.set_grad_enabled(False)", "torch.set_anomaly_enabled(True)",
                   "torch.use_deterministic_algorithms(True, warn_only=True)",
                   "torch.set_float32_matmul_precision('medium')",
                   "torch.set_num_threads(torch.get_num_threads() + 1)")  # fmt: skip
        framework = started()
        before = run(framework, look)[0]["outputs"]
        for change in changes:
            with self.subTest(change):
                changed = run(framework, look, setup=change)[0]["outputs"]
                self.assertNotEqual(changed, before)
                self.assertEqual(run(framework, look)[0]["outputs"], before)


if __name__ == "__main__":
    unittest.main()
