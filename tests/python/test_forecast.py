"""Tests of drivers/forecast.py, which predicts missing operations from PyTorch's own list."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import support  # noqa: F401
from pmdriver.forecast import native

ROOT = Path(__file__).resolve().parent.parent.parent
HAS_TORCH = importlib.util.find_spec("torch") is not None

LIST = """\
- func: made(Tensor self) -> Tensor
  dispatch:
    CPU, MPS: made_kernel
- func: lacking(Tensor self) -> Tensor
  dispatch:
    CPU: lacking_kernel
- func: of_others(Tensor self) -> Tensor
- func: given.Tensor(Tensor self) -> Tensor
  structured_delegate: given.out
- func: given.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU, MPS: given_out
"""


class Native(unittest.TestCase):
    """The kernels that a back end has for an operation on the list."""

    def test_an_operation_has_a_kernel_or_is_made_of_others_or_is_missing(self) -> None:
        found = native.parse(LIST)
        for name, standing in (
            ("made", "kernel"), ("lacking", "missing"), ("of_others", "composite"),
            ("given.Tensor", "kernel"), ("nothing", "unknown"),
        ):  # fmt: skip
            self.assertEqual(native.standing(found, f"aten::{name}", "MPS"), standing, name)
        self.assertEqual(native.standing(found, "aten::given.Tensor", "XPU"), "missing")


def answers(framework: str, device: str, setup: str, call: str, **more: Any) -> list[Any]:
    """Run drivers/forecast.py as portmeter does; return what it says of a case with an array x."""
    case = {
        "function": "f", "name": "one", "inputs": {"x": "float32[3] normal"}, "setup": setup,
        "call": call, **more,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        request = Path(folder, "request.json")
        work = Path(folder, "work")
        request.write_text(
            json.dumps({"cases": [case], "devices": [device], "seconds": 60, "scratch": str(work)})
        )
        ended = subprocess.run(
            [sys.executable, str(ROOT / "drivers/forecast.py"), framework, str(request)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if ended.returncode:
        raise AssertionError(ended.stderr)
    return [json.loads(line) for line in ended.stdout.splitlines()]


def predicted(framework: str, device: str, setup: str, call: str, **more: Any) -> dict[str, Any]:
    """Return the forecast of a case with an array x."""
    answer: dict[str, Any] = answers(framework, device, setup, call, **more)[1]["predicted"][device]
    return answer


@unittest.skipUnless(HAS_TORCH, "needs PyTorch")
class PyTorch(unittest.TestCase):
    """Forecasts of PyTorch for MPS."""

    @staticmethod
    def predicted(setup: str, call: str) -> dict[str, Any]:
        """Return the forecast of a case."""
        return predicted("pytorch", "mps", setup, call)

    def test_a_case_has_an_empty_folder_which_no_reason_names(self) -> None:
        saved = "torch.save(x, '$tmp/saved')"
        answer = self.predicted(saved, "torch.sin(torch.load('$tmp/saved'))")
        self.assertEqual(answer["what"], "works")
        self.assertEqual(self.predicted("", saved)["lacks"], [])
        answer = self.predicted("", "x + len(open('$tmp/none').read())")
        said = "FileNotFoundError: [Errno 2] No such file or directory: '$tmp/none'"
        self.assertEqual(answer["reason"], f"fails on the host: {said}")

    def test_what_only_the_host_chooses_predicts_nothing(self) -> None:
        attention = "torch.nn.functional.scaled_dot_product_attention(q, q, q)"
        setup = "q = x.expand(1, 2, 4, 3)"
        for device in ("mps", "cuda"):
            answer = predicted("pytorch", device, setup, attention)
            self.assertEqual(answer["what"], "unknown")
            self.assertIn("_for_cpu", answer["reason"])

    def test_an_array_that_seems_to_be_on_the_host_predicts_nothing_but_for_meta(self) -> None:
        self.assertEqual(predicted("pytorch", "meta", "", "x + torch.ones(3)")["what"], "fails")
        answer = predicted("pytorch", "cuda", "", "x + torch.ones(3)")
        self.assertEqual(answer["what"], "unknown")
        self.assertIn("of the device and of the host", answer["reason"])

    def test_a_wheel_without_the_operations_of_a_device_predicts_nothing(self) -> None:
        first = answers("pytorch", "xpu", "", "x + 1")[0]
        self.assertIn("operations of XPU", first["unknown"]["xpu"])

    def test_a_call_lacks_the_operation_without_a_kernel(self) -> None:
        answer = self.predicted("", "torch.frexp(x)")
        self.assertEqual(answer["what"], "fails")
        self.assertIn(["kernel", "aten::frexp.Tensor_out"], answer["lacks"])

    def test_a_call_with_kernels_lacks_nothing(self) -> None:
        answer = self.predicted("", "torch.sin(x)")
        self.assertEqual((answer["what"], answer["lacks"]), ("works", []))

    def test_a_dtype_that_the_device_lacks_is_named_once(self) -> None:
        answer = self.predicted("", "torch.sin(torch.zeros(2, dtype=torch.float64, device=device))")
        self.assertEqual(answer["what"], "fails")
        self.assertEqual([cause for cause, _ in answer["lacks"]], ["dtype"])

    def test_what_a_setup_makes_on_the_device_stays_there(self) -> None:
        setup = "y = torch.ones(3, device=device)"
        self.assertEqual(self.predicted(setup, "torch.sin(x + y)")["what"], "works")
        self.assertEqual(self.predicted(setup, "torch.frexp(y)")["what"], "fails")

    def test_a_setup_that_lacks_something_leaves_the_call_unknown(self) -> None:
        answer = self.predicted("y = torch.frexp(x)[0]", "torch.sin(y)")
        self.assertEqual(answer["what"], "unknown")
        self.assertIn("aten::frexp", answer["reason"])


if __name__ == "__main__":
    unittest.main()
