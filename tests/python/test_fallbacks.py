"""Tests of finding fallbacks of back ends of PyTorch. One of them, in C++, can only add."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import types
import unittest
from pathlib import Path

import fresh
import pmdriver
import support
from pmdriver.job import execution
from support import Channel, job

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "toy_backend.cpp"
HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch
    from pmdriver.pytorch import fallbacks
    from pmdriver.pytorch.framework import PyTorch

X = {"x": ("float32", (2, 2), [3.0, 1.0, 2.0, 6.0])}
V = {"v": ("float32", (4,), [0.5, 1.5, 2.5, 3.5])}
N = {"n": ("int64", (2,), [1, 0])}
LINEAR = {"setup": "m = torch.nn.Linear(2, 2)", "modules": ["m"]}


def built() -> str:
    """Compile the back end, unless this was done for this PyTorch; return the library's path.

    Raises
    ------
    unittest.SkipTest
        There is no compiler, or no header of PyTorch.
    """
    home = Path(torch.__file__).parent
    compiler = shutil.which("g++")
    if compiler is None or not (home / "include/ATen/native/CPUFallback.h").exists():
        raise unittest.SkipTest("no g++, or this PyTorch has no headers of back ends")
    known = hashlib.sha256(SOURCE.read_bytes() + f"{home} {torch.__version__}".encode())
    folder = HERE.parent.parent / "build"
    folder = folder if folder.is_dir() else Path(tempfile.gettempdir())
    library = folder / f"toy-backend-{known.hexdigest()[:16]}.so"
    if not library.exists():
        draft = library.with_suffix(f".{os.getpid()}")
        subprocess.run(
            [compiler, "-std=c++20", "-O0", "-shared", "-fPIC",
             f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
             f"-I{home}/include", str(SOURCE), "-o", str(draft),
             f"-L{home}/lib", "-ltorch_cpu", "-lc10"],
            check=True,
        )  # fmt: skip
        draft.rename(library)
    return str(library)


def register() -> None:
    """Make the back end known to PyTorch as ``toy``."""
    torch.ops.load_library(built())
    torch.utils.rename_privateuse1_backend("toy")
    module = types.ModuleType("torch.toy")
    module.is_available = lambda: True  # type: ignore[attr-defined]
    module.device_count = lambda: 1  # type: ignore[attr-defined]
    module.current_device = lambda: 0  # type: ignore[attr-defined]
    torch._register_device_module("toy", module)


@unittest.skipUnless(HAS_TORCH, "no torch")
class PlugIn(unittest.TestCase):
    """Calls on the back end."""

    #: Calls, their inputs, and the operations on their data that the host computes.
    FALLING_BACK = (
        # a single operation
        ("torch.sin(x)", X, ["sin"]),
        ("x * 2", X, ["mul"]),
        ("x @ x", X, ["mm"]),
        ("torch.sort(v)", V, ["sort"]),
        ("torch.cumsum(v, 0)", V, ["cumsum"]),
        ("torch.cat([x, x])", X, ["cat"]),
        ("x.add_(1)", X, ["add"]),
        ("x[n]", {**X, **N}, ["index"]),
        ("x.sum().item()", X, ["sum"]),
        ("torch.linalg.svd(x)", X, ["_linalg_svd"]),
        # within a composite, or between operations on the device
        ("torch.softmax(x, -1)", X, ["_softmax"]),
        ("m(x)", X, ["addmm"]),
        ("torch.sin(x) + x", X, ["sin"]),
        ("torch.where(x > 1, x, x)", X, ["gt", "where"]),
        ("torch.nn.functional.gelu(x + x) + 1", X, ["gelu"]),
        # in Python
        ("x + torch.sin(x.cpu()).to(x.device)", X, ["sin"]),
        ("x + torch.softmax(x.to('cpu'), -1).to(x.device)", X, ["softmax"]),
        # with values of its own, random or made of constants
        ("x + torch.rand(2, device=device)", X, ["uniform_"]),
        ("torch.arange(3, device=device)", {}, ["arange"]),
        ("torch.full((2,), 3.0, device=device)", {}, ["fill_"]),
    )  # fmt: skip

    #: Calls without a fallback, their inputs, and the operations on constants that the host
    #: computes.
    ON_THE_DEVICE = (
        ("x + x", X, []),
        ("x + 1", X, []),
        ("torch.add(x, x, alpha=2)", X, []),
        ("x[0] + x[1]", X, []),
        ("x.t()", X, []),
        ("x.view(4)", X, []),
        ("x.reshape(4) + 1", X, []),
        ("x.clone()", X, []),
        ("x.to(torch.float64)", X, []),
        ("x.expand(2, 2, 2) + 1", X, []),
        ("x.unbind()", X, []),
        ("x.chunk(2)", X, []),
        ("x.diagonal()", X, []),
        ("x.permute(1, 0) + x", X, []),
        ("torch.empty(2, device=device).shape", {}, []),
        ("x.shape", X, []),
        ("x[0, 0].item()", X, []),
        # calls that also make constants
        ("x + torch.zeros(2, device=device)", X, ["zero_"]),
        ("x + torch.full((2,), 3.0, device=device)", X, ["fill_"]),
        ("x + torch.arange(2.0, device=device)", X, ["arange"]),
    )

    @classmethod
    def setUpClass(cls) -> None:
        if not fallbacks.can_watch():
            raise unittest.SkipTest("this PyTorch traces no executions")
        register()
        cls.framework = PyTorch()
        cls.framework.import_all()
        cls.framework.start(support.setting(device="toy"))

    def run_one(self, call: str, inputs: dict, **keys: object) -> dict:
        """Run a job that must succeed; return its header."""
        keys = {"repeat": "fresh", **(LINEAR if "m(" in call else {}), **keys}
        header, _ = execution.run(self.framework, *job(call, inputs, **keys), Channel())
        self.assertIsNone(header["raised"] or header["harness"], call)
        return header

    def test_what_falls_back(self) -> None:
        for call, inputs, names in self.FALLING_BACK:
            with self.subTest(call):
                header = self.run_one(call, inputs)
                self.assertEqual(header["fallback"], [f"aten::{name}" for name in names])

    def test_what_does_not(self) -> None:
        for call, inputs, names in self.ON_THE_DEVICE:
            with self.subTest(call):
                header = self.run_one(call, inputs)
                listed = [f"aten::{name}" for name in names]
                self.assertEqual((header["fallback"], header["host_operations"]), ([], listed))

    def test_gradients(self) -> None:
        """The gradient of a sine is a product with the cosine."""
        for call, names in (("torch.sin(x) + x", ["sin", "cos", "mul"]), ("x + x", [])):
            header = self.run_one(call, X, backward=True)
            self.assertEqual(header["fallback"], [f"aten::{name}" for name in names])

    def test_outputs_are_on_the_device(self) -> None:
        header = self.run_one("torch.sin(x) + x", X)
        self.assertEqual(header["outputs"][0]["device"], "toy:0")
        self.assertTrue(header["outputs"][0]["on_device"])

    def test_what_the_setup_computes_is_not_the_calls(self) -> None:
        header = self.run_one("x + y", X, setup="y = torch.sin(torch.ones(2, device=device))")
        self.assertEqual(header["fallback"], [])


@unittest.skipUnless(HAS_TORCH, "no torch")
class Traces(unittest.TestCase):
    """Fallbacks found in a trace, in which the number of a storage is its address."""

    @staticmethod
    def node(number: int, name: str, given: list, made: list) -> dict:
        """Return a node of a trace, from the storages and devices of its tensors."""
        inputs, outputs = ([[1, s, 0, 4, 4, d] for s, d in each] for each in (given, made))
        return {"id": number, "ctrl_deps": 0, "name": f"aten::{name}",
                "inputs": {"values": inputs}, "outputs": {"values": outputs}}  # fmt: skip

    def test_a_constant_at_the_address_of_a_copy(self) -> None:
        """A constant's memory has the address of a copy on the host, and the device adds it."""
        nodes = [
            self.node(1, "_to_copy", [(5, "toy:0")], [(9, "cpu")]),
            self.node(2, "empty", [], [(10, "toy:0")]),
            self.node(3, "add", [(5, "cpu"), (9, "cpu"), (10, "cpu")], [(10, "cpu")]),
        ]
        self.assertEqual(fallbacks.on_host(nodes, "toy"), ([], []))

    def test_a_copy_at_the_address_of_what_the_device_freed(self) -> None:
        nodes = [
            self.node(1, "add", [(5, "toy:0")], [(9, "toy:0")]),
            self.node(2, "_to_copy", [(5, "toy:0")], [(9, "cpu")]),
            self.node(3, "sin", [(9, "cpu")], [(11, "cpu")]),
        ]
        self.assertEqual(fallbacks.on_host(nodes, "toy"), (["aten::sin"], []))


@unittest.skipUnless(HAS_TORCH, "no torch")
class PythonBackEnd(unittest.TestCase):
    """A back end with its own class of tensors, tested in a separate interpreter."""

    def test_its_tensors_are_arrays(self) -> None:
        """The back end's tensors are arrays, and its operation that runs on the host is found."""
        if not hasattr(torch.utils.backend_registration, "_setup_privateuseone_for_python_backend"):
            self.skipTest("this PyTorch has no back ends in Python")
        code = """
import json
import python_backend
import test_fallbacks as t
python_backend.register()
framework = t.PyTorch()
framework.import_all()
framework.start(t.support.setting(device=python_backend.NAME))
for call in ("x + x", "x + torch.sin(x)"):
    header, _ = t.execution.run(framework, *t.job(call, t.X, repeat="fresh"), t.Channel())
    (out,) = header["outputs"]
    print(json.dumps([header["raised"], header["harness"], header["fallback"], out]))
"""
        status, text = fresh.python(code, PYTHONPATH=os.path.dirname(pmdriver.__path__[0]))
        self.assertEqual(status, 0, text)
        for line, names in zip(text.splitlines()[-2:], ([], ["aten::sin"])):
            raised, harness, fallback, out = json.loads(line)
            self.assertEqual((raised, harness, fallback), (None, None, names))
            self.assertTrue(out["on_device"])
            self.assertEqual((out["dtype"], out["shape"]), ("float32", [2, 2]))
            self.assertNotIn("container", out)


if __name__ == "__main__":
    unittest.main()
