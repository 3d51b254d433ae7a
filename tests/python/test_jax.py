"""Tests of the driver of JAX on the host, in the variant ``+jit``, and lowering for platforms."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fresh as interpreters
import support
from pmdriver.job import execution
from support import Channel, job, parts, unpacked

HAS_JAX = importlib.util.find_spec("jax") is not None
if HAS_JAX:
    import jax
    import numpy as np
    from jax._src.interpreters import pxla
    from pmdriver import hostarrays
    from pmdriver.jax import customcalls, devices, lowering
    from pmdriver.jax.framework import Jax

X = {"x": ("float32", (2, 2), [3.0, 1.0, 2.0, 6.0])}
WIDE = {"x": ("float64", (2,), [0.1, 0.2])}

#: Runs jobs where no other test has started JAX. The argument is a setting and a list of jobs.
FRESH_INTERPRETER = """
import ast, os, sys
import test_jax
setting, jobs = ast.literal_eval(sys.argv[1])
framework = test_jax.started(**setting)
found = [test_jax.run(framework, call, inputs, **keys)[0] for call, inputs, keys in jobs]
print((os.environ.get("PJRT_NPROC"), found))
"""


#: A plug-in of JAX: a second client of the host's processor, whose platform calls itself cpu.
TOY_PLUG_IN = """
from jax._src import xla_bridge
from jaxlib import xla_client

def initialize():
    xla_bridge.register_backend_factory("toy", xla_client.make_cpu_client, priority=1)
"""


def started(device: str = "cpu", **changes: object) -> Jax:
    """Return a driver that was started on a device."""
    framework = Jax()
    framework.import_all()
    framework.start(support.setting(device=device, **changes))
    return framework


def run(framework: Jax, call: str, inputs: object = None, **keys: object) -> tuple:
    """Run a job; return the header, the buffers and the channel."""
    channel = Channel()
    keys = {"host_only": False, "requires": [], **keys}
    header, buffers = execution.run(framework, *job(call, inputs, **keys), channel)
    return header, buffers, channel


def fresh(setting: dict, *jobs: tuple) -> tuple:
    """Run jobs in an interpreter of their own; return its number of threads and the headers."""
    status, said = interpreters.python(FRESH_INTERPRETER, repr((setting, jobs)))
    if status:
        raise AssertionError(said)
    return ast.literal_eval(said.splitlines()[-1])


@unittest.skipUnless(HAS_JAX, "no jax")
class Cpu(unittest.TestCase):
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
        header, buffers, _ = self.run_one("jnp.add(x, 1)", X)
        (leaf,) = header["outputs"]
        self.assertEqual(
            (leaf["dtype"], leaf["shape"], leaf["device"]), ("float32", [2, 2], "cpu:0")
        )
        self.assertTrue(leaf["on_device"])
        self.assertEqual(unpacked("float32", buffers[0]), [4.0, 2.0, 3.0, 7.0])
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})

    def test_what_cases_need(self) -> None:
        """The reference reports the dtypes of a call and its inner calls, and reads of values."""
        reference = started(reference=True)
        for call, setup, needed in (
            ("jnp.sin(x)", "", ["float32"]),
            ("jnp.real(x.astype(jnp.complex64))", "", ["complex64", "float32"]),
            ("jax.jit(lambda v: (v > 1).sum(axis=0))(x)", "", ["bool", "float32", "int32"]),
            ("jax.lax.fori_loop(0, 2, lambda i, v: v.at[i].set(i), x)", "", ["float32", "int32"]),
            ("jnp.sin(x) + y.sum()", "y = jnp.ones(3, jnp.float16)", ["float16", "float32"]),
            ("jnp.nonzero(x)", "", ["float32", "int32", "values"]),
            ("x.sum().item()", "", ["float32", "values"]),
            ("np.asarray(x) + 1", "", ["float32", "values"]),
            ("x[x > 1]", "", ["float32", "values"]),
        ):
            header, _, _ = run(reference, call, X, setup=setup, repeat="fresh", needs=True)
            with self.subTest(call):
                of_places = {"bool", "int32"}
                self.assertEqual({*support.needed(header)} - of_places, {*needed} - of_places)
        self.assertEqual(self.run_one("jnp.sin(x)", X)[0]["needs"], {})

    def test_every_dtype_arrives(self) -> None:
        for name in hostarrays.DTYPES:
            size = 2 if name == "bfloat16" else np.dtype(name).itemsize
            given = {
                "x": (name, (3,), bytes(range(1, 3 * size + 1)) if name != "bool" else b"\1\0\1")
            }
            header, buffers, _ = self.run_one("x", given, output="out")
            self.assertEqual(header["outputs"][0]["dtype"], name)
            self.assertEqual(bytes(buffers[0]), given["x"][2])

    def test_host_inputs_are_numpys(self) -> None:
        given = {"x": ("float32", (2,), [1.0, 2.0], "host")}
        header, _, _ = self.run_one("type(x) is np.ndarray", given)
        self.assertEqual(header["outputs"][0]["value"], True)

    def test_gradients(self) -> None:
        for output in ("out", "out[1]"):
            header, buffers, channel = self.run_one(
                "(n, x ** 2)", {**X, "n": ("int32", (1,), struct.pack("<i", 4))},
                backward=True, output=output,
            )  # fmt: skip
            (gradient,) = header["gradients"]
            self.assertEqual((gradient["path"], gradient["shape"]), ("x.grad", [2, 2]))
            wanted = channel.asked[-1]
            self.assertEqual(
                wanted["name"], "cotangent." + ("out[1]" if output == "out" else "out")
            )
            cotangent = unpacked("float32", channel._values(wanted))
            values = [2 * x * c for x, c in zip(X["x"][2], cotangent)]
            found = unpacked("float32", buffers[-1])
            for value, expected in zip(found, values):
                self.assertAlmostEqual(value, expected, places=5)

    def test_gradients_of_trees(self) -> None:
        header, buffers, channel = self.run_one(
            "x * p['w'] + p['b'][0]", X, backward=True, arguments=["p"],
            setup="p = {'b': [jnp.ones((2, 2))], 'w': 3 * jnp.ones((2, 2)), 'n': 4}",
        )  # fmt: skip
        paths = [leaf["path"] for leaf in parts({"outputs": header["gradients"]})]
        self.assertEqual(paths, ["x.grad", "p['b'][0].grad", "p['w'].grad"])
        cotangent = unpacked("float32", channel._values(channel.asked[-1]))
        expected = [x * c for x, c in zip(X["x"][2], cotangent)]
        for value, wanted in zip(unpacked("float32", buffers[-1]), expected):
            self.assertAlmostEqual(value, wanted, places=5)

    def test_keys_and_small_types_are_opened(self) -> None:
        for call, steps in (
            ("jax.random.key(3)", ["out.dtype", "out.data"]),
            ("jnp.ones(3, jnp.float8_e4m3fn)", ["out.dtype", "out.elements"]),
            ("jnp.ones(3, jnp.int4)", ["out.dtype", "out.elements"]),
        ):
            header, _, _ = self.run_one(call)
            self.assertEqual([leaf["path"] for leaf in parts(header)], steps)

    def test_keys_are_inputs(self) -> None:
        given, body = job("jax.random.uniform(k, (2,))", {})
        given["inputs"] = [{"name": "k", "key": 7}]
        for framework in (self.framework, started(variant="jit")):
            header, _ = execution.run(framework, {**given, "requires": []}, body, Channel())
            self.assertIsNone(header["raised"] or header["harness"] or header["not_applicable"])
            self.assertEqual(header["second"]["inputs_changed"], [])

    def test_what_callbacks_print_is_captured(self) -> None:
        with mock.patch.object(jax, "effects_barrier", wraps=jax.effects_barrier) as barrier:
            header, _, _ = self.run_one("jax.debug.print('{}', x[0, 0])", X, output="captured")
        self.assertEqual(barrier.call_count, 2)  # callbacks may run after their call has returned
        self.assertEqual(header["outputs"][0]["value"], "3.0\n")

    def test_trees_of_jax_are_opened(self) -> None:
        header, _, _ = self.run_one("jax.tree_util.Partial(jnp.add, x)", X)
        self.assertIn("out.children[0][0]", [leaf["path"] for leaf in header["outputs"]])

    def test_programs_are_told_apart(self) -> None:
        for first, second in (
            ("jax.make_jaxpr(lambda x: x + 1)(x)", "jax.make_jaxpr(lambda x: x - 1)(x)"),
            ("jax.make_jaxpr(lambda x: x + np.ones((2, 2)))(x)",
             "jax.make_jaxpr(lambda x: x + np.zeros((2, 2)))(x)"),
            ("jax.jit(lambda x: x + 1)", "jax.jit(lambda x: x - 1)"), ("jnp.sin", "jnp.cos"),
            ("jax.grad(lambda x: x + 1)", "jax.grad(lambda x: x - 1)"),
            ("jax.custom_jvp(lambda x: x + 1)", "jax.custom_jvp(lambda x: x - 1)"),
        ):  # fmt: skip
            with self.subTest(first):
                one, again, two = (self.found(text) for text in (first, first, second))
                self.assertEqual(one, again)
                self.assertNotEqual(one, two)

    def found(self, call: str) -> tuple:
        header, buffers, _ = self.run_one(call, X, repeat="fresh")
        self.assertIsNone(header["raised"] or header["harness"])
        return header["outputs"], buffers

    def test_trees_of_versions_without_a_registry(self) -> None:
        import jax

        call = "(jax.tree_util.Partial(jnp.add, x), 2 + 1j)"
        with mock.patch.object(jax.tree_util, "default_registry", None, create=True):
            header, _, _ = self.run_one(call, X)
        paths = [leaf["path"] for leaf in header["outputs"]]
        self.assertIn("out[0].children[0][0]", paths)
        self.assertNotIn("out[0].description", paths)
        self.assertIn("out[1]", paths)

    def test_shapes_and_structures_are_plain(self) -> None:
        header, _, _ = self.run_one(
            "[jax.ShapeDtypeStruct((2,), np.int8), jax.tree.structure([1])]"
        )
        value = header["outputs"][0]["value"]
        self.assertEqual(
            [list(item) for item in value], [["jax.ShapeDtypeStruct"], ["jax.PyTreeDef"]]
        )

    def test_what_this_version_lacks_is_absent(self) -> None:
        header, _, _ = run(self.framework, "1", function="jax.lax.infeed")
        self.assertTrue(header["absent"])
        self.assertIsNone(self.framework.missing("jax.scipy.stats.norm.cdf"))
        self.assertIsNone(self.framework.missing("numpy.nothing"))

    def test_requirements(self) -> None:
        for requirement, met in (("accelerator", False), ("cuda", False), ("values", True)):
            self.assertEqual(self.framework.unmet(requirement) is None, met)
        self.assertIn("unknown", self.framework.unmet("nothing"))

    def test_exhausted_memory_is_told(self) -> None:
        header, _, _ = run(self.framework, "jnp.zeros(1 << 46, jnp.uint8)")
        self.assertEqual(header["raised"]["memory"], "host")

    def test_host_only_is_verified(self) -> None:
        header, _, _ = run(self.framework, "jnp.ones(3)", host_only=True, rehearse=True)
        self.assertIn("the case has 'host_only'", header["harness"])
        self.run_one("np.ones(3)", host_only=True, rehearse=True)

    def test_every_device_is_listed(self) -> None:
        rows = {(row["device"], row["variant"]): row for row in self.framework.devices()}
        self.assertLessEqual({(cls.name, "") for cls in devices.DEVICES}, set(rows))
        self.assertTrue(rows["cpu", "jit"]["measurable"])
        self.assertTrue(rows["lower-tpu", ""]["measurable"])
        for row in rows.values():
            self.assertEqual(bool(row["why_not"]), not row["measurable"])
        with mock.patch.object(devices.host, "is_installed", lambda name: False):
            for device, extra in ((devices.Cuda(), "cuda12"), (devices.Tpu(), "tpu")):
                command = f": {sys.executable} -m pip install 'jax[{extra}]==" + jax.__version__
                self.assertIn(command, device.needs())

    def test_plug_ins_are_listed(self) -> None:
        script = (
            "import sys, support\n"
            "from pmdriver.jax.framework import Jax\n"
            "framework = Jax()\n"
            "framework.import_all()\n"
            "rows = {(r['device'], r['variant']): r['measurable'] for r in framework.devices()}\n"
            "print(rows[sys.argv[1], ''], rows[sys.argv[1], 'jit'], len(rows) == len(set(rows)))\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            plug_in = Path(folder, "jax_plugins", "toy")
            plug_in.mkdir(parents=True)
            plug_in.joinpath("__init__.py").write_text(TOY_PLUG_IN, encoding="utf-8")
            found = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", script, "toy"],
                cwd=interpreters.HERE, env={**os.environ, "PYTHONPATH": folder},
                text=True, capture_output=True,
            )  # fmt: skip
        self.assertEqual(found.stdout, "True True True\n", found.stderr)

    def test_unknown_devices_and_variants(self) -> None:
        for device, variant, why in (
            (
                "cpu:7",
                "",
                "device cpu:7 does not exist (number of cpu devices: 1): use a lower index",
            ),
            ("cpu", "soft", "device 'cpu' has no variant 'soft': remove '+soft'"),
            ("lower-tpu", "jit", "device 'lower-tpu' has no variant 'jit': remove '+jit'"),
        ):
            with self.assertRaisesRegex(RuntimeError, re.escape(why)):
                started(device, variant=variant)


@unittest.skipUnless(HAS_JAX, "no jax")
class Events(unittest.TestCase):
    """The times that JAX reports for its stages."""

    def test_inner_stages_count_once(self) -> None:
        """Lowering (10 to 20) is within tracing (0 to 30), and compiling follows (30 to 35)."""
        heard = devices.Stages()
        trace, lower, compiled = devices.EVENTS
        for event, seconds, now in ((lower, 10, 20), (trace, 30, 30), (compiled, 5, 35)):
            with mock.patch("time.perf_counter_ns", lambda at=now: at * 10**9):
                heard.note(event, seconds)
        heard.note("/jax/another/event", 7)
        reported = {name: ns // 10**9 for name, ns in heard.spent().items()}
        self.assertEqual(reported, {"tracing": 20, "lowering": 10, "compiling": 5})
        self.assertEqual(heard.compiled, 1)


@unittest.skipUnless(HAS_JAX, "no jax")
class Jitted(unittest.TestCase):
    """The variant ``+jit``."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.framework = started(variant="jit")

    def test_inputs_are_arguments(self) -> None:
        header, _, _ = run(self.framework, "(jnp.sin(x), isinstance(x, jax.core.Tracer))[0]", X)
        self.assertIsNone(header["raised"] or header["not_applicable"])

    def test_the_first_call_is_traced_lowered_and_compiled(self) -> None:
        timed = started(variant="jit", clocks=True)
        header, _, _ = run(timed, "jnp.cosh(x) @ x", X)
        reported = header["first_call"]
        self.assertEqual(set(reported), {"tracing", "lowering", "compiling"})
        self.assertGreater(min(reported.values()), 0)
        self.assertLess(sum(reported.values()), header["timings"]["cold"][0])
        self.assertEqual(header["compilations"]["cold"], [1])
        self.assertEqual(sum(header["compilations"]["warm"]), 0)

    def test_a_call_is_compiled_once_for_all_setups(self) -> None:
        timed = started(variant="jit", clocks=True)
        inputs = {**X, "axis": 0, "n": ("int32", (1,), struct.pack("<i", 2), "host")}
        keys = {"setup": "k = jnp.ones(2)", "arguments": ["k"], "repeat": "fresh"}
        header, _, _ = run(timed, "jnp.sum(x + k, axis) * n", inputs, backward=True, **keys)
        self.assertIsNone(header["raised"] or header["not_applicable"])
        self.assertEqual(header["compilations"]["cold"], [1])
        for clock in ("warm", "backward"):
            self.assertEqual(set(header["compilations"][clock]), {0})

    def test_literals_and_host_data_are_static(self) -> None:
        inputs = {
            **X,
            "shape": [4, 1],
            "axis": 0,
            "n": ("int32", (1,), struct.pack("<i", 2), "host"),
        }
        header, _, _ = run(self.framework, "jnp.tile(jnp.reshape(x, shape), int(n[0]))", inputs)
        self.assertIsNone(header["raised"] or header["not_applicable"])
        self.assertEqual(header["outputs"][0]["shape"], [4, 2])

    def test_arguments_are_traced_and_what_else_the_setup_made_is_not(self) -> None:
        setup = "tree = {'w': jnp.ones((2, 2))}"
        header, _, _ = run(self.framework, "x * tree['w']", X, setup=setup, arguments=["tree"])
        self.assertIsNone(header["raised"] or header["not_applicable"])
        header, _, _ = run(self.framework, "x * tree['w']", X, setup=setup)
        self.assertIn("jit turns 1 array of 'setup' into a constant", header["not_applicable"])

    def test_arrays_that_are_literals_of_the_call_count(self) -> None:
        header, _, _ = run(self.framework, "x + jnp.array([1.5, 2.5])", X)
        self.assertIsNone(header["raised"] or header["not_applicable"])
        inputs = {**X, "n": ("int32", (2,), struct.pack("<2i", 1, 0), "host")}
        header, _, _ = run(self.framework, "x[jnp.asarray(n)]", inputs)
        self.assertIsNone(header["raised"] or header["not_applicable"])
        header, _, _ = run(self.framework, "jnp.cumsum(jnp.array([1.5, 2.5]))", X)
        self.assertIn("depends on no input", header["not_applicable"])

    def test_what_cannot_be_traced_is_not_applicable(self) -> None:
        for call in ("jnp.nonzero(x)", "x if x.sum() > 0 else -x", "np.asarray(x)", "str(x.shape)"):
            header, _, _ = run(self.framework, call, X)
            self.assertIn("not traceable", header["not_applicable"] or "", call)

    def test_other_errors_are_the_calls(self) -> None:
        header, _, _ = run(
            self.framework, "jnp.add(x, y)", {**X, "y": ("float32", (3,), [1.0] * 3)}
        )
        self.assertEqual(header["raised"]["type"], "ValueError")

    def test_gradients(self) -> None:
        header, _, _ = run(self.framework, "jnp.sin(x)", X, backward=True)
        self.assertEqual(header["gradients"][0]["path"], "x.grad")


@unittest.skipUnless(HAS_JAX, "no jax")
class Processes(unittest.TestCase):
    """Settings with which a case's process starts; each test uses a separate interpreter."""

    SPREAD = """
mesh = jax.sharding.Mesh(jax.devices(device.platform)[:2], "i")
x = jax.device_put(x, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("i")))
"""

    def test_two_devices_on_the_host(self) -> None:
        two = {"process": {"devices": 2}, "setup": self.SPREAD}
        jobs = [("x + 1", X, two), ("jax.device_put(x, device)", X, two), ("x + 1", X, {})]
        (_, (both, one, alone)) = fresh({"devices": 2}, *jobs)
        self.assertEqual(both["outputs"][0]["container"], "on 2 devices, divided")
        self.assertTrue(both["outputs"][1]["on_device"])
        self.assertEqual(both["outputs"][1]["device"], "cpu:0, cpu:1")
        self.assertEqual(one["outputs"][0]["container"], "on 1 devices, whole")
        self.assertEqual([leaf["path"] for leaf in alone["outputs"]], ["out"])

    def test_one_device_is_not_two(self) -> None:
        _, (header,) = fresh({}, ("x", X, {"process": {"devices": 2}}))
        self.assertEqual(
            header["not_applicable"], "requires 2 devices, but the number of devices is 1"
        )

    def test_one_child_compiles_for_another(self) -> None:
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent, "compiled")
            first = self.compiled(folder)
            self.assertTrue(any("sort" in name for name in first), sorted(first))
            self.assertEqual(self.compiled(folder), first)

    def compiled(self, folder: Path) -> dict[str, bytes]:
        """Sort in a process that keeps compiled code; return the files of the cache folder."""
        _, (header,) = fresh({"compiled": str(folder)}, ("jnp.sort(x, axis=0)", X, {}))
        self.assertIsNone(header["raised"] or header["harness"])
        return {file.name: file.read_bytes() for file in folder.glob("*-cache")}

    def test_64_bits_on_and_off(self) -> None:
        for x64, dtype in ((True, "int64"), (False, "int32"), (None, "int32")):
            _, (header,) = fresh({"x64": x64}, ("jnp.arange(3)", {}, {"process": {"x64": x64}}))
            self.assertEqual(header["outputs"][0]["dtype"], dtype)


@unittest.skipUnless(HAS_JAX, "no jax")
class Lowered(unittest.TestCase):
    """Lowering for platforms that this machine does not have."""

    def setUp(self) -> None:
        patch = mock.patch.object(pxla, lowering._FUNCTION, getattr(pxla, lowering._FUNCTION))
        patch.start()
        self.addCleanup(patch.stop)

    def run_on(self, device: str, call: str, inputs: object = X, **keys: object) -> dict:
        """Run a job; return its header."""
        return run(started(device), call, inputs, **keys)[0]

    def test_a_rule_that_is_missing(self) -> None:
        header = self.run_on("lower-tpu", "jnp.linalg.eig(x)")
        self.assertEqual(header["raised"]["type"], "NotImplementedError")
        self.assertIn("'eig' not found for platform tpu", header["raised"]["message"])
        self.assertIsNone(self.run_on("lower-cuda", "jnp.linalg.eig(x)")["raised"])

    def test_what_the_exporter_alone_refuses_passes(self) -> None:
        exported = jax.export.export(jax.jit(lambda x: jax.numpy.linalg.eig(x)), platforms=["cuda"])
        with self.assertRaisesRegex(ValueError, "Cannot serialize code with custom calls"):
            exported(jax.ShapeDtypeStruct((2, 2), np.float32))
        self.assertIsNone(self.run_on("lower-cuda", "jnp.linalg.eig(x)")["raised"])

    def test_a_call_that_cannot_be_traced_whole(self) -> None:
        header = self.run_on("lower-cuda", "jnp.unique(x)")
        self.assertIsNone(header["raised"] or header["not_applicable"])
        self.assertEqual(header["outputs"][0]["shape"], [4])

    def test_where_older_versions_take_the_platform(self) -> None:
        platforms = []

        def lower(*, lowering_platform: str | None) -> None:
            platforms.append(lowering_platform)

        with mock.patch.object(pxla, lowering._FUNCTION, lower):
            self.assertEqual(lowering.missing(), "")
            lowered = lowering.Lowering("tpu")
            lowered.begin()
            getattr(pxla, lowering._FUNCTION)(lowering_platform=None)
        self.assertEqual((platforms, lowered.lowered), (["tpu", None], 1))
        with mock.patch.object(pxla, lowering._FUNCTION, lambda computation: None):
            self.assertIn("does not know where", lowering.missing())

    def test_kernels_that_only_another_jaxlib_has(self) -> None:
        header = self.run_on("lower-cuda", "None.build_getrf_descriptor(x)")
        self.assertIn("only a jaxlib for the platform has", header["not_applicable"])
        header = self.run_on("lower-cuda", "None.build(x)")
        self.assertEqual(header["raised"]["type"], "AttributeError")

    def test_nothing_to_lower(self) -> None:
        header = self.run_on("lower-tpu", "jnp.size(x)")
        self.assertIn("starts no computation", header["not_applicable"])
        self.assertIsNone(self.run_on("lower-tpu", "3", {}, host_only=True)["not_applicable"])

    def test_what_stays_on_the_host(self) -> None:
        shape = "jax.ShapeDtypeStruct(x.shape, x.dtype)"
        for call, name in (
            (f"jax.pure_callback(lambda v: v, {shape}, x)", "pure_callback"),
            (f"jax.jit(lambda v: jax.pure_callback(lambda w: w, {shape}, v) + 1)(x)",
             "pure_callback"),
            ("jax.jit(lambda v: (jax.debug.print('{}', v), v + 1)[1])(x)", "debug_"),
            (f"jax.lax.cond(True, lambda v: jax.pure_callback(lambda w: w, {shape}, v), "
             "lambda v: v, x)", "pure_callback"),
        ):  # fmt: skip
            header = self.run_on("lower-tpu", call)
            with self.subTest(call):
                self.assertIsNone(header["raised"])
                self.assertIn("runs Python on the host", header["not_applicable"])
                self.assertIn(name, header["not_applicable"])

    def test_custom_calls_that_a_platform_lacks(self) -> None:
        """A custom call of LAPACK is lowered for a TPU although only its name is known."""
        call = (
            "jax.lax.cond(True, lambda v: jax.ffi.ffi_call('lapack_spotrf_ffi', "
            "(jax.ShapeDtypeStruct(v.shape, v.dtype), jax.ShapeDtypeStruct((), np.int32)))"
            "(v, uplo=np.uint8(76))[0], lambda v: v, x)"
        )
        header = self.run_on("lower-tpu", call)
        self.assertEqual(header["raised"]["type"], "NoCustomCall")
        self.assertIn("has no custom call lapack_spotrf_ffi", header["raised"]["message"])
        names = ["my_kernel", "Sharding", "Qr", "lapack_spotrf_ffi"]
        self.assertEqual(customcalls.unknown("tpu", names), ["my_kernel"])
        self.assertEqual(lowering._named(["Qr", "Qr"]), "custom call Qr")
        self.assertEqual(lowering._named(["Qr", "Eigh"]), "custom calls Qr, Eigh")
        self.assertEqual(customcalls.lacking("cpu", names), ["Qr"])
        self.assertIsNone(self.run_on("lower-tpu", "jnp.linalg.qr(x)")["raised"])
        self.assertIsNone(self.run_on("lower-cuda", "jnp.linalg.qr(x)")["raised"])

    def test_the_way_back_is_lowered_too(self) -> None:
        setup = """
import jax.extend.core
from jax.interpreters import mlir
known = jax.extend.core.Primitive("known")
known.def_abstract_eval(lambda x: x)
rule = mlir.lower_fun(lambda x: x + 1, multiple_results=False)
mlir.register_lowering(known, rule, platform="cpu")
f = jax.custom_vjp(lambda x: x * 2)
f.defvjp(lambda x: (x * 2, None), lambda _, g: (jax.jit(known.bind)(g),))
"""
        header = self.run_on("lower-tpu", "f(x)", setup=setup, backward=True)
        self.assertIn("not found for platform tpu", header["raised"]["message"])


@unittest.skipUnless(HAS_JAX, "no jax")
class Timed(unittest.TestCase):
    """Clocks, in separate interpreters."""

    def test_nothing_is_imported_inside_a_clock(self) -> None:
        jobs = [
            ("jnp.add(x, 1)", X, {"backward": True}),
            ("jnp.linalg.svd(x)", X, {}),
            ("jax.random.normal(jax.random.key(1), (3,))", {}, {}),
        ]
        for setting in ({"clocks": True}, {"clocks": True, "variant": "jit"}):
            for header in fresh(setting, *jobs)[1]:
                self.assertIsNone(header["raised"])
                found = {name: c for name, c in header["clocks"].items() if c["imports"]}
                self.assertEqual(found, {})

    def test_threads_and_compilations_are_counted(self) -> None:
        threads, (header, again) = fresh({"clocks": True, "threads": 1}, *[("x * 3", X, {})] * 2)
        self.assertEqual(threads, "1")
        self.assertEqual(header["compilations"]["cold"], [1])
        self.assertEqual(again["compilations"]["cold"], [0])
        self.assertEqual(set(header["compilations"]["warm"]), {0})
        self.assertEqual(len(header["timings"]["dispatch"]), len(header["timings"]["warm"]))


if __name__ == "__main__":
    unittest.main()
