"""Tests that a census reads the test harnesses of JAX."""

import itertools
import unittest
from unittest import mock

import support
from pmdriver.census import express, items, judge, sources
from pmdriver.census.calls import Case


class Harnesses(unittest.TestCase):
    """What a harness calls becomes a call of a public function."""

    def test_calls_and_bound_primitives(self) -> None:
        kit = support.kit_of("jax")
        if kit.metadata_absence():
            self.skipTest(kit.metadata_absence())
        called = {
            "jax.lax.sin": "jax.lax.sin(x)",  # the harness binds a primitive
            "jax.numpy.sin": "jax.numpy.sin(x)",
            "jax.lax.transpose": "jax.lax.transpose(operand, permutation=(1, 0))",
            "jax.lax.concatenate": "jax.lax.concatenate([operands, operands2], dimension=0)",
            "jax.lax.round": "jax.lax.round(x, jax.lax.RoundingMethod.AWAY_FROM_ZERO)",
            "jax.numpy.take": "jax.numpy.take(a, indices, axis=0, mode='clip')",  # by a lambda
            "jax.numpy.greater": "jax.numpy.greater(x, y)",  # known only to the lambda's closure
            "jax.random.gamma": "jax.random.gamma(key, a)",  # by a compiled function
            "jax.lax.gather": "jax.lax.gather(operand, start_indices, dimension_numbers="
            "jax.lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), "
            "start_index_map=(0,), operand_batching_dims=(), start_indices_batching_dims=()), "
            "slice_sizes=(1, 3))",
            "jax.lax.reduce_window": "jax.lax.reduce_window(operand, init_value, jax.lax.min, "
            "(2, 2), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1))",
        }
        found = {}
        for name, call in called.items():
            item = items.item(kit, "jax", "jax", name, "function")
            (make,) = kit.metadata({name})[name]
            calls = itertools.islice(make(kit, item), 2)
            cases = [case for each in calls for case in express.cases(kit, item, each)[1]]
            self.assertIn(call, [case.call for case in cases])
            found[name] = cases[0]
        self.assertTrue(found["jax.lax.sin"].inputs["x"].startswith("float32[20,20] uniform("))
        self.assertEqual(kit.judge(found["jax.lax.gather"]).what, judge.VALUES)
        self.assertEqual(kit.metadata({"jax.named_call"}), {})

    def test_a_package_that_is_missing_is_named_and_the_census_goes_on(self) -> None:
        kit = support.kit_of("jax")
        maker = sources.Maker(kit, None, [sources.METADATA, sources.SEARCHED], 10)
        with mock.patch("importlib.util.find_spec", lambda name: None):
            reason = maker.prepare({"jax.lax.sin"})
        needs = "the tests of JAX need the package absl-py, which the environment lacks"
        self.assertEqual(reason, {sources.METADATA: needs})


class OtherDevices(unittest.TestCase):
    """What JAX does not promise for another device is not compared."""

    def test_values_that_are_not_initialized(self) -> None:
        kit = support.kit_of("jax")
        for call in (
            "jax.lax.empty(3, jnp.float32)",
            "jax.jit(lambda: jax.lax.empty((3,), jnp.float32))()",
        ):
            verdict = kit.judge(Case({}, (), (), call))
            self.assertEqual((verdict.what, verdict.case.compare), (judge.NO_VALUES, "shape"), call)
            self.assertEqual(verdict.reason, "the values of the output are not initialized")
        for call in ("jax.numpy.empty(3)", "0 * jax.lax.empty((3,), jnp.float32)"):
            self.assertEqual(kit.judge(Case({}, (), (), call)).what, judge.VALUES, call)


if __name__ == "__main__":
    unittest.main()
