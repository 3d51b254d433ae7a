"""Tests of TensorFlow's driver on the host, on XLA's own device, and in the variant ``+jit``."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import unittest
from unittest import mock

import fresh
import pmdriver
import support
from pmdriver.job import execution
from support import Channel, job, parts, unpacked

HAS_TENSORFLOW = importlib.util.find_spec("tensorflow") is not None
if HAS_TENSORFLOW:
    os.environ.setdefault("TF_XLA_FLAGS", "--tf_xla_enable_xla_devices")
    import numpy as np
    import tensorflow as tf
    from pmdriver import hostarrays
    from pmdriver.tensorflow import devices, eager, kernels
    from pmdriver.tensorflow.framework import TensorFlow

X = {"x": ("float32", (2, 2), [3.0, 1.0, 2.0, 6.0])}


def started(device: str = "cpu", **changes: object) -> TensorFlow:
    """Return a driver that was started on a device, without setting threads or devices."""
    framework = TensorFlow()
    framework.import_all()
    with mock.patch.object(devices.Device, "prepare", lambda self, threads, devices: None):
        framework.start(support.setting(device=device, **changes))
    return framework


def run(framework: TensorFlow, call: str, inputs: object = None, **keys: object) -> tuple:
    """Run a job; return the header, the buffers and the channel."""
    channel = Channel()
    keys = {"host_only": False, "requires": [], **keys}
    header, buffers = execution.run(framework, *job(call, inputs, **keys), channel)
    return header, buffers, channel


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class Host(unittest.TestCase):
    """Cases on the host."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.framework = started()

    def run_one(self, call: str, inputs: object = None, **keys: object) -> tuple:
        """Run a job that must succeed."""
        header, buffers, channel = run(self.framework, call, inputs, **keys)
        self.assertIsNone(header["raised"] or header["harness"] or header["not_applicable"])
        return header, buffers, channel

    def test_a_call(self) -> None:
        header, buffers, _ = self.run_one("tf.add(x, 1)", X)
        (leaf,) = header["outputs"]
        self.assertEqual((leaf["dtype"], leaf["device"]), ("float32", "device:CPU:0"))
        self.assertTrue(leaf["on_device"])
        self.assertEqual(unpacked("float32", buffers[0]), [4.0, 2.0, 3.0, 7.0])
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})

    def test_the_registry_says_whether_other_types_have_a_kernel(self) -> None:
        for call, other in (
            ("tf.raw_ops.MatrixDeterminant(input=tf.cast(x, tf.float16))", True),
            ("tf.raw_ops.MatMul(a=x, b=tf.zeros((7, 7)))", None),
        ):
            raised = run(self.framework, call, X)[0]["raised"]
            with self.subTest(call):
                self.assertEqual(raised["other_types"], other)
        lacks = "Could not find device for node: {{node Det}} [Op:MatrixDeterminant]"
        error = tf.errors.NotFoundError(None, None, lacks)
        for device, other in (("CPU", True), ("XLA_CPU", False)):
            types = kernels.types_of(device, False)
            self.assertEqual(kernels.of_other_types(error, types), other)

    def test_the_registry_is_asked_for_what_a_compiler_lacks(self) -> None:
        lacks = "No registered '{}' OpKernel for XLA_CPU_JIT devices compatible with node x"
        types = kernels.types_of("CPU", True)
        for names, other in (
            (("_Arg",), True),
            (("AsString",), False),
            (("_Arg", "AsString"), False),
        ):
            error = tf.errors.InvalidArgumentError(None, None, " ".join(map(lacks.format, names)))
            with self.subTest(names):
                self.assertEqual(kernels.of_other_types(error, types), other)
        self.assertIsNone(kernels.of_other_types(ValueError(lacks.format("_Arg")), types))

    def test_every_dtype_arrives(self) -> None:
        for name in hostarrays.DTYPES:
            size = 2 if name == "bfloat16" else np.dtype(name).itemsize
            data = b"\1\0\1" if name == "bool" else bytes(range(1, 3 * size + 1))
            header, buffers, _ = self.run_one("x", {"x": (name, (3,), data)})
            self.assertEqual(header["outputs"][0]["dtype"], name)
            self.assertEqual(bytes(buffers[0]), data)

    def test_gradients(self) -> None:
        for output in ("out", "out[1]"):
            header, buffers, channel = self.run_one(
                "(n, x ** 2)", {**X, "n": ("int32", (1,), struct.pack("<i", 4))},
                backward=True, output=output,
            )  # fmt: skip
            (gradient,) = header["gradients"]
            self.assertEqual((gradient["path"], gradient["shape"]), ("x.grad", [2, 2]))
            cotangent = unpacked("float32", channel._values(channel.asked[-1]))
            found = unpacked("float32", buffers[-1])
            for value, x, c in zip(found, X["x"][2], cotangent):
                self.assertAlmostEqual(value, 2 * x * c, places=5)

    def test_texts_variables_and_ragged_tensors_are_opened(self) -> None:
        for call, steps in (
            ("tf.constant(['a', 'b'])", ["out.dtype", "out.items"]),
            ("tf.Variable(3.0)", ["out.value()", "out.trainable"]),
            ("tf.ragged.constant([[1, 2], [3]])",
             ["out.components[0]", "out.components[1]", "out.type_spec"]),
            ("tf.sparse.from_dense([0, 3])",
             ["out.components[0]", "out.components[1]", "out.components[2]", "out.type_spec"]),
        ):  # fmt: skip
            header, _, _ = self.run_one(call)
            self.assertEqual([leaf["path"] for leaf in parts(header)], steps)

    def test_dtypes_and_shapes_are_plain(self) -> None:
        header, _, _ = self.run_one("[tf.float32, x.shape]", X)
        names = [list(item) for item in header["outputs"][0]["value"]]
        self.assertEqual(names, [["tf.DType"], ["tf.TensorShape"]])

    def test_what_this_version_lacks_is_absent(self) -> None:
        header, _, _ = run(self.framework, "1", function="tf.contrib.framework.nest.flatten")
        self.assertTrue(header["absent"])
        self.assertIsNone(self.framework.missing("tf.compat.v1.distributions.Normal"))

    def test_requirements(self) -> None:
        for requirement, met in (("accelerator", False), ("xla", False), ("values", True)):
            self.assertEqual(self.framework.unmet(requirement) is None, met)
        self.assertIn("unknown", self.framework.unmet("nothing"))

    def test_exhausted_memory_is_told(self) -> None:
        header, _, _ = run(self.framework, "tf.zeros(1 << 46, tf.uint8)")
        self.assertEqual(header["raised"]["memory"], "host")

    def test_host_only_is_verified(self) -> None:
        header, _, _ = run(self.framework, "tf.ones(3)", host_only=True, rehearse=True)
        self.assertIn("the case has 'host_only'", header["harness"])
        self.run_one("tf.dtypes.as_dtype('int8')", host_only=True, rehearse=True)

    def test_random_numbers_are_seeded(self) -> None:
        for call in ("tf.random.normal([3])", "np.random.random(3)"):
            header, _, _ = self.run_one(call)
            self.assertEqual(header["second"]["output_changed"], [], call)

    def test_a_case_finds_the_settings_of_the_first(self) -> None:
        self.run_one("tf.config.set_soft_device_placement(True)")
        self.run_one("tf.config.run_functions_eagerly(True)")
        header, _, _ = self.run_one(
            "[tf.config.get_soft_device_placement(), tf.config.functions_run_eagerly()]"
        )
        self.assertEqual(header["outputs"][0]["value"], [False, False])

    def test_the_number_of_threads_is_set(self) -> None:
        with mock.patch.object(tf.config, "threading") as threading:
            devices.Cpu().prepare(3)
        threading.set_intra_op_parallelism_threads.assert_called_once_with(3)
        threading.set_inter_op_parallelism_threads.assert_called_once_with(3)

    def test_devices_that_return_early_are_waited_for(self) -> None:
        self.assertIsNone(self.framework.wait)
        self.assertIs(devices.Cuda().wait(), tf.test.experimental.sync_devices)

    def test_every_device_is_listed(self) -> None:
        rows = {(row["device"], row["variant"]): row for row in self.framework.devices()}
        self.assertLessEqual({(cls.name, "") for cls in devices.DEVICES}, set(rows))
        self.assertTrue(rows["cpu", "jit"]["measurable"] and rows["cpu", "soft"]["measurable"])
        for row in rows.values():
            self.assertEqual(bool(row["why_not"]), not row["measurable"])

    def test_unknown_devices_and_variants(self) -> None:
        for device, variant, why in (
            ("cpu:7", "", "device cpu:7 does not exist"),
            ("npu", "", "tensorflow has no device 'npu'"),
            ("cpu", "inductor", "tensorflow has no variant 'inductor'"),
        ):
            with self.assertRaisesRegex(RuntimeError, why):
                started(device, variant=variant)


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class Xla(unittest.TestCase):
    """XLA's own device, on the host's cores."""

    @classmethod
    def setUpClass(cls) -> None:
        if not tf.config.list_physical_devices("XLA_CPU"):
            raise unittest.SkipTest("TF_XLA_FLAGS is set without the flag for XLA's devices")
        cls.framework = started("xla")

    def test_an_index_that_is_too_high(self) -> None:
        self.assertIn("use a lower index", devices.device_of("xla:7").why_not())

    def test_placement(self) -> None:
        header, _, _ = run(self.framework, "(x + 1, tf.ones(3))", X)
        for leaf in parts(header):
            self.assertEqual((leaf["device"], leaf["on_device"]), ("device:XLA_CPU:0", True))

    def test_a_result_on_the_host(self) -> None:
        setup = """
def f(x):
    with tf.device("/device:CPU:0"):
        return tf.identity(x)
"""
        header, _, _ = run(self.framework, "f(x)", X, setup=setup)
        self.assertFalse(header["outputs"][0]["on_device"])

    def test_what_the_device_lacks_does_not_fall_back(self) -> None:
        header, _, _ = run(self.framework, "tf.strings.length('abc')")
        self.assertIn("Could not satisfy device specification", header["raised"]["message"])

    def test_the_soft_variant_lets_it_fall_back(self) -> None:
        header, _, _ = run(started("xla", variant="soft"), "tf.strings.length('abc')")
        self.assertIsNone(header["raised"])
        self.assertFalse(header["outputs"][0]["on_device"])

    def test_gradients(self) -> None:
        header, _, _ = run(self.framework, "tf.sin(x)", X, backward=True)
        self.assertTrue(header["gradients"][0]["on_device"])


V = {"v": ("float32", (4,), [0.5, 1.5, 2.5, 3.5])}
N = {"n": ("int32", (3,), struct.pack("<3i", 0, 1, 2))}
STRING = "tf.strings.as_string"


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class SoftPlacement(unittest.TestCase):
    """Operations that the host executes under soft placement, as XLA's own device lacks them.

    These are operations on strings, some decompositions and some distributions.
    """

    #: Calls, their inputs, and the operations on their data that the host executes.
    FALLING_BACK = (
        # a single operation
        ("tf.linalg.eig(x)", X, ["Eig"]),
        ("tf.linalg.eigvals(x)", X, ["Eig"]),
        ("tf.strings.as_string(x)", X, ["AsString"]),
        ("tf.raw_ops.RandomGamma(shape=n, alpha=v, seed=1, seed2=2)", {**V, **N}, ["RandomGamma"]),
        ("tf.py_function(lambda a: a + 1, [x], tf.float32)", X, ["EagerPyFunc"]),
        ("tf.numpy_function(np.sin, [x], tf.float32)", X, ["numpy_function"]),
        ("tf.compat.v1.py_func(np.sin, [x], tf.float32)", X, ["numpy_function"]),
        # in the middle of a call whose output is on the device
        ("tf.random.gamma([3], v)", V, ["RandomGamma"]),
        ("tf.random.poisson([3], v) * 2", V, ["RandomPoissonV2"]),
        ("tf.abs(tf.linalg.eigvals(x))", X, ["Eig"]),
        (f"tf.strings.to_number({STRING}(x)) + 1", X, ["AsString", "StringToNumber"]),
        (f"tf.strings.length({STRING}(x)) + 1", X, ["AsString", "StringLength"]),
        (f"tf.strings.to_hash_bucket_fast({STRING}(x), 7) + 1", X,
         ["AsString", "StringToHashBucketFast"]),
        (f"tf.io.decode_raw({STRING}(v), tf.uint8, little_endian=True) + 1", V,
         ["AsString", "DecodeRaw"]),
        ("tf.reshape(tf.py_function(lambda a: a, [x], tf.float32), [4])", X, ["EagerPyFunc"]),
        ("x + tf.numpy_function(lambda a: a, [x], tf.float32)", X, ["numpy_function"]),
        ("w.assign_add(tf.abs(tf.linalg.eig(w)[1]))", {}, ["Eig"]),
        # without inputs: the values are random or made of constants
        ("tf.random.gamma([3], 2.0)", {}, ["RandomGamma"]),
        ("tf.zeros([2], tf.string)", {}, ["Fill"]),
        ("tf.strings.length('abc') + 1", {}, ["StringLength"]),
    )  # fmt: skip

    #: Calls without a fallback, their inputs, and the operations on shapes and constants that the
    #: host executes.
    ON_THE_DEVICE = (
        ("x + 1", X, []),
        ("tf.matmul(x, x)", X, []),
        ("tf.linalg.svd(x)", X, []),
        ("tf.sort(v)", V, []),
        ("tf.unique(v)", V, []),
        ("tf.gather(v, n)", {**V, **N}, []),
        ("n + n", N, []),
        ("tf.reduce_sum(x, 0)", X, []),
        ("tf.reshape(x, tf.shape(x)[::-1])", X, []),
        ("tf.map_fn(tf.sin, v)", V, []),
        ("tf.while_loop(lambda i: i < 3., lambda i: [i + 1.], [v[0]])", V, []),
        ("f(x)", X, []),
        ("w.assign_add(w)", {}, []),
        ("tf.zeros([2])", {}, []),
        ("tf.range(3)", {}, []),
        ("tf.random.normal([3])", {}, []),
        ("tf.eye(2)", {}, []),
        # constants of the call, beside its data
        ("x + tf.cast(tf.strings.length('abc'), tf.float32)", X, ["StringLength"]),
        ("(x * 2, tf.strings.join(['a', 'b']))", X, ["StringJoin"]),
        ("tf.reshape(x, tf.strings.to_number(['4'], tf.int32))", X, ["StringToNumber"]),
        # the host saves files, because the device has none
        ("tf.saved_model.save(w, '$tmp/saved')", {}, None),
    )

    @classmethod
    def setUpClass(cls) -> None:
        if not tf.config.list_physical_devices("XLA_CPU"):
            raise unittest.SkipTest("TF_XLA_FLAGS is set without the flag for XLA's devices")
        cls.framework = started("xla", variant="soft")

    def run_one(self, call: str, inputs: dict, **keys: object) -> dict:
        """Run a job that must succeed; return its header."""
        setup = "f = tf.function(lambda x: tf.sin(x) * 2)\n" * ("f(" in call)
        setup += "w = tf.Variable(tf.eye(2))" * ("w." in call or "(w," in call)
        keys = {"repeat": "fresh", "setup": setup, **keys}
        header, _, _ = run(self.framework, call, inputs, **keys)
        self.assertIsNone(header["raised"] or header["harness"], call)
        return header

    def test_what_falls_back(self) -> None:
        for call, inputs, names in self.FALLING_BACK:
            with self.subTest(call):
                self.assertEqual(self.run_one(call, inputs)["fallback"], names)

    def test_what_does_not(self) -> None:
        for call, inputs, names in self.ON_THE_DEVICE:
            with self.subTest(call):
                header = self.run_one(call, inputs)
                self.assertEqual(header["fallback"], [])
                if names is not None:
                    self.assertEqual(header["host_operations"], names)

    def test_kernels_for_the_memory_of_the_host(self) -> None:
        """A GPU has kernels in the host's memory for whole numbers and for shapes."""
        watch = eager.Watch(devices.Cuda().runs)
        at = {"device": "/device:GPU:0", "dtype": tf.int32}
        outputs = [mock.Mock(backing_device=f"/device:{each}:0", **at) for each in ("GPU", "CPU")]
        for kind, output in (("AddV2", 0), ("Mul", 1), ("Shape", 1)):
            watch._note_operation(kind, True, [outputs[output]])
        self.assertEqual(watch.moved, ["Mul (in the host's memory)"])
        self.assertEqual(watch.on_constants, ["Shape (in the host's memory)"])

    def test_under_each_way_to_repeat(self) -> None:
        call = ("tf.abs(tf.linalg.eigvals(x))", X)
        for repeat in ("pure", "fresh", "once"):
            self.assertEqual(self.run_one(*call, repeat=repeat)["fallback"], ["Eig"])
        timed = started("xla", variant="soft", clocks=True)
        for repeat, names in (("pure", ["Eig"]), ("once", [])):
            header, _, _ = run(timed, *call, repeat=repeat)
            self.assertEqual(header["fallback"], names)

    def test_gradients(self) -> None:
        for call, names in (
            ("tf.abs(tf.linalg.eigvals(tf.linalg.diag(v)))", ["Eig", "MatrixSolve"]),
            ("tf.sin(v) * 2", []),
        ):
            self.assertEqual(self.run_one(call, V, backward=True)["fallback"], names)

    def test_what_the_setup_moves_is_not_the_calls(self) -> None:
        header = self.run_one("x + y", X, setup="y = tf.abs(tf.linalg.eigvals(tf.eye(2)))")
        self.assertEqual(header["fallback"], [])

    def test_what_is_host_only_is_not_watched(self) -> None:
        header = self.run_one("tf.strings.length('abc').numpy().item()", {}, host_only=True)
        self.assertEqual((header["fallback"], header["host_operations"]), ([], []))

    def test_what_cases_need(self) -> None:
        """The reference reports dtypes, texts and handles of tables of the call and its setup."""
        reference = started(reference=True)
        for call, setup, needs in (
            ("tf.sin(v)", "", ["float32"]),
            ("tf.cast(v, tf.float64)", "", ["float32", "float64"]),
            ("tf.strings.length(tf.strings.as_string(v))", "", ["float32", "int32", "string"]),
            ("tf.sin(v)", "t = tf.constant(['a'])", ["float32", "string"]),
            ("tf.debugging.assert_less(v, 9.0)", "", ["bool", "float32"]),
            ("w.assign_add(v)", "w = tf.Variable(v)", ["float32"]),
            ("t.lookup(tf.cast(v, tf.int64))", "i = tf.constant([1], tf.int64)\nt = tf.lookup."
             "StaticHashTable(tf.lookup.KeyValueTensorInitializer(i, i), 0)",
             ["float32", "int64", "table"]),
        ):  # fmt: skip
            header, _, _ = run(reference, call, V, setup=setup, repeat="fresh", needs=True)
            with self.subTest(call):
                of_shapes = {"bool", "int32"}
                self.assertEqual({*support.needed(header)} - of_shapes, {*needs} - of_shapes)
        self.assertEqual(self.run_one("tf.sin(x)", X)["needs"], {})

    def test_what_each_operation_needs(self) -> None:
        """A text that a later operation needs does not explain why an earlier one has no kernel."""
        call = "tf.strings.length(tf.strings.as_string(tf.sin(v)))"
        found = run(started(reference=True), call, V, needs=True)[0]["operation_needs"]
        self.assertEqual(found["Sin"], ["float32"])
        self.assertIn("string", found["StringLength"])
        lacks = "Could not satisfy device specification. [Op:RangeDataset] name: "
        error = tf.errors.InvalidArgumentError(None, None, lacks)
        self.assertEqual(self.framework.operations_of(error), ["RangeDataset"])
        self.assertEqual(self.framework.operations_of(ValueError("[Op:Sin] is wrong")), [])

    def test_what_a_case_without_arrays_needs(self) -> None:
        """The case makes its texts on the host, but a device that has no texts cannot use them."""
        header, _, _ = run(
            started(reference=True), "tf.strings.upper(['a']).numpy()", {}, repeat="fresh",
            host_only=True, needs=True,
        )  # fmt: skip
        self.assertEqual(support.needed(header), ["string"])

    def test_a_call_that_fails_when_it_is_watched_says_nothing(self) -> None:
        setup = "import os; made = os.environ['MADE'] = os.environ.get('MADE', '') + '.'"
        with mock.patch.dict(os.environ):
            header, _, _ = run(self.framework, "x / (2 - len(made)) if 1 // (2 - len(made)) else 0",
                               X, setup=setup, repeat="fresh")  # fmt: skip
        self.assertIsNone(header["raised"])
        self.assertIn("the watched call failed (ZeroDivisionError", header["harness"])


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class Jitted(unittest.TestCase):
    """The variant ``+jit``."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.framework = started(variant="jit")

    def test_inputs_are_traced(self) -> None:
        header, _, _ = run(self.framework, "tf.sin(x) + float(tf.executing_eagerly())", X)
        self.assertIsNone(header["raised"] or header["not_applicable"])

    def test_arrays_of_the_setup_are_no_constants(self) -> None:
        header, _, _ = run(self.framework, "y * 2", {}, setup="y = tf.ones(3)")
        self.assertIsNone(header["raised"] or header["not_applicable"])

    def test_what_cannot_be_traced_is_not_applicable(self) -> None:
        for call in ("x if tf.reduce_sum(x) > 0 else -x", "x.numpy()", "tf.Variable(x)",
                     "tf.float32"):  # fmt: skip
            header, _, _ = run(self.framework, call, X)
            self.assertIn("not traceable", header["not_applicable"] or "", call)

    def test_a_constant_is_not_measured_as_compiled(self) -> None:
        header, _, _ = run(self.framework, "tf.ones(3) * 2", X)
        self.assertIn("depends on no input", header["not_applicable"])

    def test_arrays_of_the_host_are_not_traced(self) -> None:
        inputs = {**X, "n": ("int64", (2,), [4, 1], "host")}
        call = "(tf.reshape(x, n[::-1]), x + tf.constant(n, tf.float32), x * n.flags.c_contiguous)"
        header, buffers, _ = run(self.framework, call, inputs)
        self.assertIsNone(header["raised"] or header["not_applicable"])
        self.assertEqual([leaf["shape"] for leaf in parts(header)], [[1, 4], [2, 2], [2, 2]])

    def test_what_xla_lacks_is_the_calls(self) -> None:
        header, _, _ = run(self.framework, "tf.strings.length(tf.strings.as_string(x))", X)
        self.assertEqual(header["raised"]["type"], "InvalidArgumentError")

    def test_tracing_is_told(self) -> None:
        """Only tracing has a time: XLA does not report how long it compiles."""
        timed = started(variant="jit", clocks=True)
        header, _, _ = run(timed, "tf.tanh(x) * 3", X)
        self.assertEqual(set(header["first_call"]), {"tracing"})
        self.assertGreater(header["first_call"]["tracing"], 0)
        self.assertLess(header["first_call"]["tracing"], header["timings"]["cold"][0])
        self.assertEqual(header["compilations"]["cold"], [1])

    def test_a_call_is_compiled_once_for_all_setups(self) -> None:
        timed = started(variant="jit", clocks=True)
        host = {"n": ("int64", (1,), [1], "host")}
        layer = {"setup": "m = tf.keras.layers.BatchNormalization()", "modules": ["m"]}
        optimizer = "v = tf.Variable(x)\no = tf.keras.optimizers.Adadelta(1.0)\no.build([v])"
        for call, inputs, keys in (
            ("x + y", X, {"setup": "y = tf.ones(2)"}),
            ("tf.reduce_sum(x, axis=n)", {**X, **host}, {}),
            ("m(x, training=True)", X, {**layer, "backward": True}),
            ("o.apply_gradients([(x, v)])", X, {"setup": optimizer, "output": "v.value()"}),
            ("tf.keras.random.uniform([2]) + x", X, {}),
        ):
            header, _, _ = run(timed, call, inputs, repeat="fresh", compare="shape", **keys)
            self.assertIsNone(header["raised"] or header["not_applicable"], call)
            for clock in ("warm", *(["backward"] if "backward" in keys else [])):
                self.assertEqual(set(header["compilations"][clock]), {0}, call)

    def test_each_timing_begins_with_the_state_of_the_setup(self) -> None:
        timed = started(variant="jit", clocks=True)
        setup = "import support\nv, w = tf.Variable(x), tf.Variable(3 * x)\n"
        setup += "support.made.append((v, w))"
        with mock.patch.object(support, "made", [], create=True):
            header, _, _ = run(timed, "(w.assign_add(x), v.assign_sub(x))", X, setup=setup,
                               repeat="fresh")  # fmt: skip
            self.assertGreater(len(header["timings"]["warm"]), 1)
            (v, w), *others = support.made
        self.assertEqual(set(header["compilations"]["warm"]), {0})
        given = np.array(X["x"][2], "float32").reshape(X["x"][1])
        np.testing.assert_array_equal(v.numpy(), 0 * given)  # one call, after any number of them
        np.testing.assert_array_equal(w.numpy(), 4 * given)
        self.assertEqual(len(others), 1)  # from which the first values are known

    def test_a_setup_that_replaces_an_input_runs_each_time(self) -> None:
        timed = started(variant="jit", clocks=True)
        setup = "import support\nx = tf.Variable(x)\nsupport.made.append(x)"
        with mock.patch.object(support, "made", [], create=True):
            header, _, _ = run(timed, "x.assign_add(x)", X, setup=setup, repeat="fresh")
            self.assertIsNone(header["raised"] or header["not_applicable"])
            self.assertGreater(len(support.made), len(header["timings"]["warm"]))
            given = np.array(X["x"][2], "float32").reshape(X["x"][1])
            for made in support.made:
                np.testing.assert_array_equal(made.numpy(), 2 * given)

    def test_traces_are_counted(self) -> None:
        before = self.framework.jit.count()
        run(self.framework, "x * 5", X)
        self.assertEqual(self.framework.jit.count(), before + 1)


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class Leaves(unittest.TestCase):
    """Outputs that are not tensors, but are compared."""

    def test_elements_of_a_dataset(self) -> None:
        header, buffers, _ = run(started(), "tf.data.Dataset.range(3).batch(2)", repeat="fresh")
        self.assertEqual([leaf["path"] for leaf in parts(header)][1:], ["out[0]", "out[1]"])
        self.assertEqual([len(b) // 8 for b in buffers], [2, 1])

    def test_programs_and_generators_are_told_apart(self) -> None:
        concrete = "tf.function(lambda x: {}).get_concrete_function(tf.TensorSpec([2]))"
        loop = "tf.while_loop(lambda i: i < 3., lambda i: [i {} 1.], [x[0]])"
        advanced = "(lambda g: (g.normal([1]), g)[1])(tf.random.Generator.from_seed(1))"
        for first, second in (
            ("tf.function(lambda x: x + 1)", "tf.function(lambda x: x - 1)"),
            (concrete.format("x + 1"), concrete.format("x - 1")),
            (concrete.format("x + 1"), concrete.format("x + 2")),
            (concrete.format(loop.format("+")), concrete.format(loop.format("-"))),
            ("tf.random.Generator.from_seed(1)", "tf.random.Generator.from_seed(2)"),
            ("tf.random.Generator.from_seed(1)", advanced),
        ):
            with self.subTest(first):
                one, again, two = (self.found(text) for text in (first, first, second))
                self.assertEqual(one, again)
                self.assertNotEqual(one, two)

    @staticmethod
    def found(call: str) -> tuple:
        header, buffers, _ = run(started(), call, repeat="fresh")
        assert not (header["raised"] or header["harness"]), header
        return header["outputs"], buffers

    def test_an_endless_dataset(self) -> None:
        header, _, _ = run(started(), "tf.data.Dataset.range(3).repeat()", repeat="fresh")
        self.assertIn("more than 1000 elements", header["harness"])

    def test_ragged_and_sparse_tensors_and_variables(self) -> None:
        for call, steps in (
            ("tf.ragged.constant([[1.0], []])", ["out.components[0]", "out.components[1]"]),
            ("tf.sparse.from_dense([[1, 0]])", [f"out.components[{i}]" for i in range(3)]),
            ("tf.Variable([1.0])", ["out.value()"]),
        ):
            header, _, _ = run(started(), call, repeat="fresh")
            arrays = [leaf["path"] for leaf in parts(header) if "dtype" in leaf]
            self.assertEqual(arrays, steps)

    def test_what_is_printed_is_captured(self) -> None:
        header, _, _ = run(started(), "tf.print(x[0, 0])", X, output="captured")
        self.assertEqual(header["outputs"][0]["value"], "3\n")


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class Modules(unittest.TestCase):
    """Layers of Keras, which make their weights in the first call."""

    SETUP = (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization()])"
    )

    def run_layer(self, device: str = "cpu", **keys: object) -> tuple:
        """Run a layer with its gradient; return the header, the buffers and the channel."""
        keys = {"setup": self.SETUP, "modules": ["m"], "backward": True, **keys}
        header, buffers, channel = run(started(device), "m(x)", X, **keys)
        self.assertIsNone(header["raised"] or header["harness"])
        return header, buffers, channel

    def test_they_are_built_and_filled_from_the_generator(self) -> None:
        header, buffers, channel = self.run_layer()
        asked = [item["name"] for item in channel.asked]
        self.assertEqual(asked[:4], [f"m.weights[{i}]" for i in range(4)])
        self.assertEqual(asked[4], "cotangent.out")
        self.assertEqual(
            [leaf["path"] for leaf in header["gradients"]],
            ["x.grad", *(f"m.weights[{i}].grad" for i in range(4))],
        )
        kernel, bias, gamma, beta = (
            unpacked("float32", channel._values(i)) for i in channel.asked[:4]
        )
        dense = sum(x * kernel[3 * i] for i, x in enumerate(X["x"][2][:2])) + bias[0]
        expected = dense / 1.001**0.5 * gamma[0] + beta[0]
        self.assertAlmostEqual(unpacked("float32", buffers[0])[0], expected, places=4)

    def test_they_are_on_the_device(self) -> None:
        header, buffers, _ = self.run_layer("xla")
        self.assertTrue(all(leaf["on_device"] for leaf in parts(header)))
        for found, wanted in zip(buffers, self.run_layer()[1]):
            for a, b in zip(unpacked("float32", found), unpacked("float32", wanted)):
                self.assertAlmostEqual(a, b, places=4)

    def test_a_call_that_changes_weights_is_not_pure(self) -> None:
        header, _, _ = run(
            started(), "m(x, training=True)", X, setup=self.SETUP, modules=["m"], rehearse=False
        )
        self.assertIn("m.weights[4]", header["second"]["inputs_changed"])

    def test_what_is_not_a_module(self) -> None:
        header, _, _ = run(started(), "x", X, setup="m = 3", modules=["m"])
        self.assertEqual(header["harness"], "modules: 'm' is a int, not a module: remove it")


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class Graphs(unittest.TestCase):
    """Graphs and sessions, which a case opens in its context."""

    CONTEXT = "tf.Graph().as_default(), tf.device(device), tf.compat.v1.Session() as s"
    SETUP = "p = tf.compat.v1.placeholder(tf.float32, [2, 2])\n"

    def run_graph(self, setup: str, call: str = "s.run(y, {p: x})", **keys: object) -> dict:
        """Run a job on XLA's own device; return its header."""
        framework = started(keys.pop("device", "xla"), variant=keys.pop("variant", ""))
        keys = {"context": self.CONTEXT, **keys}
        header, _, _ = run(framework, call, X, setup=self.SETUP + setup, **keys)
        self.assertIsNone(header["raised"] or header["harness"])
        return header

    def test_inputs_are_fed_and_results_are_no_fallback(self) -> None:
        header = self.run_graph("assert isinstance(x, np.ndarray)\ny = p * 2")
        self.assertEqual(header["fallback"], [])
        self.assertTrue(all(leaf["on_device"] for leaf in parts(header)))

    def test_bfloat16_is_an_array(self) -> None:
        header = self.run_graph(
            "y = tf.cast(p, tf.bfloat16)", "[s.run(y, {p: x}), np.sum(s.run(y, {p: x}))]"
        )
        arrays = [leaf for leaf in parts(header) if "dtype" in leaf]
        self.assertEqual([leaf["dtype"] for leaf in arrays], ["bfloat16"] * 2)
        self.assertEqual([leaf["shape"] for leaf in arrays], [[2, 2], []])

    def test_operations_elsewhere_are_a_fallback(self) -> None:
        for repeat in ("pure", "fresh", "once"):
            header = self.run_graph(
                "with tf.device('/device:CPU:0'): z = tf.sin(p)\ny = z * 2", repeat=repeat
            )
            self.assertEqual(header["fallback"], ["Sin"])

    def test_soft_placement_is_seen(self) -> None:
        header = self.run_graph("y = tf.strings.as_string(p)", variant="soft")
        self.assertEqual(header["fallback"], ["AsString"])

    def test_what_only_the_setup_runs_is_not_the_calls(self) -> None:
        header = self.run_graph(
            "with tf.device('/device:CPU:0'): s.run(tf.sin(p), {p: x})\ny = p * 2"
        )
        self.assertEqual(header["fallback"], [])

    def test_options_of_the_call_are_kept(self) -> None:
        header = self.run_graph(
            "v1 = tf.compat.v1\nm = v1.RunMetadata()\n"
            "o = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)\ny = p * 2",
            "(s.run(y, {p: x}, options=o, run_metadata=m), len(m.step_stats.dev_stats) > 0)[1]",
            repeat="once",
        )
        self.assertEqual(header["outputs"][0]["value"], True)

    def test_what_is_host_only_may_compute_on_the_host(self) -> None:
        call = ("s.run(y, {p: np.ones((2, 2))}).tolist()", {})
        setup = self.SETUP + "with tf.device('/device:CPU:0'): y = p * 2"
        keys = {"setup": setup, "context": self.CONTEXT}
        found = [run(started("xla"), *call, host_only=only, **keys)[0] for only in (False, True)]
        self.assertEqual([each["harness"] for each in found], [None, None])
        self.assertEqual([bool(each["fallback"]) for each in found], [True, False])

    def test_a_graph_of_constants_computes_nothing(self) -> None:
        header = self.run_graph("y = tf.ones(3) * 2", "s.run(y)")
        self.assertIn("folded to constants", header["not_applicable"])

    def test_a_graph_is_not_compiled_by_the_variant(self) -> None:
        header = self.run_graph("y = p * 2", device="cpu", variant="jit")
        self.assertIn("the case runs a graph", header["not_applicable"])

    def test_random_numbers_of_a_graph_are_seeded(self) -> None:
        drawn = "y = p + tf.random.uniform([2, 2])"
        found = [self.run_graph(drawn, repeat="fresh", device="cpu") for _ in range(2)]
        digests = [parts(header)[0]["digest"] for header in found]
        self.assertEqual(*digests)


@unittest.skipUnless(HAS_TENSORFLOW, "no tensorflow")
class Processes(unittest.TestCase):
    """Settings with which a case's process starts; each test uses a separate interpreter."""

    def run_in(self, setting: dict, call: str, **keys: object) -> dict:
        """Run a job in a driver that was started with a setting; return its header."""
        code = (
            "import json, sys, test_tensorflow as t\n"
            "setting, call, keys = json.loads(sys.argv[1])\n"
            "framework = t.TensorFlow()\n"
            "framework.import_all()\n"
            "framework.start(t.support.setting(**setting))\n"
            "print(json.dumps(t.run(framework, call, t.X, **keys)[0]))\n"
        )
        status, text = fresh.python(code, json.dumps([setting, call, keys]))
        self.assertEqual(status, 0, text)
        return json.loads(text.splitlines()[-1])

    def test_the_bodies_of_functions(self) -> None:
        """Operations that run on another device are named, in inner functions and loops, too.

        The second device is the one that must be used. Sine and exponential run on the first and
        compute data; the number of elements is found there too, but is part of a shape.
        """
        code = """
import tensorflow as tf
from pmdriver.tensorflow import eager
two = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], two)
first, second = "/device:CPU:0", "/device:CPU:1"

@tf.function
def inner(x):
    with tf.device(first):
        return tf.exp(x)

@tf.function(input_signature=[tf.TensorSpec([None])])
def outer(x):
    with tf.device(first):
        count, y = tf.shape(x)[0], tf.sin(x)
    y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, inner(y)), (0, y))[1]
    return y * 2, count

watch = eager.Watch(lambda name: name.endswith(second))
with tf.device(second):
    x = tf.constant([1.0, 2.0])
    with watch.open():
        outer(x)
print(sorted(watch.moved), sorted(watch.on_constants))
"""
        status, text = fresh.python(code, PYTHONPATH=os.path.dirname(pmdriver.__path__[0]))
        self.assertEqual(status, 0, text)
        self.assertEqual(text.splitlines()[-1], "['Exp', 'Sin'] ['Shape', 'StridedSlice']")

    def test_two_devices_on_the_host(self) -> None:
        setup = "with tf.device('/device:CPU:1'): y = tf.identity(x)"
        call = {"call": "(x, y)", "setup": setup, "process": {"devices": 2}}
        found = parts(self.run_in({"devices": 2}, **call))
        self.assertEqual([leaf["device"] for leaf in found], ["device:CPU:0", "device:CPU:1"])
        self.assertEqual([leaf["on_device"] for leaf in found], [True, True])
        one = self.run_in({}, **call)
        self.assertEqual(
            one["not_applicable"], "requires 2 devices, but the number of devices is 1"
        )


if __name__ == "__main__":
    unittest.main()
