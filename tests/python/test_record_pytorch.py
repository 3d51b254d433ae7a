"""Tests of recording real PyTorch: the calls of modules, and which gradients are computed."""

from __future__ import annotations

import importlib.util
import unittest

from test_record import Recorded


@unittest.skipIf(importlib.util.find_spec("torch") is None, "no torch")
class TestPyTorch(Recorded):
    names = {
        "framework": "pytorch",
        "root": "torch",
        "short": "torch",
        "functions": [
            {"name": f"torch.{name}", "aliases": []}
            for name in (
                "add", "cat", "empty", "ones", "relu", "tensor", "Tensor.add", "Tensor.add_",
                "Tensor.mul", "nn.Linear", "nn.Sequential", "nn.ReLU",
                "nn.functional.linear", "nn.functional.relu",
            )
        ],
    }  # fmt: skip

    def sites(self, text: str) -> set:
        """Return the line and name of each call of a program."""
        self.write("p.py", text)
        self.run_it("p.py")
        return {(line, name, count) for _, line, _, name, count in self.calls()}

    def test_what_modules_call_is_recorded_at_the_call_of_the_module(self) -> None:
        sites = self.sites(
            """\
            import torch
            net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
            x = torch.ones(4, 3)
            for i in range(5):
                y = net(x)
            """
        )
        self.assertLessEqual(
            {
                (5, "torch.nn.Sequential", 5),
                (5, "torch.nn.functional.linear", 5),
                (5, "torch.nn.functional.relu", 5),
            },
            sites,
        )
        linear = self.cases()["torch.nn.functional.linear"][0]
        self.assertEqual(linear["inputs"]["x0"].split()[0], "$dtype[4,3]")

    def test_operators_are_recorded_once_and_functions_only_as_what_they_are(self) -> None:
        sites = self.sites("import torch\nx = torch.ones(2)\ny = x * 3\nz = torch.add(x, y)\n")
        names = {"torch.ones", "torch.Tensor.mul", "torch.add"}
        self.assertEqual({name for _, name, _ in sites}, names)
        self.assertIn((3, "torch.Tensor.mul", 1), sites)
        self.assertIn((4, "torch.add", 1), sites)

    def test_without_gradients_a_parameter_is_an_array_that_a_case_can_change(self) -> None:
        self.sites(
            """\
            import torch
            linear = torch.nn.Linear(3, 2)
            with torch.no_grad():
                linear.weight.add_(1)
            y = linear.weight.mul(2)
            """
        )
        by_name = self.cases()
        self.assertNotIn("setup", by_name["torch.Tensor.add_"][0])
        self.assertIn("Parameter(x0)", by_name["torch.Tensor.mul"][0]["setup"])

    def test_a_gradient_that_flows_in_a_later_call_counts(self) -> None:
        self.sites(
            """\
            import torch
            w = torch.ones(2, requires_grad=True)
            linear = torch.nn.Linear(2, 2)
            def f():
                linear(torch.ones(2))
                return torch.relu(w)
            with torch.no_grad():
                f()
            f()
            """
        )
        by_name = self.cases()
        for name in ("torch.relu", "torch.nn.Linear"):
            (case,) = by_name[name]
            self.assertTrue(case.get("backward"), name)

    def test_a_module_is_as_the_program_changed_it(self) -> None:
        self.sites(
            """\
            import torch
            linear = torch.nn.Linear(2, 2)
            linear.double().eval()
            linear(torch.ones(2, dtype=torch.double))
            """
        )
        (case,) = self.cases()["torch.nn.Linear"]
        self.assertEqual(
            case["setup"], "v0 = torch.nn.Linear(2, 2)\nv0.to(torch.float64)\nv0.eval()\n"
        )

    def test_a_long_list_of_arrays_that_are_alike(self) -> None:
        self.sites(
            """\
            import torch
            x = torch.ones(2)
            torch.cat([x + i for i in range(100)])
            torch.cat([torch.ones(1 + i % 2) for i in range(100)])
            """
        )
        (case,) = self.cases()["torch.cat"]
        self.assertEqual(case["call"], "torch.cat(list([x0] * 100))")
        self.assertEqual(self.recording()["unknown"]["torch.cat"], {"a long list": 1})


if __name__ == "__main__":
    unittest.main()
