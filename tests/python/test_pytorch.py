"""Tests of the driver of PyTorch on cpu and meta, and on further devices of the interpreter."""

import ast
import importlib.util
import os
import struct
import tempfile
import unittest
from unittest import mock

import fresh
import support
from pmdriver import failure
from pmdriver.job import execution
from support import Channel, job, parts, unpacked

HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch
    from pmdriver.pytorch import devices, inductor, modules
    from pmdriver.pytorch.framework import PyTorch

X = {"x": ("float32", (2, 3), [3.0, 1.0, 2.0, 6.0, 5.0, 4.0])}
LINEAR = {"inputs": {"x": ("float32", (2, 3), [1.0] * 6)}, "setup": "m = torch.nn.Linear(3, 2)",
          "modules": ["m"]}  # fmt: skip

#: Runs one job with clocks where no other test has imported anything.
FRESH_INTERPRETER = """
import ast, sys
import test_pytorch
call, keys = ast.literal_eval(sys.argv[1])
image = {"x": ("float32", (2, 2, 3, 3), [float(i) for i in range(36)])}
header = test_pytorch.run(test_pytorch.started(clocks=True), call, image, **keys)[0]
found = {name: clock for name, clock in header["clocks"].items() if clock["imports"]}
print((header["raised"], found))
"""


def started(device: str = "cpu", **changes: object) -> "PyTorch":
    """Return a driver that was started on a device."""
    framework = PyTorch()
    framework.import_all()
    framework.start(support.setting(device=device, **changes))
    return framework


def run(framework: "PyTorch", call: str, inputs: object = None, **keys: object) -> tuple:
    """Run a job; return the header, the buffers and the channel."""
    channel = Channel()
    header, buffers = execution.run(framework, *job(call, inputs, **keys), channel)
    return header, buffers, channel


class OnHost(unittest.TestCase):
    """A base class to run jobs whose outputs must be on the host; it has no tests."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.framework = started()

    def run_job(self, call: str, inputs: object = None, **keys: object) -> tuple:
        header, buffers, channel = run(self.framework, call, inputs, **keys)
        self.assertIsNone(header["harness"])
        self.assertIsNone(header["raised"])
        return header, buffers, channel


@unittest.skipUnless(HAS_TORCH, "no torch")
class Cpu(OnHost):
    """Cases on the host."""

    def test_a_call(self) -> None:
        header, buffers, channel = self.run_job("torch.argsort(x)", X)
        self.assertEqual(unpacked("int64", buffers[0]), [1, 2, 0, 2, 1, 0])
        self.assertEqual(header["outputs"][0]["dtype"], "int64")
        self.assertEqual(channel.stages, ["inputs", "run", "compare", "run"])
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})

    def test_what_cases_need(self) -> None:
        """The reference reports the dtypes of the call and its setup, and reads of values."""
        reference = started(reference=True)
        for call, setup, needs in (
            ("torch.sin(x)", "", ["float32"]),
            ("x.double() + 1", "", ["float32", "float64"]),
            ("x.sum().item()", "", ["float32", "values"]),
            ("torch.nonzero(x)", "", ["float32", "int64", "values"]),
            ("torch.sin(x)", "assert x.sum() < 1e9", ["bool", "float32", "values"]),
            ("x.tolist()", "", ["float32", "values"]),
            ("x.numpy()", "", ["float32", "values"]),
            ("x.cpu()", "", ["float32", "values"]),
            ("x.to('cpu', torch.float64)", "", ["float32", "float64", "values"]),
            ("x.to(device)", "", ["float32"]),
            ("x.to_sparse()", "", ["float32", "values"]),
            ("torch.sparse.sum(s, 0)", "s = x.to_sparse()", ["float32", "values"]),
            ("str(x)", "", ["float32", "values"]),
            ("f'{[x]}'", "", ["float32", "values"]),
        ):
            header, _, _ = run(reference, call, X, setup=setup, repeat="fresh", needs=True)
            with self.subTest(call):
                self.assertEqual(support.needed(header), needs)
        self.assertEqual(self.run_job("x.sum().item()", X)[0]["needs"], {})

    def test_what_each_step_needs(self) -> None:
        """A setup that works on a device does not explain why the call fails there."""
        header, _, _ = run(
            started(reference=True), "y * 2", X, setup="y = x.to_sparse()", repeat="fresh",
            needs=True,
        )  # fmt: skip
        self.assertEqual(header["needs"], {"setup": ["float32", "values"], "call": ["float32"]})

    def test_what_each_operation_needs(self) -> None:
        """Operations are named as exceptions name them, without overloads."""
        header, _, _ = run(started(reference=True), "(x + 1).sum().item()", X, needs=True)
        self.assertEqual(header["operation_needs"]["aten::add"], ["float32"])
        self.assertIn("values", header["operation_needs"]["aten::_local_scalar_dense"])
        for call, names in (
            ("torch.histogram(x, 3)", ["aten::histogram"]),
            ("torch.equal(x, x)", ["aten::equal"]),
            ("x.item()", []),
        ):
            raised = run(started("meta"), call, X)[0]["raised"]
            with self.subTest(call):
                self.assertEqual(raised["operations"], names)

    def test_joined_elements_of_sparse_tensors_need_values(self) -> None:
        """How many elements a sparse result has depends on indices, if two sets are joined."""
        setup = "s = torch.eye(3).to_sparse(); t = torch.ones(3, 3).to_sparse()"
        for call, is_joined in (
            ("torch.sparse.mm(t, t)", True),
            ("s * t", True),
            ("torch.sin(s)", False),
            ("torch.cat([s, t])", False),
            ("torch.sparse.mm(s, torch.ones(3, 3))", False),
            ("torch.sparse.spdiags(x, torch.tensor([0, 1]), (4, 4))", True),
            ("torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2), (3,))", False),
            ("t.resize_as_sparse_(s)", False),  # it keeps all elements of t
            ("s.add_(t)", True),
        ):
            header, _, _ = run(started(reference=True), call, X, setup=setup, needs=True)
            with self.subTest(call):
                self.assertEqual("values" in header["needs"]["call"], is_joined)

    @unittest.skipUnless(hasattr(torch, "cond"), "no higher-order operators")
    def test_a_function_that_a_value_chooses_needs_values(self) -> None:
        """The operator is dispatched as a whole, so that no reading of the value is seen."""
        for call, is_chosen in (
            ("torch.cond(p, torch.sin, torch.cos, (x,))", True),
            ("torch._higher_order_ops.map(torch.sin, x)", False),
        ):
            header, _, _ = run(
                started(reference=True), call, X, setup="p = torch.tensor(True)", needs=True
            )
            with self.subTest(call):
                self.assertEqual("values" in header["needs"]["call"], is_chosen)

    def test_recording_does_not_import_dynamo(self) -> None:
        """Importing dynamo takes a second in each child, and makes the driver larger."""
        code = (
            "import sys, test_pytorch\n"
            "framework = test_pytorch.started(reference=True)\n"
            "test_pytorch.run(framework, 'x.sum()', test_pytorch.X, needs=True)\n"
            "print('torch._dynamo' in sys.modules)\n"
        )
        self.assertEqual(fresh.python(code), (0, "False\n"))

    def test_what_a_call_needs_that_can_be_made_once(self) -> None:
        """While a clock runs, only the call's inputs and outputs are recorded."""
        for clocks, needs in (
            (False, ["bfloat16", "float32", "float64"]),
            (True, ["float32", "float64"]),
        ):
            reference = started(reference=True, clocks=clocks)
            header, _, _ = run(reference, "x.bfloat16().double()", X, repeat="once", needs=True)
            with self.subTest(clocks=clocks):
                self.assertEqual(header["needs"], {"call": needs})

    def test_every_dtype_comes_and_goes(self) -> None:
        for dtype in self.framework.dtypes:
            size = torch.empty(0, dtype=self.framework.dtypes[dtype]).element_size()
            data = bytes(i % 2 for i in range(6 * size)) if dtype != "bool" else b"\0\1" * 3
            with self.subTest(dtype):
                header, buffers, _ = self.run_job("x", {"x": (dtype, (2, 3), data)})
                self.assertEqual(buffers[0], data)
                self.assertEqual(header["outputs"][0]["dtype"], dtype)
                self.assertEqual(header["outputs"][0]["digest"], header["inputs"][0]["digest"])

    def test_scalar_and_empty(self) -> None:
        header, buffers, _ = self.run_job(
            "(x, y)", {"x": ("float32", (), [2.5]), "y": ("float32", (0, 3), [])}
        )
        self.assertEqual([leaf["shape"] for leaf in parts(header)], [[], [0, 3]])
        self.assertEqual([len(b) for b in buffers], [4, 0])

    def test_views_are_read_in_c_order(self) -> None:
        _, buffers, _ = self.run_job("x.t()", X)
        self.assertEqual(unpacked("float32", buffers[0]), [3.0, 6.0, 1.0, 5.0, 2.0, 4.0])

    def test_conjugates_are_resolved(self) -> None:
        data = struct.pack("<2f", 1.0, 2.0)
        _, buffers, _ = self.run_job("x.conj()", {"x": ("complex64", (1,), data)})
        self.assertEqual(struct.unpack("<2f", buffers[0]), (1.0, -2.0))

    def test_inputs_can_be_resized(self) -> None:
        header, _, _ = self.run_job("x.resize_(9).shape", X, repeat="fresh")
        self.assertEqual(header["outputs"][0]["value"], {"torch.Size": [9]})

    def test_random_calls_are_pure_under_the_seed(self) -> None:
        header, _, _ = self.run_job("torch.rand(3, device=device)", check="out.max() < 1")
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})
        self.assertIs(header["check"], True)

    def test_in_place_calls_are_not_pure(self) -> None:
        header, _, _ = self.run_job("x.add_(1)", X)
        self.assertEqual(header["second"], {"inputs_changed": ["x"], "output_changed": ["out"]})

    def test_buffers_and_parameters_are_part_of_purity(self) -> None:
        setup = "m = torch.nn.BatchNorm1d(3)"
        header, _, _ = self.run_job("m(x)", X, setup=setup, modules=["m"])
        self.assertEqual(header["second"]["inputs_changed"],
                         ["m.running_mean", "m.running_var", "m.num_batches_tracked"])  # fmt: skip
        header, _, _ = self.run_job("m(x)", X, setup=setup + ".eval()", modules=["m"])
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})
        header, _, _ = self.run_job(
            "m.weight.data.add_(1) is None", X, setup="m = torch.nn.Linear(3, 2)"
        )
        self.assertEqual(header["second"]["inputs_changed"], ["m.weight"])

    def test_an_exception_without_a_text(self) -> None:
        for base in ("RuntimeError", "ValueError", "torch.OutOfMemoryError"):
            setup = f"class Mute({base}):\n    def __str__(self): raise ValueError\n" \
                    "def mute(): raise Mute"  # fmt: skip
            header, _, _ = run(self.framework, "mute()", setup=setup)
            self.assertIsNone(header["harness"], base)
            self.assertEqual(header["raised"]["type"], "Mute")
            self.assertEqual(header["raised"]["message"], "(reading its message raised ValueError)")

    def test_limits_are_seen_before_anything_is_read(self) -> None:
        calls = (("torch.zeros(1, device=device).expand(2**29)", "2,147,483,648 bytes, over"),
                 ("torch.zeros(1, device=device).expand(2**30 + 2)", "4,294,967,304 bytes, over"),
                 ("[torch.ones(1)] * 100_001", "more than 100,000 parts"))  # fmt: skip
        for call, text in calls:
            header, buffers, _ = run(self.framework, call, repeat="once")
            self.assertIn(text, header["harness"])
            self.assertEqual((header["stage"], header["raised"], buffers), ("compare", None, []))
        header, buffers, _ = self.run_job("torch.ones([1] * 64)")
        self.assertEqual(len(header["outputs"][0]["shape"]), 64)

    def test_weights_beyond_what_is_given_are_our_limit(self) -> None:
        header, _, channel = run(
            self.framework, "1", setup="m = torch.nn.Linear(2**14, 2**14 + 1, device='meta')",
            modules=["m"],
        )  # fmt: skip
        self.assertIn("portmeter's limit", header["harness"] or "")
        self.assertEqual(channel.asked, [])

    def test_an_optimizer_step(self) -> None:
        header, _, _ = self.run_job(
            "opt.step()",
            X,
            setup="p = torch.nn.Parameter(x)\np.grad = x.clone()\n"
            "opt = torch.optim.Adamax([p], lr=0.1)",
            output="(p, opt)",
            repeat="fresh",
        )
        paths = [leaf["path"] for leaf in parts(header)]
        self.assertEqual(paths[:2], ["out[0]", "out[1].param_groups[0]['params'][0]"])
        self.assertIn("out[1].param_groups[0]['lr']", paths)
        self.assertIn("out[1].state[0]['exp_avg']", paths)

    def test_containers_of_torch(self) -> None:
        header, _, _ = self.run_job(
            "(x.to_sparse(), m, torch.float32, x.shape, torch.slogdet(x[:, :2]))",
            X,
            setup="m = torch.nn.BatchNorm1d(1)",
        )
        self.assertEqual([leaf["path"] for leaf in parts(header)], [
            "out[0].layout", "out[0].shape", "out[0].is_coalesced()", "out[0].indices",
            "out[0].values",
            "out[1].weight", "out[1].bias",
            "out[1].running_mean", "out[1].running_var", "out[1].num_batches_tracked",
            "out[1].training", "out[1].num_features", "out[1].eps", "out[1].momentum",
            "out[1].affine", "out[1].track_running_stats",
            "out[2]", "out[3]", "out[4][0]", "out[4][1]",
        ])  # fmt: skip
        values = {leaf["path"]: leaf["value"] for leaf in parts(header) if "value" in leaf}
        self.assertEqual(values["out[2]"], {"torch.dtype": "torch.float32"})
        self.assertEqual(values["out[3]"], {"torch.Size": [2, 3]})
        self.assertEqual([leaf["container"] for leaf in header["outputs"] if "container" in leaf],
                         ["tuple", "torch.Tensor", "torch.nn.modules.batchnorm.BatchNorm1d",
                          "torch.nn.parameter.Parameter", "torch.nn.parameter.Parameter",
                          "torch.return_types.slogdet"])  # fmt: skip

    def test_packed_sequences_by_field(self) -> None:
        header, _, _ = self.run_job("torch.nn.utils.rnn.pack_sequence([x[0], x[1]])", X)
        self.assertEqual([leaf["path"] for leaf in parts(header)],
                         ["out.data", "out.batch_sizes", "out.sorted_indices",
                          "out.unsorted_indices"])  # fmt: skip

    def test_modules_are_filled_from_the_generator(self) -> None:
        header, buffers, channel = self.run_job("m(x)", **LINEAR)
        self.assertEqual(
            [(a["name"], a["dtype"], a["shape"]) for a in channel.asked],
            [("m.weight", "float32", [2, 3]), ("m.bias", "float32", [2])],
        )
        self.assertAlmostEqual(channel.asked[0]["scale"], 3**-0.5)
        self.assertAlmostEqual(channel.asked[1]["scale"], 2**-0.5)
        weight, bias = (unpacked("float32", Channel._values(spec)) for spec in channel.asked)
        expected = [sum(weight[3 * row : 3 * row + 3]) + bias[row] for row in (0, 1)] * 2
        for got, want in zip(unpacked("float32", buffers[0]), expected):
            self.assertAlmostEqual(got, want, places=6)

    def test_gradients(self) -> None:
        header, buffers, channel = self.run_job("m(x)", **LINEAR, backward=True)
        self.assertEqual([leaf["path"] for leaf in header["gradients"]],
                         ["x.grad", "m.weight.grad", "m.bias.grad"])  # fmt: skip
        self.assertEqual(channel.asked[-1]["name"], "cotangent.out")
        cotangent = unpacked("float32", Channel._values(channel.asked[-1]))
        bias = header["gradients"][2]
        data = b"".join(buffers)[bias["offset"] : bias["offset"] + bias["bytes"]]
        for got, want in zip(unpacked("float32", data),
                             (cotangent[0] + cotangent[2],
                              cotangent[1] + cotangent[3])):  # fmt: skip
            self.assertAlmostEqual(got, want, places=6)

    def test_gradients_of_what_has_none(self) -> None:
        header, _, _ = run(self.framework, "torch.argsort(x)", X, backward=True)
        self.assertIn("backward", header["raised"]["message"])

    def test_what_is_no_module(self) -> None:
        header, _, _ = run(self.framework, "x", X, setup="m = 3", modules=["m"])
        self.assertIn("'m'", header["harness"])

    def test_requirements(self) -> None:
        for requirement in ("cuda", "accelerator", "two devices", "xla"):
            header, _, _ = run(self.framework, "1 / 0", requires=[requirement])
            self.assertEqual(header["not_applicable"], f"requires {requirement}")
        header, _, _ = run(self.framework, "1", requires=["values", "cpu"])
        self.assertIsNone(header["not_applicable"])

    def test_exhausted_memory(self) -> None:
        header, _, _ = run(self.framework, "torch.empty(1 << 50, dtype=torch.uint8)")
        self.assertEqual(header["raised"]["memory"], "host")

    def test_device_memory(self) -> None:
        error = getattr(torch, "OutOfMemoryError", RuntimeError)("CUDA out of memory.")
        self.assertEqual(self.framework.memory_kind(error), "device")
        self.assertEqual(self.framework.memory_kind(RuntimeError("RESOURCE_EXHAUSTED")), "device")
        self.assertIsNone(self.framework.memory_kind(ValueError("out of memory")))


@unittest.skipUnless(HAS_TORCH, "no torch")
class Timed(unittest.TestCase):
    """Clocks on the host."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.framework = started(clocks=True)

    def test_clocks_of_a_gradient(self) -> None:
        header, _, _ = run(self.framework, "m(x)", **LINEAR, backward=True)
        counts = {name: len(times) for name, times in header["timings"].items()}
        self.assertEqual(counts, {"cold": 1, "warm": 7, "backward_cold": 1, "backward": 7})

    def test_fresh_steps_all_begin_from_the_same(self) -> None:
        header, _, _ = run(
            self.framework, "steps.append(float(x.add_(1)[0, 0]))", X,
            setup="steps = torch.__dict__.setdefault('steps_of_a_test', [])", repeat="fresh",
        )  # fmt: skip
        self.assertIsNone(header["raised"])
        self.assertEqual(set(torch.__dict__.pop("steps_of_a_test")), {4.0})

    def test_nothing_is_imported_inside_a_clock(self) -> None:
        cases = [
            ("m(x)", {"setup": "m = torch.nn.BatchNorm2d(2)", "modules": ["m"], "backward": True}),
            ("torch.load('$tmp/x') if torch.save(x, '$tmp/x') is None else None", {}),
            ("torch.optim.SGD([x], 0.1).step()", {"output": "x"}),
        ]
        for call, keys in cases:
            with self.subTest(call), tempfile.TemporaryDirectory() as folder:
                status, said = fresh.python(FRESH_INTERPRETER, repr((call, keys)), TMPDIR=folder)
                self.assertEqual(status, 0, said)
                raised, imports = ast.literal_eval(said)
                self.assertIsNone(raised)
                self.assertEqual(imports, {})


@unittest.skipUnless(HAS_TORCH, "no torch")
class Meta(unittest.TestCase):
    """Shapes without values."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.framework = started("meta")

    @unittest.skipUnless(
        HAS_TORCH and importlib.util.find_spec("torch._dynamo"), "this version has no torch._dynamo"
    )
    def test_what_every_job_needs_is_imported_in_the_driver(self) -> None:
        code = (
            "import sys, support\n"
            "from pmdriver.pytorch.framework import PyTorch\n"
            "driver = PyTorch()\n"
            "driver.import_all()\n"
            "for device in ('cpu', 'meta', 'meta', 'cpu'):\n"
            "    print(driver.before_fork({'device': device}), 'torch._dynamo' in sys.modules)\n"
        )
        self.assertEqual(
            fresh.python(code), (0, "False False\nTrue True\nFalse True\nFalse True\n")
        )

    def test_dtype_and_shape(self) -> None:
        header, buffers, _ = run(self.framework, "torch.argsort(x)", X, check="out.sum() > 3")
        leaf = header["outputs"][0]
        self.assertEqual((leaf["dtype"], leaf["shape"], leaf["device"], leaf["on_device"]),
                         ("int64", [2, 3], "meta", True))  # fmt: skip
        self.assertNotIn("digest", leaf)
        self.assertEqual((buffers, header["second"], header["check"]), ([], None, None))

    def test_a_setup_runs_on_the_host_if_meta_cannot(self) -> None:
        setup = "s = x.to_sparse()\nm = torch.nn.Linear(3, 2, device=device)"
        output = "[str(out.device), s.layout == torch.sparse_coo, str(m.weight.device)]"
        header, _, _ = run(self.framework, "x + 1", X, setup=setup, output=output)
        self.assertIsNone(header["raised"])
        self.assertTrue(header["setup_on_host"])
        self.assertEqual(header["outputs"][0]["value"], ["meta", True, "meta"])
        for hidden in ("torch.optim.SGD([x], 1)", "torch.Generator(device)"):
            with self.subTest(hidden):
                setup = f"s = x.to_sparse()\no = {hidden}"
                header, _, _ = run(self.framework, "x + 1", X, setup=setup)
                self.assertEqual(header["stage"], "setup")
                self.assertEqual(header["raised"]["type"], "NotImplementedError")

    @unittest.skipUnless(
        HAS_TORCH and hasattr(torch.__future__, "get_swap_module_params_on_conversion"),
        "this version of torch makes new parameters",
    )
    def test_modules_keep_the_identity_of_parameters(self) -> None:
        header, _, channel = run(
            self.framework, "m(x)", LINEAR["inputs"], modules=["m"], repeat="once",
            setup="m = torch.nn.Linear(3, 2); o = torch.optim.SGD(m.parameters(), lr=1)",
            output="o.param_groups[0]['params'][0] is m.weight and str(m.weight.device)",
        )  # fmt: skip
        self.assertEqual(header["outputs"][0]["value"], "meta")
        self.assertEqual(channel.asked, [])

    def test_a_module_without_shapes_still_has_none_on_meta(self) -> None:
        for setup, shape in (
            ("m = torch.nn.LazyLinear(2)", [2, 2]),
            ("m = torch.nn.LazyBatchNorm1d()", [2, 3]),
        ):
            header, _, _ = run(
                self.framework, "m(x)", X, modules=["m"], repeat="fresh", setup=setup
            )
            with self.subTest(setup):
                self.assertIsNone(header["raised"])
                self.assertEqual(header["outputs"][0]["shape"], shape)

    def test_a_sparse_tensor_that_is_moved_keeps_its_elements(self) -> None:
        for made, call, shape in (
            ("x.to_sparse()", "s.indices()", [2, 6]),
            ("x.to_sparse_csr()", "s.values()", [6]),
        ):
            header, _, _ = run(self.framework, call, X, setup=f"s = {made}", repeat="fresh")
            with self.subTest(made):
                self.assertIsNone(header["raised"])
                self.assertTrue(header["setup_on_host"])
                self.assertEqual(header["outputs"][0]["shape"], shape)

    def test_a_nested_tensor_whose_sizes_are_values_is_portmeters_own_fault(self) -> None:
        inputs = {"o": ("int64", (3,), [0, 1, 2]), **X}
        header, _, _ = run(self.framework, "torch.nested.nested_tensor_from_jagged(x, o)", inputs)
        self.assertIsNone(header["raised"])
        self.assertIn("cannot read a nested tensor on this device", header["harness"])

    def test_an_output_that_only_portmeter_cannot_read_is_its_own_fault(self) -> None:
        inputs = {"i": ("int64", (1, 2), [0, 1]), "v": ("float32", (2,), [1.0, 2.0])}
        header, _, _ = run(self.framework, "torch.sparse_coo_tensor(i, v, [3])", inputs)
        self.assertIsNone(header["raised"])
        self.assertIn("cannot read a sparse tensor", header["harness"])

    def test_an_output_on_the_host(self) -> None:
        header, _, _ = run(self.framework, "torch.zeros(2)")
        self.assertFalse(header["outputs"][0]["on_device"])

    def test_what_needs_values_is_a_failure(self) -> None:
        header, _, _ = run(self.framework, "x.item()", {"x": ("float32", (), [1.0])})
        self.assertEqual(header["stage"], "run")
        self.assertIsNotNone(header["raised"])


@unittest.skipUnless(HAS_TORCH, "no torch")
class Parts(unittest.TestCase):
    """Parts of the driver that need no device."""

    def test_fallbacks_are_named_and_host_reads_counted(self) -> None:
        counters = devices.split_counters([
            ("aten::multinomial", 2), ("aten::_local_scalar_dense", 3), ("aten::item", 1),
            ("aten::linalg_eig", 1), ("aten::nonzero", 0), ("xla::sort", 4), ("CreateXlaTensor", 9),
        ])  # fmt: skip
        self.assertEqual(counters.fallback, ["aten::linalg_eig", "aten::multinomial"])
        self.assertEqual(counters.host_reads, 4)

    def test_what_changes_results_is_recorded(self) -> None:
        with mock.patch.dict(os.environ, {"CUDA_LAUNCH_BLOCKING": "1"}):
            modes = started().start(support.setting())["numeric"]
        self.assertEqual(modes["CUDA_LAUNCH_BLOCKING"], "1")
        self.assertIn("float32_matmul_precision", modes)

    def test_what_a_child_changes_is_recorded(self) -> None:
        code = (
            "import os, support, torch\n"
            "from pmdriver.pytorch.framework import PyTorch\n"
            "def begin(**changes):\n"
            "    framework = PyTorch()\n"
            "    framework._numeric, framework._fast = driver._numeric, driver._fast\n"
            "    setting = support.setting(**changes)\n"
            "    os.environ.update(setting['environment'])\n"
            "    if setting.get('exact'): framework.make_exact(setting)\n"
            "    modes = framework.start(setting)['numeric']\n"
            "    precision = modes['float32_matmul_precision']\n"
            "    return precision, framework.fast_modes(), modes.get('XLA_FLAGS')\n"
            "torch.set_float32_matmul_precision('high')\n"
            "driver = PyTorch()\n"
            "driver.import_all()\n"
            "print(begin())\n"
            "print(begin(environment={'XLA_FLAGS': 'some'}))\n"
            "print(begin(exact=True))\n"
        )
        self.assertEqual(fresh.python(code), (0, (
            "('high', ['float32_matmul_precision'], None)\n"
            "('high', ['float32_matmul_precision'], 'some')\n"
            "('highest', [], 'some')\n"
        )))  # fmt: skip

    def test_fan_in(self) -> None:
        shapes = {(): 1, (7,): 7, (4, 3): 3, (8, 3, 5, 5): 75, (0,): 1, (4, 0): 1}
        self.assertEqual({shape: modules.fan_in(shape) for shape in shapes}, shapes)

    def test_buffers_come_from_a_construction_on_the_host(self) -> None:
        target, source = torch.nn.BatchNorm1d(2), torch.nn.BatchNorm1d(2)
        source.running_mean.fill_(5)
        modules._copy_buffers([target], lambda: [source])
        self.assertEqual(target.running_mean.tolist(), [5.0, 5.0])

    def test_a_setup_that_the_host_cannot_execute(self) -> None:
        def construct() -> list:
            raise RuntimeError("no GPU")

        with self.assertRaisesRegex(failure.HarnessFault, "no GPU"):
            modules._copy_buffers([torch.nn.BatchNorm1d(2)], construct)

    def test_extern_kernels(self) -> None:
        code = (
            "extern_kernels.unused(a)\ndef call(args):\n    extern_kernels.addmm(b, c)\n"
            "    cpp_fused_0(a)\n    torch.ops.aten.sort.stable(x)\n"
            "    extern_kernels.addmm(d, e)\n"
        )
        self.assertEqual(inductor.extern_kernels(code), ["addmm", "aten.sort.stable"])

    def test_every_device_is_measurable_or_says_why_not(self) -> None:
        framework = PyTorch()
        framework.import_all()
        rows = framework.devices()
        self.assertEqual(
            {row["device"] for row in rows} - {devices.plug_in_name()},
            {"cpu", "cuda", "rocm", "mps", "xpu", "xla", "meta"},
        )
        for row in rows:
            self.assertNotEqual(row["measurable"], bool(row["why_not"]), row)
            self.assertNotIn("\n", row["why_not"])
            self.assertEqual(bool(row["name"]), row["measurable"] or row["variant"] != "")

    def test_a_plug_in_is_listed_by_its_name(self) -> None:
        if not hasattr(torch.utils, "rename_privateuse1_backend"):
            self.skipTest("this version of torch cannot rename PrivateUse1")
        code = (
            "import support, torch; torch.utils.rename_privateuse1_backend('npu')\n"
            "from pmdriver.pytorch import devices\n"
            "print(devices.describe(devices.all_devices()[-1]))"
        )
        status, said = fresh.python(code)
        self.assertEqual(status, 0, said)
        self.assertIn("'device': 'npu'", said)
        self.assertIn("no npu device was found", said)

    def test_a_device_that_is_not_there(self) -> None:
        for name in ("nosuch", "rocm" if torch.version.hip is None else "mps"):
            with self.assertRaises(RuntimeError) as caught:
                started(name)
            self.assertNotIn("\n", str(caught.exception))

    def test_texts_know_torch_numpy_and_the_device(self) -> None:
        names = started("meta", reference=True).names()
        self.assertIs(names["torch"], torch)
        self.assertEqual((names["device"].type, names["on_reference"]), ("meta", True))
        self.assertEqual(started().host_names()["device"].type, "cpu")


def _compiler_is_missing() -> bool:
    return not HAS_TORCH or bool(inductor.missing())


@unittest.skipIf(_compiler_is_missing(), "no torch or no C++ compiler")
class Inductor(unittest.TestCase):
    """The variant +inductor on the host."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        before = os.getcwd()
        os.chdir(cls.folder.name)
        try:
            cls.framework = started(variant="inductor", clocks=True)
        finally:
            os.chdir(before)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def test_a_call_is_compiled_once(self) -> None:
        with torch._inductor.config.patch(fx_graph_cache=False):  # no code of earlier processes
            header, buffers, channel = run(self.framework, "torch.argsort(x + 1)", X)
        self.assertIsNone(header["raised"])
        self.assertEqual(unpacked("int64", buffers[0]), [1, 2, 0, 2, 1, 0])
        self.assertEqual(header["compilations"]["cold"], [1])
        self.assertEqual(sum(header["compilations"]["warm"]), 0)
        reported = header["first_call"]
        self.assertGreater(min(reported["tracing"], reported["lowering"], reported["compiling"]), 0)
        self.assertLess(sum(reported.values()), header["timings"]["cold"][0])
        self.assertIn("compile", channel.stages)
        self.assertTrue(any("sort" in name for name in header["extern_kernels"]))

    def test_a_call_is_compiled_once_for_all_setups(self) -> None:
        """Each timing calls the compiled code once, with the objects of its own setup."""
        setup = "import support\ny = torch.zeros(3)\nm = torch.nn.BatchNorm1d(3)\n"
        inputs = {"x": ("float32", (2, 3), [1.0, -2.0, 3.0, 4.0, 5.0, 6.0])}
        for call, seen in (("y.add_(1)", "y"), ("m(x)", "m.num_batches_tracked"),
                           ("x.add_(1)", "x - torch.tensor([[1., -2., 3.], [4., 5., 6.]])"),
                           ("torch.randperm(3)", "torch.ones(1)")):  # fmt: skip
            with self.subTest(call), mock.patch.object(support, "made", [], create=True):
                keep = f"support.made.append(lambda: {seen})"
                header, _, _ = run(self.framework, call, inputs, setup=setup + keep, modules=["m"],
                                   repeat="fresh", compare="shape")  # fmt: skip
                self.assertIsNone(header["raised"] or header["harness"])
                self.assertEqual(set(header["compilations"]["warm"]), {0})
                self.assertGreater(len(support.made), len(header["timings"]["warm"]))
                for made in support.made[1:]:
                    self.assertEqual(made().unique().tolist(), [1])

    def test_gradients_of_a_new_setup_are_not_compiled_again(self) -> None:
        keys = {**LINEAR, "setup": "m = torch.nn.BatchNorm1d(3)", "repeat": "fresh"}
        header, _, _ = run(self.framework, "m(x)", backward=True, **keys)
        self.assertIsNone(header["raised"] or header["harness"])
        for clock in ("warm", "backward"):
            self.assertEqual(set(header["compilations"][clock]), {0})

    def test_a_class_of_the_setup_is_compiled_each_time(self) -> None:
        setup = "class M:\n    def __call__(self, x):\n        return x.add_(1)\nm = M()"
        header, _, _ = run(self.framework, "m(x)", X, setup=setup, repeat="fresh")
        self.assertIsNone(header["raised"] or header["harness"])
        self.assertEqual(set(header["compilations"]["warm"]), {1})

    def test_a_graph_break_is_not_applicable(self) -> None:
        header, _, _ = run(self.framework, "print(x.sum().item())", X)
        self.assertIn("graph break", header["not_applicable"])
        self.assertIsNone(header["raised"])

    def test_nothing_to_compile_is_not_applicable(self) -> None:
        header, _, _ = run(self.framework, "torch.cuda.is_available()")
        self.assertIsNotNone(header["not_applicable"])


def _xla_is_missing() -> bool:
    return importlib.util.find_spec("torch_xla") is None or "PJRT_DEVICE" not in os.environ


@unittest.skipIf(_xla_is_missing(), "no torch_xla, or PJRT_DEVICE is not set")
class Xla(unittest.TestCase):
    """XLA: a lazy device that counts its fallbacks."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.framework = started("xla", clocks=True)

    def test_a_sort_is_computed_within_the_clock(self) -> None:
        count = 200_000
        values = struct.pack(f"<{count}f", *((i * 7919) % count for i in range(count)))
        header, _, _ = run(self.framework, "torch.argsort(x)", {"x": ("float32", (count,), values)})
        warm, dispatch = header["timings"]["warm"], header["timings"]["dispatch"]
        self.assertGreater(min(warm), 10 * min(dispatch))
        self.assertEqual(header["compilations"]["cold"], [1])
        self.assertGreater(header["first_call"]["compiling"], 0)
        self.assertTrue(header["outputs"][0]["on_device"])

    def test_multinomial_falls_back_without_replacement_only(self) -> None:
        ones = {"x": ("float32", (8,), [1.0] * 8)}
        header, _, _ = run(self.framework, "torch.multinomial(x, 3)", ones, compare="shape")
        self.assertEqual(header["fallback"], ["aten::multinomial"])
        header, _, _ = run(self.framework, "torch.multinomial(x, 3, replacement=True)", ones)
        self.assertEqual(header["fallback"], [])

    def test_a_scalar_read_back_is_no_fallback(self) -> None:
        header, _, _ = run(self.framework, "x.sum().item()", X)
        self.assertEqual((header["fallback"], header["host_reads"]), ([], 1))

    def test_saddmm_fails_where_the_sparse_tensor_is_made(self) -> None:
        square = {"x": ("float32", (2, 2), [1.0, 0.0, 0.0, 1.0])}
        header, _, _ = run(self.framework, "torch.saddmm(x, x.to_sparse(), x)", square)
        self.assertEqual(
            (header["stage"], header["raised"]["type"]), ("run", "NotImplementedError")
        )
        header, _, _ = run(
            self.framework, "torch.saddmm(x, s, x)", square, setup="s = x.to_sparse()"
        )
        self.assertEqual(header["stage"], "setup")

    def test_modules_have_the_same_bits_as_on_the_host(self) -> None:
        keys = {"inputs": {"x": ("float32", (4, 2), [float(i) for i in range(8)])},
                "setup": "m = torch.nn.BatchNorm1d(2); k = list(m.parameters())[0]",
                "modules": ["m"], "output": "[*m.state_dict().values()]",
                "repeat": "once"}  # fmt: skip
        on_xla, on_host = run(self.framework, "k", **keys), run(started(), "k", **keys)
        self.assertEqual(on_xla[1], on_host[1])
        arrays = [leaf for leaf in on_xla[0]["outputs"] if "dtype" in leaf]
        self.assertTrue(arrays and all(leaf["on_device"] for leaf in arrays))


if __name__ == "__main__":
    unittest.main()
