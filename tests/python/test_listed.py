"""Tests of tools/listed/, which reads what the developers of frameworks list as failing."""

from __future__ import annotations

import importlib.util
import unittest
from pathlib import Path
from typing import Any, NamedTuple

HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_TESTS = HAS_TORCH and importlib.util.find_spec("expecttest") is not None
TOOLS = Path(__file__).resolve().parents[2] / "tools" / "listed"

SOURCE = """
if available:
    def mps_ops_modifier(ops):
        MACOS_BEFORE_14_4_XFAILLIST = {"old": None}
        UNIMPLEMENTED_XFAILLIST: dict = {"eig": None, "put": [torch.int8], "half": [torch.float32]}
        UNDEFINED_XFAILLIST = {"put": None, "empty": [torch.float32], "eig": None}
        SKIPLIST = {"slow": None}
        other = {"not a list": 1}

    def mps_ops_grad_modifier(ops):
        UNIMPLEMENTED_XFAILLIST = {"sin": None}
else:
    def mps_ops_modifier(ops):
        return ops
"""


def loaded(name: str) -> Any:
    """Return a module of tools/listed/."""
    spec = importlib.util.spec_from_file_location(f"listed_{name}", TOOLS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@unittest.skipUnless(HAS_TESTS, "needs PyTorch and expecttest")
class PyTorch(unittest.TestCase):
    """The lists for MPS."""

    def test_an_operator_fails_if_it_is_not_implemented_for_float32(self) -> None:
        module = loaded("pytorch")
        listed = module.lists(SOURCE)
        self.assertEqual(len(listed), 4)
        said = {
            name: module.truth(name, listed)
            for name in ("eig", "half", "put", "empty", "slow", "old", "sin")
        }
        self.assertEqual(
            said,
            {
                "eig": "fails", "half": "fails", "put": "", "empty": "", "slow": "",
                "old": "works", "sin": "works",
            },
        )  # fmt: skip

    def test_the_lists_of_the_wheel_are_found(self) -> None:
        module = loaded("pytorch")
        with open(module.common_mps.__file__, encoding="utf-8") as file:
            listed = module.lists(file.read())
        self.assertIn("linalg.eig", listed["UNIMPLEMENTED_XFAILLIST"])

    def test_the_public_name_of_an_operator(self) -> None:
        module = loaded("pytorch")
        self.assertEqual(module.public("linalg.eig"), "torch.linalg.eig")
        self.assertEqual(module.public("view_as"), "torch.Tensor.view_as")
        self.assertEqual(module.public("__radd__"), "")
        self.assertEqual(module.public("torch._scaled_mm"), "")
        self.assertEqual(module.public("no_such_operator"), "")

    def test_inputs_that_ask_for_64_bit_numbers_are_recognised(self) -> None:
        import torch

        is_wide = loaded("pytorch").is_wide
        self.assertTrue(is_wide(((torch.zeros(2),), {"dtype": torch.float64})))
        self.assertTrue(is_wide(([torch.zeros(2, dtype=torch.complex128)], {})))
        self.assertFalse(is_wide(((torch.zeros(2), 3), {"dtype": torch.int64})))

    def test_inputs_that_are_wide_or_raise_on_the_host_are_excluded(self) -> None:
        import torch

        class Sample(NamedTuple):
            input: Any
            args: tuple[Any, ...] = ()
            kwargs: dict[str, Any] = {}

        class Operator:
            def sample_inputs(self, device: str, dtype: Any) -> list[Sample]:
                array = torch.ones(2, dtype=dtype, device=device)
                wide = {"dtype": torch.float64}
                return [Sample(array), Sample(array, kwargs=wide), Sample(array, ("no axis",))]

        kept = loaded("pytorch").samples(Operator(), "torch.sum")
        self.assertEqual([(len(args), options) for args, options in kept], [(1, {})])


class Limitation(NamedTuple):
    """A limitation of a harness, as in JAX."""

    devices: tuple[str, ...]
    dtype: str = ""

    def filter(self, device: str, dtype: str) -> bool:
        """Return whether the limitation applies."""
        return device in self.devices and self.dtype in ("", dtype)


class Harness(NamedTuple):
    """A harness, as in JAX."""

    group_name: str
    dtype: str
    jax_unimplemented: tuple[Limitation, ...] = ()


class Jax(unittest.TestCase):
    """The limitations of harnesses."""

    def test_all_limited_harnesses_and_four_others_of_a_primitive_are_chosen(self) -> None:
        tpu, cpu = Limitation(("tpu",)), Limitation(("cpu", "tpu"))
        harnesses = [Harness("sin", "f")] * 9 + [Harness("eig", "f", (tpu,))] * 6
        of_another_dtype = Limitation(("tpu",), "d")
        harnesses += [Harness("eig", "f", (cpu,)), Harness("cos", "f", (of_another_dtype,))]
        chosen = list(loaded("jax").chosen(harnesses, "tpu"))
        limited = sorted(place for place, is_limited in chosen if is_limited)
        others = [harnesses[place].group_name for place, is_limited in chosen if not is_limited]
        self.assertEqual(limited, list(range(9, 15)))
        self.assertEqual(sorted(others), ["cos"] + ["sin"] * 4)


if __name__ == "__main__":
    unittest.main()
