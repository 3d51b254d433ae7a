"""Tests of the guards of JAX's driver around a call (docs/internals/guards.md)."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any
from unittest import mock

import support  # noqa: F401

HAS_JAX = importlib.util.find_spec("jax") is not None
if HAS_JAX:
    import jax
    import numpy as np
    from jax._src.interpreters import pxla
    from pmdriver import hostarrays
    from pmdriver.jax import arrays, devices, lowering
    from test_jax import WIDE, X, run, started


@unittest.skipUnless(HAS_JAX, "no jax")
class Guards(unittest.TestCase):
    """The actions of the driver around a call of JAX."""

    def waited_for(self, act: Any, **changes: object) -> list:
        """Return the arrays that were waited for while a started framework acted."""
        framework, seen = started(**changes), []
        wait = jax.block_until_ready

        def note(arrays: list) -> list:
            seen.extend(map(id, arrays))
            return wait(arrays)

        with mock.patch.object(jax, "block_until_ready", note):
            kept = act(framework)
            framework.wait()
        return [array for array in jax.tree_util.tree_leaves(kept) if id(array) in seen]

    def test_every_leaf_of_the_result_is_waited_for(self) -> None:
        def act(framework: Any) -> Any:
            framework.begin_job({}, None)
            return framework.bind(lambda: {"a": jax.numpy.ones(2), "b": [jax.numpy.ones(3)]})()

        self.assertEqual(len(self.waited_for(act)), 2)

    def test_what_a_setup_left_behind_is_waited_for(self) -> None:
        def act(framework: Any) -> Any:
            framework.begin_job({}, None)
            framework.place(hostarrays.made("float32", (1,), memoryview(bytes(4))))
            framework.seed(1)
            return [jax.numpy.ones(5)]

        self.assertEqual(len(self.waited_for(act)), 1)

    def test_what_was_placed_is_waited_for(self) -> None:
        def act(framework: Any) -> Any:
            return [framework.place(hostarrays.made("float32", (1,), memoryview(bytes(4))))]

        self.assertEqual(len(self.waited_for(act)), 1)

    def test_a_result_without_arrays_makes_it_wait_for_all(self) -> None:
        kept: list = []

        def act(framework: Any) -> Any:
            framework.begin_job({}, None)
            framework.bind(lambda: kept.append(jax.numpy.ones(4)))()
            return kept

        self.assertEqual(len(self.waited_for(act)), 1)

    def test_types_of_64_bits_are_on_where_a_case_has_one(self) -> None:
        header, _, _ = run(started(), "x * 1", WIDE)
        self.assertEqual(header["outputs"][0]["dtype"], "float64")

    def test_and_off_for_the_next_case(self) -> None:
        framework = started()
        run(framework, "x * 1", WIDE)
        header, _, _ = run(framework, "jnp.arange(3)")
        self.assertEqual(header["outputs"][0]["dtype"], "int32")

    def test_a_narrowed_input_is_a_failure(self) -> None:
        framework = started()
        with mock.patch("pmdriver.jax.framework.is_wide", lambda job: False):
            header, _, _ = run(framework, "x * 1", WIDE)
        self.assertIn("from float64 to float32", header["raised"]["message"])

    def test_a_case_finds_the_configuration_of_the_first(self) -> None:
        framework = started()
        before = dict(jax.config.values)
        run(framework, "jax.config.update('jax_debug_nans', True)")
        run(framework, "jax.config.update('jax_default_device', None)")
        header, _, _ = run(framework, "jax.config.jax_debug_nans")
        self.assertEqual(header["outputs"][0]["value"], False)
        self.assertEqual(dict(jax.config.values), before)

    def test_an_array_elsewhere_is_not_on_the_device(self) -> None:
        framework = started()
        framework.begin_job({}, None)
        array = jax.numpy.ones(2)
        self.assertEqual(framework.where(array), ("cpu:0", True))
        framework.handle = "another device"
        self.assertEqual(framework.where(array), ("cpu:0", False))

    def test_a_constant_is_not_measured_as_compiled(self) -> None:
        framework = started(variant="jit")
        for call in ("jnp.ones(3)", "(x * 0, 1)[1] * jnp.ones(2)"):
            header, _, _ = run(framework, call, X)
            self.assertIn("depends on no input", header["not_applicable"])

    def test_a_closure_is_not_measured_as_compiled(self) -> None:
        header, _, _ = run(started(variant="jit"), "x * y", X, setup="y = jnp.ones((2, 2))")
        self.assertIn("jit turns 1 array of 'setup' into a constant", header["not_applicable"])

    def test_what_the_setup_has_dispatched_is_lowered_again(self) -> None:
        original = getattr(pxla, lowering._FUNCTION)
        with mock.patch.object(pxla, lowering._FUNCTION, original):
            framework = started("lower-tpu")
            header, _, _ = run(framework, "x * 3", X, setup="x * 3")
        self.assertIsNone(header["not_applicable"])
        self.assertGreater(framework.lowering.lowered, 0)

    def test_setup_and_output_are_not_lowered(self) -> None:
        original = getattr(pxla, lowering._FUNCTION)
        texts = {"setup": "jnp.linalg.eig(x)", "output": "(out, jnp.linalg.eig(x))"}
        with mock.patch.object(pxla, lowering._FUNCTION, original):
            header, _, _ = run(started("lower-tpu"), "x * 3", X, **texts)
        self.assertIsNone(header["raised"])

    def test_each_read_is_a_copy_from_the_device(self) -> None:
        array, shard = jax.numpy.ones(4), jax.numpy.ones(4)
        with mock.patch.object(type(array), "addressable_data", lambda self, index: shard):
            self.assertEqual(arrays.on_host(array).tolist(), [1.0] * 4)
            seen = mock.Mock(side_effect=np.asarray)
            with mock.patch.object(np, "asarray", seen):
                arrays.on_host(array)
        self.assertIs(seen.call_args[0][0], shard)

    def test_random_numbers_of_numpy_are_seeded(self) -> None:
        header, _, _ = run(started(), "np.random.random(3)")
        self.assertEqual(header["second"]["output_changed"], [])

    def test_a_trivial_operation_starts_the_device(self) -> None:
        with mock.patch.object(jax, "device_put", side_effect=RuntimeError("no device")):
            self.assertRaisesRegex(RuntimeError, "no device", started)

    def test_exact_variant(self) -> None:
        before = jax.config.jax_default_matmul_precision
        self.addCleanup(jax.config.update, "jax_default_matmul_precision", before)
        framework, gpu = started(), devices.Cuda()
        self.assertEqual(framework.fast_modes(), [])
        self.assertEqual(gpu.fast_modes(), ["default_matmul_precision"])
        framework.make_exact({})
        self.assertEqual(gpu.fast_modes(), [])

    def test_the_peak_of_memory_is_that_of_the_call(self) -> None:
        device, answers = devices.Cuda(), iter([(10, 30), (12, 30), (10, 30), (12, 75)])
        used = [{"bytes_in_use": a, "peak_bytes_in_use": b} for a, b in answers]
        handle = mock.Mock()
        handle.memory_stats.side_effect = used
        with mock.patch.object(devices.Cuda, "handle", lambda self: handle):
            device.clear_counters()
            self.assertIsNone(device.peak_memory())
            device.clear_counters()
            self.assertEqual(device.peak_memory(), 65)

    def test_a_pure_call_may_not_change_host_data(self) -> None:
        given = {"x": ("float32", (2,), [1.0, 2.0], "host")}
        header, _, _ = run(started(), "np.add(x, 1, out=x).shape", given)
        self.assertEqual(header["second"]["inputs_changed"], ["x"])
        self.assertIsInstance(np.ones(1), np.ndarray)


if __name__ == "__main__":
    unittest.main()
