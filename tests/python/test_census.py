"""Tests that a census accepts only calls that measure something, and describes arrays."""

import fractions
import importlib
import importlib.util
import itertools
import json
import os
import re
import struct
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import support
from pmdriver import frameworks
from pmdriver.census import (
    doubts,
    examples,
    express,
    forks,
    improve,
    inputs,
    items,
    judge,
    refusals,
    search,
    signatures,
    sources,
    words,
)
from pmdriver.census.calls import Builder, Candidate, Case, Made, array, called, made_texts, texts
from pmdriver.census.kit import Kit
from pmdriver.framework import Wanted, absence
from pmdriver.job import leaves

F3 = "float32[3] uniform(0.1,0.9)"


def numpy_kit() -> Kit:
    """Return a kit of NumPy."""
    framework = frameworks.framework("numpy")
    framework.import_all()
    functions = made_texts("lambda *a: a[0]")
    kit = Kit(framework, words.Words(("f34", "f44", "f4"), texts("np.float32"), functions, {}))
    kit.start()
    return kit


class Judging(unittest.TestCase):
    """Cases that measure something, and cases that do not."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.kit = numpy_kit()

    def judge(self, call: str, setup: tuple[str, ...] = (), **given: str) -> judge.Verdict:
        return self.kit.judge(Case(given, setup, (), call))

    def test_each_input_changes_the_output(self) -> None:
        self.assertEqual(self.judge("np.add(x, y)", x=F3, y=F3).what, judge.VALUES)

    def test_an_input_that_changes_nothing(self) -> None:
        verdict = self.judge("np.add(x, 0 * y)", x=F3, y=F3)
        self.assertEqual(verdict.what, judge.NO_VALUES)
        self.assertEqual(verdict.reason, "the output does not depend on y")
        self.assertEqual(self.judge("np.zeros_like(x)", x=F3).what, judge.NO_VALUES)

    def test_values_that_are_constant_where_the_function_is_not_defined(self) -> None:
        self.assertEqual(self.judge("np.arccosh(x)", x=F3).what, judge.NO_VALUES)

    def test_random_values(self) -> None:
        setup = ("import random",)
        verdict = self.judge("x + random.random()", setup, x=F3)
        self.assertEqual((verdict.what, verdict.case.compare), (judge.NO_VALUES, "shape"))
        self.assertEqual(verdict.reason, "the values differ from call to call")

    def test_an_input_that_only_changes_another_input(self) -> None:
        swap = ("def f(x, y):\n    x[:], y[:] = y.copy(), x.copy()",)
        self.assertEqual(self.judge("f(x, y)", swap, x=F3, y=F3).what, judge.VALUES)
        verdict = self.judge("x.fill(0)", x=F3)
        self.assertEqual((verdict.what, verdict.unused), (judge.NO_VALUES, ("x",)))

    def test_what_changes_its_input_or_its_state_is_made_again(self) -> None:
        verdict = self.judge("np.add(x, 1, out=x)", x=F3)
        self.assertEqual((verdict.what, verdict.case.repeat), (judge.VALUES, "fresh"))
        verdict = self.judge("np.maximum(x, 5, out=x)", x=F3)  # a second call changes nothing
        self.assertEqual(verdict.case.repeat, "fresh")
        counted = ("n = [0]", "def f(x):\n    n[0] += 1\n    return x * n[0]")
        self.assertEqual(self.judge("f(x)", counted, x=F3).case.repeat, "fresh")
        self.assertEqual(self.judge("np.sin(x)", x=F3).case.repeat, "pure")

    def test_an_object_with_weights_that_gives_no_array(self) -> None:
        kit = numpy_kit()
        kit.framework.place_modules = lambda modules, construct, fill: [modules[0][1]]
        verdict = kit.judge(Case({}, ("m = [1]",), ("m",), "len(m)"))
        self.assertEqual((verdict.what, verdict.reason), (judge.NO_VALUES, judge.NOTHING))

    def test_weights_are_filled_as_in_a_run(self) -> None:
        def place(modules: Any, construct: Any, fill: Any) -> list[Any]:
            (filled,) = fill([Wanted("m.w", "float32", (3,), 0.5)])
            return [filled]

        kit = numpy_kit()
        kit.framework.place_modules = place
        setup = ("import random", "m = [random.random()] * 3")
        verdict = kit.judge(Case({"x": F3}, setup, ("m",), "m * x"))
        self.assertEqual((verdict.what, verdict.case.repeat), (judge.VALUES, "pure"))

    def test_a_call_that_changes_the_weights_is_made_again(self) -> None:
        kit = numpy_kit()
        framework = kit.framework
        framework.place_modules = lambda modules, construct, fill: [modules[0][1]]
        framework.state = lambda module: [(".w", module)]
        setup = ("m = np.zeros(3)", "def f(x):\n    m[:] = 1\n    return x + 1")
        verdict = kit.judge(Case({"x": F3}, setup, ("m",), "f(x)"))
        self.assertEqual(verdict.case.repeat, "fresh")

    def test_no_array_at_all(self) -> None:
        self.assertEqual(self.judge("np.ndim(3)").what, judge.HOST_ONLY)

    def test_an_output_of_which_only_the_type_is_known(self) -> None:
        verdict = self.judge("object()")
        self.assertEqual((verdict.what, verdict.case.output),
                         (judge.HOST_ONLY, "type(out).__name__"))  # fmt: skip

    def test_a_generator_is_read(self) -> None:
        verdict = self.judge("(2 * each for each in [x, x + 1])", x=F3)
        self.assertEqual(verdict.what, judge.VALUES)
        self.assertEqual(verdict.case.call, "list((2 * each for each in [x, x + 1]))")

    def test_a_refused_call(self) -> None:
        with self.assertRaises(ValueError):
            self.judge("np.reshape(x, 7)", x=F3)

    def test_arrays_of_numpy_among_the_outputs_are_on_the_host(self) -> None:
        self.assertEqual(self.judge("np.sin(x)", x=F3).case.host_outputs, ())
        verdict = self.judge("[x, np.matrix(x)]", x=F3)  # a matrix is a container
        self.assertEqual((verdict.what, verdict.case.host_outputs), (judge.VALUES, ("out[1]",)))
        self.assertEqual(verdict.case.document()["host_outputs"], ["out[1]"])
        self.assertNotIn("host_outputs", self.judge("np.sin(x)", x=F3).case.document())

    def test_parts_of_a_class_that_are_on_the_host_by_its_documentation(self) -> None:
        found = [
            leaves.Leaf("out", leaves.CONTAINER, "module.Packed"),
            leaves.Leaf("out.data", leaves.ARRAY, None),
            leaves.Leaf("out.sizes", leaves.ARRAY, None),
            leaves.Leaf("out.order", leaves.VALUE, None),
        ]
        parts = {"module.Packed": (".sizes", ".order")}
        self.assertEqual(judge.host_outputs(found, parts), ("out.sizes",))
        self.assertEqual(judge.host_outputs(found), ())

    def test_a_text_that_shows_an_array_is_no_value(self) -> None:
        kit = numpy_kit()
        kit.array_text = re.compile(r"array\(")
        case = Case({"x": F3}, (), (), "repr(x)")
        verdict = kit.judge(case)
        self.assertEqual((verdict.what, verdict.reason), (judge.NO_VALUES, judge.SHOWN))
        self.assertEqual(verdict.case.output, "type(out).__name__")
        self.assertEqual(kit.judge(case._replace(call="str(x)")).what, judge.VALUES)
        self.assertEqual(numpy_kit().judge(case).what, judge.VALUES)

    def test_the_better_verdict(self) -> None:
        case = Case({}, (), (), "f()")
        good, bad = judge.Verdict(judge.VALUES, case), judge.Verdict(judge.HOST_ONLY, case)
        self.assertIs(judge.better(bad, good), good)
        self.assertIs(judge.better(None, bad), bad)
        doubtful = good._replace(doubt=doubts.SAME)
        self.assertIs(judge.better(doubtful, good), good)
        self.assertIs(judge.better(doubtful, bad), doubtful)

    def test_doubts(self) -> None:
        one = "float32[] uniform(0.1,0.9)"
        for call, spec, doubt in (
            ("np.sin(x)", F3, 0),
            ("x.sum()", F3, 0),
            ("np.sin(x)", one, doubts.SMALL),
            ("np.ones(3)", "", doubts.SMALL | doubts.CONSTANT),
            ("x.copy()", F3, doubts.SAME),
            ("np.full(4, x.sum())", F3, doubts.CONSTANT),
            ("np.log(-x) + [0, 0, np.nan]", "float32[3] uniform(-1,9)", doubts.CONSTANT),
            ("(lambda y: lambda: y)(x)", F3, doubts.FUNCTION),
        ):
            verdict = self.judge(call, **({"x": spec} if spec else {}))
            self.assertEqual((verdict.what, verdict.doubt), (judge.VALUES, doubt), call)
        self.assertEqual(self.judge("[]").doubt, doubts.EMPTY)
        self.assertEqual(self.judge("{'a': None}").doubt, doubts.EMPTY)
        self.assertEqual(self.judge("[2]").doubt, 0)
        self.assertEqual(self.judge("object()").doubt, doubts.TYPE_ONLY)
        setup = ("import types", "m = types.SimpleNamespace(x=x, y=2 * x)")
        same = self.judge("types.SimpleNamespace(x=m.x, y=m.y)", setup, x=F3)
        self.assertEqual(same.doubt, doubts.SAME)


class Factors(unittest.TestCase):
    """Which outputs are compared only as far as a decomposition determines them."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.kit = numpy_kit()

    def document(self, call: str, spec: str = "float32[4,4] spd") -> dict[str, Any]:
        verdict = self.kit.judge(Case({"x": spec}, (), (), call))
        self.assertEqual(verdict.what, judge.VALUES)
        return verdict.case.document()

    def compared(self, call: str, spec: str = "float32[4,4] spd") -> tuple[Any, Any]:
        found = self.document(call, spec)
        return found.get("output"), found.get("compare")

    def test_eigenvectors(self) -> None:
        both, complex_ = "tuple(np.linalg.eigh(x))", "complex64[2,3,3] normal"
        for spec in ("float32[4,4] spd", "float32[4,4] normal", "float32[2,3,3] spd", complex_):
            self.assertEqual(self.compared(both, spec), (None, {"out[1]": "up to sign"}))
        swapped = "tuple(np.linalg.eigh(x))[::-1]"
        self.assertEqual(self.compared(swapped), (None, {"out[0]": "up to sign"}))
        upper = "tuple(np.linalg.eigh(x, 'U'))"
        self.assertEqual(
            self.compared(upper, "float32[4,4] normal"), (None, {"out[1]": "up to sign"})
        )

    def test_eigenvalues_without_an_order(self) -> None:
        call = "tuple(np.linalg.eig(x.astype('complex64')))"
        self.assertEqual(self.compared(call, "float32[4,4] normal"),
                         (None, {"out[0]": "set", "out[1]": "shape"}))  # fmt: skip
        left = "(lambda w, v: (w, np.linalg.inv(v).conj().T, v))(*np.linalg.eig(x + 0j))"
        for spec in ("float32[4,4] normal", "float32[4,4] spd"):
            compare = {"out[0]": "set", "out[1]": "shape", "out[2]": "shape"}
            self.assertEqual(self.compared(left, spec), (None, compare))

    def test_singular_vectors(self) -> None:
        product = "(out[0], out[1], (out[0] * out[1][..., None, :]) @ out[2])"
        thin = "tuple(np.linalg.svd(x, False))"
        sign = {"out[0]": "up to sign"}
        for spec in ("float32[3,5] normal", "float32[4,4] spd", "complex64[2,3,4] normal"):
            self.assertEqual(self.compared(thin, spec), (product, sign))
        as_columns = f"(lambda u, s, v: (u, s, v.conj().T))(*{thin})"
        both = {"out[0]": "up to sign", "out[2]": "up to sign"}
        for spec in ("float32[3,5] normal", "float32[4,4] spd"):
            self.assertEqual(self.compared(as_columns, spec), (None, both))
        full = "tuple(np.linalg.svd(x))"
        self.assertEqual(
            self.compared(full, "float32[3,5] normal"),
            ("(out[0], out[1], (out[0] * out[1][..., None, :]) @ out[2][..., :3, :])", sign),
        )
        self.assertEqual(
            self.compared(f"(lambda u, s, v: (u, s, v.T))(*{full})", "float32[5,3] normal"),
            ("(out[0][..., :3], out[1], out[2])", both),
        )

    def test_orthogonal_and_triangular_factors(self) -> None:
        sign = {"out[0]": "up to sign"}
        for spec in ("float32[3,5] normal", "float32[5,3] normal", "float32[4,4] spd"):
            self.assertEqual(self.compared("tuple(np.linalg.qr(x))", spec),
                             ("(out[0], out[0] @ out[1])", sign))  # fmt: skip
        call = "tuple(np.linalg.qr(x, 'complete'))"
        self.assertEqual(self.compared(call, "float32[5,3] normal"),
                         ("(out[0][..., :3], out[0] @ out[1])", sign))  # fmt: skip

    def test_similar_matrices(self) -> None:
        call = "(lambda w, v: (np.diag(w), v))(*np.linalg.eigh(x))"
        self.assertEqual(self.compared(call), ("(out[1] @ out[0] @ out[1].conj().mT,)", None))

    def test_unique_factors(self) -> None:
        polar = "(lambda u, s, v: (u @ v, (v.T * s) @ v))(*np.linalg.svd(x))"
        for call in (polar, "(x, x @ x)", "(np.linalg.inv(x), x)", "np.linalg.eigh(x)[1]"):
            self.assertEqual(self.compared(call, "float32[4,4] spd"), (None, None))

    def test_only_single_precision_needs_a_tolerance(self) -> None:
        call = "tuple(np.linalg.eigh(x))"
        self.assertEqual(self.document(call)["tolerance"], {"rtol": 1e-3, "atol": 1e-4})
        self.assertNotIn("tolerance", self.document(call, "float64[4,4] spd"))
        self.assertNotIn("tolerance", self.document("np.sin(x)"))


class OtherDevices(unittest.TestCase):
    """What a framework does not promise for another device is not compared."""

    def test_arrays_that_no_input_gives_are_made_on_the_device(self) -> None:
        made = "def f(device=None):\n    return torch.ones(3, device=device)"
        verdict = support.kit_of("pytorch").judge(Case({}, (made,), (), "f()"))
        self.assertEqual(verdict.case.call, "f(device=device)")

    def test_texts_of_tensors(self) -> None:
        kit = support.kit_of("pytorch")
        for call, what in (
            ("repr(x)", judge.NO_VALUES),
            ("torch.typename(x)", judge.NO_VALUES),
            ("x.device.type", judge.NO_VALUES),
            ("(x, torch.torch_version.TorchVersion(x))", judge.NO_VALUES),
            ("x.storage().type()", judge.NO_VALUES),
            ("x.untyped_storage().type()", judge.NO_VALUES),
            ("str(x.tolist())", judge.VALUES),
            ("(x, torch.Tensor)", judge.VALUES),
        ):
            verdict = kit.judge(Case({"x": F3}, (), (), call))
            self.assertEqual(verdict.what, what, call)
            self.assertEqual(verdict.reason, judge.SHOWN if what == judge.NO_VALUES else "", call)

    def test_types_of_tensors_of_the_cpu_do_not_use_the_device(self) -> None:
        kit = support.kit_of("pytorch")
        for call, given in (
            ("torch.FloatTensor(x)", {"x": F3}), ("torch.sparse.LongTensor()", {}),
        ):  # fmt: skip
            verdict = kit.judge(Case(given, (), (), call))
            self.assertEqual((verdict.what, verdict.case.call), (judge.HOST_ONLY, call))
            self.assertEqual(verdict.reason, "the type is that of tensors of the CPU")
            on_host = {name: f"{text} on host" for name, text in given.items()}
            self.assertEqual(verdict.case.inputs, on_host)
        self.assertEqual(kit.judge(Case({"x": F3}, (), (), "torch.Tensor(x)")).what, judge.VALUES)

    def test_arrays_that_no_argument_and_no_method_puts_on_the_device(self) -> None:
        kit = support.kit_of("pytorch")
        engine = Case({}, (), (), "torch.quasirandom.SobolEngine(2)", "(out.sobolstate,)")
        verdict = kit.judge(engine)
        self.assertEqual((verdict.what, verdict.case), (judge.HOST_ONLY, engine))
        drawn = Case({}, (f"m = {engine.call}",), (), "m.draw()")
        self.assertEqual(kit.judge(drawn).case.call, "m.draw().to(device)")

    def test_inputs_that_must_be_on_the_host(self) -> None:
        given = {"data": F3, "batch_sizes": "int64[1] full(3)"}
        call = "torch.nn.utils.rnn.PackedSequence(data, batch_sizes)"
        case = support.kit_of("pytorch").judge(Case(given, (), (), call)).case
        self.assertEqual(case.inputs["batch_sizes"], "int64[1] full(3) on host")
        self.assertNotIn("on host", case.inputs["data"])


class Metadata(unittest.TestCase):
    """The tests that PyTorch ships."""

    def test_optimizers_step_on_parameters_with_gradients(self) -> None:
        kit = support.kit_of("pytorch")
        if kit.metadata_absence():
            self.skipTest(kit.metadata_absence())
        for name, form in (("Adam", "gradient2"), ("SparseAdam", "gradient2.to_sparse()")):
            found = search.Found(60)
            item = items.item(kit, "torch", "torch", f"torch.optim.{name}", "class")
            (make,) = kit.metadata({item.name})[item.name]
            calls = list(itertools.islice(make(kit, item), 2))
            self.assertEqual([each for each, _ in calls[1].arguments], ["params", "lr"])
            express.try_call(kit, item, calls[0], found)
            self.assertEqual(found.best.what, judge.VALUES)
            case = found.best.case
            self.assertIn(f"params_made[1].grad = {form}", case.setup)
            self.assertEqual((case.call, case.output), ("optimizer.step()", "params_made"))
            self.assertEqual(list(case.inputs), ["params", "params2", "gradient1", "gradient2"])

    def test_samples_with_one_element_come_last(self) -> None:
        support.kit_of("pytorch")  # skips the test without PyTorch
        import torch
        from pmdriver.census import torch_tests

        def samples(*sizes: int) -> list[Any]:
            return [types.SimpleNamespace(input=torch.zeros(size)) for size in sizes]

        def tried(*sizes: int) -> list[int]:
            return [each.input.numel() for each in torch_tests.chosen(samples(*sizes))]

        self.assertEqual(tried(1, 3, 1, 4), [3, 4, 1, 1])
        self.assertEqual(tried(1, *[3] * 20), [*[3] * 7, 1])
        self.assertEqual(tried(), [])

    def test_a_package_that_is_missing_is_named_and_the_census_goes_on(self) -> None:
        kit = support.kit_of("pytorch")
        maker = sources.Maker(kit, None, [sources.METADATA, sources.SEARCHED], 10)
        with unittest.mock.patch("importlib.util.find_spec", lambda name: None):
            reason = maker.prepare({"torch.sin"})
        needs = "the tests of PyTorch need the package expecttest, which the environment lacks"
        self.assertEqual(reason, {sources.METADATA: needs})


class Searching(unittest.TestCase):
    """Arguments are found by the names of parameters."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.kit = numpy_kit()

    def find(self, function: Any, name: str) -> search.Found:
        item = support.item_of(name, "function", function)
        found = search.Found(10)
        search.function(self.kit, item, found)
        return found

    def test_two_operands_have_two_values(self) -> None:
        import numpy as np

        found = self.find(np.matmul, "np.matmul")
        self.assertEqual(found.best.what, judge.VALUES)
        self.assertEqual(len(found.best.case.inputs), 2)

    def test_the_same_array_for_all_first_then_the_best_ranks(self) -> None:
        options = [[array("a"), array("b")], [array("b"), array("a")]]
        places = list(search.combinations(options, 10))
        self.assertEqual(places[:2], [(0, 1), (1, 0)])
        self.assertEqual(sorted(places), [(0, 0), (0, 1), (1, 0), (1, 1)])

    def test_a_method_is_called_on_an_object_that_its_class_made(self) -> None:
        found = self.of_method(fractions, "Fraction", "limit_denominator")
        self.assertEqual(found.best.what, judge.HOST_ONLY)
        self.assertIn("m.limit_denominator(", found.best.case.call)

    def of_method(self, module: Any, name: str, method: str, owner: str = "") -> search.Found:
        """Search for a call of a method, after objects of a class of the module were made.

        `owner` is the class of the method, if it is not the class of the objects.
        """
        kit, short = numpy_kit(), module.__name__
        kit.framework.names = lambda: {short: module}
        maker = sources.Maker(kit, _Surface(short), [], 10)
        found = search.Found(10)
        made = getattr(module, name)
        item = support.item_of(f"{short}.{name}", "class", made)
        search.made(kit, item, found)
        if found.made is None:
            search.factories(kit, item, found)
        answer = json.loads(json.dumps({"made": sources._made(found.made), "reason": "x"}))
        self.assertEqual(maker.learn(item.name, answer), {"reason": "x"})
        holder = getattr(module, owner or name)
        full = f"{short}.{holder.__name__}.{method}"
        item = support.item_of(full, "method", getattr(holder, method))
        item = item._replace(owner=f"{short}.{holder.__name__}", holder=holder)
        found = search.Found(10)
        search.method(kit, item, found)
        return found

    def test_a_method_gets_the_arguments_with_which_the_object_was_called(self) -> None:
        found = self.of_method(classes, "Called", "twice")
        self.assertEqual((found.best.what, found.best.case.call), (judge.VALUES, "m.twice(x)"))
        self.assertIn("m(x)", found.best.case.setup)
        found = self.of_method(classes, "Called", "of_shape")
        self.assertEqual(found.best.case.call, "m.of_shape(tuple(x.shape))")

    def test_a_parameter_is_what_the_object_returns_for_it(self) -> None:
        found = self.of_method(classes, "Called", "check_config")
        self.assertEqual(found.best.case.call, "m.check_config(m.get_config())")

    def test_the_next_calls_obey_a_refusal(self) -> None:
        for message, hints in (
            ("Expected list for 'strides' argument to 'conv3d' Op, not 1.", {"strides": "list"}),
            ("Expected bool for argument 'unique' not 1.", {"unique": "bool"}),
            (
                "Value for attr 'T' of int64 is not in the list of allowed values: half, float ; x",
                {"*": "float"},
            ),
            (
                "Value passed to parameter 'x' has DataType float32 not in list of allowed values: "
                "qint8, uint8",
                {"*": "uint8"},
            ),
            (
                "cannot compute X as input #1(zero-based) was expected to be a int32 tensor but",
                {"#1": "int32"},
            ),
            ("keys: Tensor conversion requested dtype int32 for Tensor", {"keys": "int32"}),
            ("division by zero", {}),
        ):
            self.assertEqual(refusals.hints_of(message), hints)
        chosen = [array(F3), *texts("2", "True")]
        options = refusals.guided([chosen] * 3, ["a", "b", "c"], {"a": "bool", "#1": "int32"})
        self.assertEqual([each[0].text for each in options], ["True", "{0}", "{0}"])
        self.assertEqual(options[1][0].specs, ("int32[3] integers(0,3)",))
        self.assertEqual(options[2], chosen)

        def strict(x: Any, mode: Any) -> Any:
            if type(mode) is not list or len(mode) != 4:
                raise TypeError("Expected list for 'mode' argument to 'strict' Op")
            return x * 2

        kit, found = numpy_kit(), search.Found(10)
        kit.framework.names = lambda: {"strict": strict}
        search.function(kit, support.item_of("strict", "function", strict), found)
        self.assertRegex(found.best.case.call, r"strict\(\w+, \[1, 1, 1, 1\]\)")

    def test_a_parameter_that_the_signature_hides(self) -> None:
        kit, found = numpy_kit(), search.Found(10)
        kit.framework.names = lambda: {"hidden_parameter": hidden_parameter}
        item = support.item_of("hidden_parameter", "function", hidden_parameter)
        search.function(kit, item, found)
        self.assertEqual(found.best.what, judge.VALUES)
        self.assertRegex(found.best.case.call, r"hidden_parameter\(x=\w+, y=\w+\)")

    def test_a_class_without_a_constructor_has_objects_from_its_methods(self) -> None:
        found = self.of_method(classes, "Private", "number")
        self.assertEqual(found.best.case.setup[0], "m = classes.Private.from_nothing()")

    def test_an_object_whose_use_matters_to_nothing_is_also_tried_unused(self) -> None:
        with unittest.mock.patch.object(search, "MOST_ACCEPTED", 8):
            found = self.of_method(classes, "Called", "plus_one")
        self.assertEqual(
            (found.best.what, found.best.case.setup), (judge.VALUES, ("m = classes.Called()",))
        )

    def test_a_conversion_of_an_object_is_no_use_of_it(self) -> None:
        made = Made(Case({}, (), (), "classes.Called()"), False)
        found = search.Found(10)
        verdict = judge.Verdict(judge.VALUES, made.case)
        found.use(made, Case({}, (), (), "classes.Called().copy()"), lambda: verdict)
        self.assertIsNone(found.made.used)
        used = Case({"x": F3}, ("m = classes.Called()",), (), "m(x)")
        found = search.Found(10)
        found.use(made, used, lambda: verdict)
        self.assertEqual(found.made.used, used)

    def test_the_use_from_the_first_source_is_learned(self) -> None:
        kit = numpy_kit()
        kit.framework.names = lambda: {"classes": classes}
        maker = sources.Maker(kit, _Surface("classes"), ["example", "searched"], 10)
        made = Made(Case({}, (), (), "classes.Called()"), False)
        calls = {"example": "m(x)", "searched": "m(x, x)"}

        def use(source: str, item: Any, found: search.Found) -> None:
            found.made = made._replace(used=Case({}, ("m = classes.Called()",), (), calls[source]))

        maker._from = use
        answer = maker._work({"name": "classes.Called", "kind": "class"})
        self.assertEqual(answer["made"]["used"]["call"], "m(x)")

    def test_a_transform_is_measured_by_a_call_of_its_result(self) -> None:
        def transform(fun: Any) -> Any:
            """Return a function."""
            return lambda x: fun(x) + 1

        kit = numpy_kit()
        kit.framework.names = lambda: {"transform": transform}
        found = search.Found(10)
        search.function(kit, support.item_of("transform", "function", transform), found)
        self.assertEqual(found.best.what, judge.VALUES)
        self.assertEqual(found.best.case.call, "transform(fun)(x)")
        self.assertEqual(found.best.case.setup, ("fun = lambda *a: a[0]",))

    def test_what_a_decorator_keeps_is_no_output(self) -> None:
        import numpy as np

        wrapped = types.SimpleNamespace(__wrapped__=np.ones(3))
        self.assertEqual(self.kit.parts(wrapped), "")
        self.assertEqual(self.kit.parts(types.SimpleNamespace(a=np.ones(3))), "(out.a,)")

    def test_the_search_goes_on_if_there_is_doubt(self) -> None:
        for text, call in (
            ("def f(x, power=1):\n    return x ** power", r"f\(x, \w+\)"),
            ("def f(*args):\n    return np.asarray(args or 0) + 1", r"f\(args\)"),
        ):
            names: dict[str, Any] = {}
            exec(f"import numpy as np\n{text}", names)
            kit = numpy_kit()
            kit.framework.names = lambda f=names["f"]: {"f": f}
            found = search.Found(10)
            search.function(kit, support.item_of("f", "function", names["f"]), found)
            self.assertRegex(found.best.case.call, call)
            self.assertEqual((found.best.what, found.best.doubt), (judge.VALUES, 0))

    def test_the_search_with_doubt_ends(self) -> None:
        found = search.Found(10)
        case = Case({}, (), (), "f()")
        doubtful = judge.Verdict(judge.VALUES, case, doubt=doubts.SAME)
        for _ in range(search.MOST_BETTER):
            found.take(lambda: doubtful)
            self.assertFalse(found.is_over)
        found.take(lambda: doubtful)
        self.assertTrue(found.is_over)

    def test_upper_bounds_are_larger_than_lower_ones(self) -> None:
        def clip(x: Any, min: Any, max: Any) -> Any:
            if not (max > min).all():
                raise ValueError
            return x.clip(min, max)

        kit, found = numpy_kit(), search.Found(10)
        kit.framework.names = lambda: {"clip": clip}
        search.function(kit, support.item_of("clip", "function", clip), found)
        self.assertRegex(found.best.case.inputs["max"], r"uniform\(1.1,1.9\)$")

    def test_images_first_for_a_class_whose_name_says_so(self) -> None:
        kit = numpy_kit()
        kit.uses_of_objects = (("f34",), ("f2388",), ("f238",))
        for name, label in (("Dropout2d", "f2388"), ("Dropout1d", "f238"), ("Dropout", "f34")):
            self.assertEqual(kit._uses_of(f"nn.{name}(p=0.5)")[0], (label,))

    def test_a_static_method_has_an_object_only_if_an_argument_needs_it(self) -> None:
        kit = numpy_kit()
        kit.framework.names = lambda: {"classes": classes}
        kit.learn(
            "classes.Private",
            Private,
            Made(Case({}, (), (), "classes.Private.from_nothing()"), False),
        )
        item = support.item_of("classes.Private.double", "function", Private.double)
        item = item._replace(owner="classes.Private", holder=Private)
        found = search.Found(10)
        search.function(kit, item, found)
        self.assertEqual(
            (found.best.case.call, found.best.case.setup), ("classes.Private.double(x)", ())
        )

    def test_a_class_without_objects_has_those_of_a_subclass(self) -> None:
        found = self.of_method(classes, "Called", "twice", "Base")
        self.assertEqual(found.best.what, judge.VALUES)

    def test_classes_come_first(self) -> None:
        kinds = [{"kind": kind} for kind in ("method", "function", "class")]
        kinds = [{"name": f"m.{each['kind']}", **each} for each in kinds]
        owner = {"name": "m", "kind": "class", "only_made": "yes"}
        rounds = [[kinds[2], owner], [kinds[1], kinds[0]]]
        kit = numpy_kit()
        self.assertEqual(sources.in_rounds(kinds, kit), rounds)
        kit.owners = lambda name: texts("1")
        self.assertEqual(sources.in_rounds(kinds, kit), [[kinds[2]], rounds[1]])

    def test_a_constructor_that_hides_its_parameters(self) -> None:
        class Named:
            def __init__(self, cell: Any, size: int = 1) -> None:
                pass

        class Hidden(Named):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)

        class New:
            def __new__(cls, *args: Any, **kwargs: Any) -> Any:
                return super().__new__(cls)

            def __init__(self, layers: Any = None) -> None:
                pass

        for value, wanted in ((Hidden, ["cell"]), (New, ["layers"])):
            found = signatures.all_of(value, value.__name__, "", [])
            self.assertIn(wanted, [[each.name for each in one] for one in found])

    def test_optional_parameters_are_tried_last(self) -> None:
        def f(a: int, b: int = 0, c: int = 0) -> None:
            """Do nothing."""

        names = [[each.name for each in one] for one in signatures.all_of(f, "f", "", [])]
        self.assertEqual(names, [["a"], ["a", "b"], ["a", "b", "c"]])

    def test_no_parameter_is_one_call(self) -> None:
        self.assertEqual(list(search.combinations([], 5)), [()])

    def texts(self, annotation: str, name: str = "thing", docs: str = "", **how: bool) -> list[str]:
        found = words.candidates(self.kit.words, "f", name, annotation, docs, **how)
        return ["array" if each.specs else each.text for each in found]

    def test_flags_texts_numbers_and_functions_are_no_arrays(self) -> None:
        for annotation, first in (("bool", "True"), ("str", "'a'"), ("float", "0.5"),
                                  ("int", "2"),
                                  ("Callable[[Tensor], Tensor]", "lambda *a: a[0]")):  # fmt: skip
            found = self.texts(annotation)
            self.assertEqual((found[0], "array" in found), (first, False), annotation)
            self.assertEqual(self.texts(annotation, is_last_resort=True)[-1], "array")
        self.assertEqual(self.texts("", docs="thing: Whether to do so.")[0], "True")
        self.assertNotIn("array", self.texts("", docs="thing (string, optional): A name."))
        self.assertNotIn("array", self.texts("", "use_it"))

    def test_arrays_where_something_says_so(self) -> None:
        for annotation in ("Tensor", "bool | int | numpy.ndarray", ""):
            self.assertEqual(self.texts(annotation)[0], "array", annotation)
        self.assertEqual(self.texts("", "x", is_strict=True)[0], "array")
        self.assertEqual(self.texts("", docs="thing: An int32 array.", is_strict=True)[0], "array")
        self.assertNotIn("array", self.texts("", is_strict=True))

    def test_objects_where_the_last_word_of_a_name_says_so(self) -> None:
        module = texts("Linear()")
        objects = {"module": module, "name": texts("'weight'")}
        own = words.Words(("f34", "f44", "f4"), [], [], objects)
        self.assertEqual(words.candidates(own, "f", "to_module", "", "")[0], module[0])
        array_like = words.candidates(own, "f", "to_module", "Module | array", "")
        self.assertFalse(any(each.specs for each in array_like))
        self.assertNotIn(objects["name"][0], words.candidates(own, "f", "file_name", "", ""))
        for parameter, note, first in (
            ("worker_id", "", "0"), ("value_key", "", "'a'"), ("args", "tuple[Any, ...]", "({0},)"),
            ("given", "dict[str, Any]", "{'a': {0}}"), ("row_splits", "", "{0}"),
        ):  # fmt: skip
            found = words.candidates(own, "f", parameter, note, "")
            self.assertEqual(found[0].text, first)
        self.assertEqual(found[0].specs, ("int32[4] range",))

    def test_a_default_value_says_what_a_parameter_is(self) -> None:
        def f(a: int, b=False, c=None) -> None:  # type: ignore[no-untyped-def]
            """Do nothing."""

        last = signatures.all_of(f, "f", "", [])[-1]
        self.assertEqual([(each.annotation, each.optional) for each in last],
                         [("int", False), ("bool", True), ("", True)])  # fmt: skip
        docs = "__init__(self: m.C, x: list[str], y: int = 2) -> None"
        found = signatures.of_text(docs, "C")[0]
        self.assertEqual([each.annotation for each in found], ["m.C", "list[str]"])

    def test_names_of_functions_that_contain_the_names_of_others(self) -> None:
        for function in ("m.relu", "m.sqrt", "m.logcdf"):
            first = words.candidates(self.kit.words, function, "x", "Array", "")[0]
            self.assertEqual(first.specs, ("float32[3,4] uniform(0.1,0.9)",), function)
        first = words.candidates(self.kit.words, "m.lu_factor", "x", "Array", "")[0]
        self.assertEqual(first.specs, ("float32[4,4] spd",))


class Improving(unittest.TestCase):
    """The best case of a name becomes one that measures more."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.kit = numpy_kit()

    def improved(self, call: str, setup: tuple[str, ...] = (), **given: str) -> judge.Verdict:
        found = search.Found(10)
        found.take(lambda: self.kit.judge(Case(given, setup, (), call)))
        improve.improve(self.kit, [found])
        return found.best

    def test_values_for_which_the_function_is_not_constant(self) -> None:
        for call, spec, other in (
            ("np.floor(x)", "float32[4,4] uniform(0.1,0.9)", "bernoulli(0.5)"),
            ("np.isnan(x)", "float32[3] uniform(0.1,0.9)", "special"),
            ("np.isinf(x)", "complex64[3] normal", "special"),
            ("np.array_equal(x, np.arange(5))", "int32[5] integers(1,9)", "range"),
            ("bool(np.all(x))", "bool[6,4] bernoulli(0.5)", "zeros"),
        ):
            verdict = self.improved(call, x=spec)
            self.assertEqual(verdict.what, judge.VALUES, call)
            others = (other, "bernoulli(0.9)", "bernoulli(0.1)", "normal(0,2)")
            self.assertIn(verdict.case.inputs["x"].split(" ")[1], others, call)

    def test_arguments_that_change_nothing_are_left_out(self) -> None:
        setup = ("def f(x, y=None, *, z=None):\n    return x + 1",)
        verdict = self.improved("f(x, y, z=z)", setup, x=F3, y=F3, z=F3)
        self.assertEqual((verdict.what, verdict.case.call), (judge.VALUES, "f(x)"))
        self.assertEqual(list(verdict.case.inputs), ["x"])
        setup = ("def f(y, x):\n    return x + 1",)
        self.assertEqual(self.improved("f(y, x)", setup, x=F3, y=F3).case.call, "f(None, x)")
        self.assertEqual(self.improved("np.zeros_like(x)", x=F3).what, judge.NO_VALUES)

    def test_an_earlier_use_of_the_object_that_changes_nothing_is_left_out(self) -> None:
        setup = ("class C:\n    def __call__(self, x):\n        return x\n"
                 "    def twice(self, x):\n        return 2 * x",
                 "m = C()", "m(y)")  # fmt: skip
        verdict = self.improved("m.twice(x)", setup, x=F3, y=F3)
        self.assertEqual((verdict.what, verdict.case.setup), (judge.VALUES, setup[:2]))
        self.assertEqual(list(verdict.case.inputs), ["x"])

    def test_the_state_that_a_method_changes(self) -> None:
        setup = ("class C:\n    def __init__(self):\n        self.total = np.zeros(3)\n"
                 "    def add(self, x):\n        self.total = self.total + x",
                 "m = C()")  # fmt: skip
        verdict = self.improved("m.add(x)", setup, x=F3)
        self.assertEqual((verdict.what, verdict.case.output), (judge.VALUES, "(m.total,)"))
        self.assertEqual(verdict.case.repeat, "fresh")
        unchanged = self.improved("m.add(0)", setup)
        self.assertEqual((unchanged.what, unchanged.case.output), (judge.HOST_ONLY, "out"))

    def test_what_a_method_adds_to_its_object(self) -> None:
        setup = ("class C:\n    def keep(self, *x):\n        self.kept = x", "m = C()")
        verdict = self.improved("m.keep(x)", setup, x=F3)
        self.assertEqual((verdict.what, verdict.case.output), (judge.VALUES, "(m.kept,)"))

    def test_the_weights_that_a_method_of_a_module_changes(self) -> None:
        kit = numpy_kit()
        kit.weights = "[out.w]"
        kit.framework.place_modules = lambda modules, construct, fill: [modules[0][1]]
        kit.framework.state = lambda module: [(".w", module.w)]
        kit.is_module = lambda value: True
        setup = ("class M:\n    def __init__(self):\n        self.w = np.ones(3)\n"
                 "    def reset(self):\n        self.w = np.arange(3.0)",
                 "m = M()")  # fmt: skip
        found = search.Found(10)
        found.take(lambda: kit.judge(Case({}, setup, ("m",), "m.reset()")))
        improve.improve(kit, [found])
        self.assertEqual((found.best.what, found.best.case.output), (judge.VALUES, "[m.w]"))

    def test_other_values_if_the_output_is_constant(self) -> None:
        verdict = self.improved("np.where(x.min() > 0, x.sum(), 2 * x)", x=F3)
        self.assertEqual((verdict.what, verdict.doubt), (judge.VALUES, 0))

    def test_the_sources_without_values_stay_as_they_are_if_another_has_values(self) -> None:
        found = [search.Found(10), search.Found(10)]
        for each, call in zip(found, ("np.isnan(x)", "np.sin(x)")):
            each.take(lambda call=call: self.kit.judge(Case({"x": F3}, (), (), call)))
        improve.improve(self.kit, found)
        self.assertEqual([each.best.what for each in found], [judge.NO_VALUES, judge.VALUES])

    def test_both_signs_if_a_positive_input_comes_out_as_it_is(self) -> None:
        spec = {"x": "float32[3,4] uniform(0.1,0.9)"}
        self.assertIn("uniform(-2,2)", self.improved("np.abs(x)", **spec).case.inputs["x"])
        self.assertEqual(self.improved("np.sqrt(x)", **spec).case.inputs, spec)

    def test_parts_of_an_object_instead_of_its_type(self) -> None:
        setup = ("class C:\n    def __init__(self, x):\n        self.size, self.way = 3, '/tmp'\n"
                 "    @property\n    def name(self):\n        return 'a'\n"
                 "    @property\n    def wrong(self):\n        return 1 / 0",)  # fmt: skip
        verdict = self.improved("C(2)", setup)
        self.assertEqual((verdict.what, verdict.case.output),
                         (judge.HOST_ONLY, "(type(out).__name__, out.size, out.name)"))  # fmt: skip
        self.assertEqual(self.improved("object()").case.output, judge.TYPE)


class _Surface:
    """Where the public names of a module are."""

    def __init__(self, short: str) -> None:
        self.short = self.root = short


class Base:
    """Has a method, and no object."""

    def __init__(self) -> None:
        raise TypeError

    def twice(self, given: Any) -> Any:
        """Return twice the array with which the object was called."""
        if given is not self.given:
            raise ValueError
        return 2 * given


class Called(Base):
    """Needs a call before its methods can be called."""

    def __init__(self) -> None:
        self.given: Any = None

    def __call__(self, x: Any) -> Any:
        self.given = x
        return x + 1

    def plus_one(self, value: Any) -> Any:
        """Add to another array than that of the call."""
        if value is self.given:
            raise ValueError
        return value + 1

    def of_shape(self, shape: Any) -> Any:
        """Return the shape if it is that of the array."""
        if type(shape) is not tuple or shape != self.given.shape:
            raise ValueError
        return self.given + len(shape)

    def get_config(self) -> Any:
        """Return what `check_config` accepts."""
        return {"secret": 5}

    def check_config(self, config: Any) -> Any:
        """Accept only what `get_config` returns."""
        return config["secret"]


def hidden_parameter(**given: Any) -> Any:
    """Need an argument that the signature does not show."""

    def needs(*, x: Any, y: Any) -> Any:
        return x + y

    return needs(**given)


class Private:
    """Has no public constructor."""

    def __init__(self, token: Any) -> None:
        if token is not Private:
            raise TypeError

    @classmethod
    def from_nothing(cls) -> Any:
        """Make an object."""
        return cls(Private)

    @staticmethod
    def double(x: Any) -> Any:
        """Return twice an array."""
        return 2 * x

    def number(self) -> int:
        """Return a number."""
        return 5


classes = types.SimpleNamespace(Base=Base, Called=Called, Private=Private)
classes.__name__ = "classes"
sys.modules["classes"] = classes


class Texts(unittest.TestCase):
    """Names of inputs, and values as text."""

    def test_names_are_unique_and_allowed(self) -> None:
        builder = Builder()
        text = called("f", [("in", "pos", array(F3)), ("out", "kw", array(F3)),
                            ("x", "pos", array(F3)), ("x", "pos", array(F3))], builder)  # fmt: skip
        self.assertEqual(text, "f(in_, out=out_, x, x2)")
        self.assertEqual(list(builder.inputs), ["in_", "out_", "x", "x2"])

    def test_what_is_made_is_in_the_setup(self) -> None:
        builder = Builder()
        made = Candidate("g({0})", (F3,), is_made=True)
        self.assertEqual(called("f", [("m", "pos", made)], builder), "f(m_made)")
        self.assertEqual(builder.setup, ["m_made = g(m)"])

    def test_calls_of_a_framework_on_constants_are_in_the_setup(self) -> None:
        """Otherwise an encoder that fails on a device hides whether the decoder works there."""
        for text, is_made in (
            ("tf.io.encode_png(tf.zeros((8, 8, 3)))", True), ("[tf.keras.layers.Dense(2)]", True),
            ("[lambda: tf.constant(1.0)]", False), ("tf.float32", False), ("'tf.f()'", False),
            ("{own}.get_config()", False), ("f(1)", False),
        ):  # fmt: skip
            self.assertEqual(texts(text)[0].is_made, is_made, text)
        builder = Builder()
        self.assertEqual(called("g", [("c", "pos", texts("tf.f(1)")[0])], builder), "g(c)")
        self.assertEqual(builder.setup, ["c = tf.f(1)"])

    def test_values_have_the_text_that_makes_them(self) -> None:
        kit = numpy_kit()
        for value in (1, 2.5, "a", None, True, (1,), [1, (2, "x")], {"k%": [3]}, slice(1, None)):
            self.assertEqual(eval(express.value(kit, value).text), value)
        both = express.value(kit, [kit.framework.make("float32", (1,), b"\0\0\0\0")] * 2)
        self.assertEqual(both.text, "[{0}, {1}]")
        with self.assertRaises(express.Cannot):
            express.value(kit, object())

    def test_temporary_files_are_in_the_folder_of_the_case(self) -> None:
        kit = numpy_kit()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "events.out")
            self.assertEqual(express.value(kit, [path]).text, "['$tmp/events.out']")
        self.assertEqual(express.value(kit, "/tmp/x/").text, "'$tmp/x'")
        self.assertEqual(express.value(kit, "/tmp/tmp8wkoh8dh").text, "'$tmp/file'")
        self.assertEqual(express.value(kit, "/tmpfs/x").text, "'/tmpfs/x'")


class Names(unittest.TestCase):
    """How a call writes a name."""

    def test_a_module_that_its_package_hides(self) -> None:
        """`torch.nn.utils.weight_norm` is a function and a module of this name."""
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder, "hiding")
            package.mkdir()
            Path(package, "__init__.py").write_text("from hiding.norm import norm\n")
            text = "def norm(x): return x\nclass Norm:\n    def apply(self): pass\n"
            Path(package, "norm.py").write_text(text)
            sys.path.insert(0, folder)
            try:
                kit = numpy_kit()
                hidden = items.item(kit, "hiding", "hiding", "hiding.norm.Norm", "class")
                shown = items.item(kit, "hiding", "hiding", "hiding.norm", "function")
                names = ("norm", "norm.Norm", "norm.Norm.apply", "norm.Other", "other.Norm")
                root = importlib.import_module("hiding")
                absent = [absence(root, "hiding", f"hiding.{name}", "1.0") for name in names]
            finally:
                sys.path.remove(folder)
        self.assertEqual((hidden.value.__name__, hidden.text), ("Norm", "Norm"))
        self.assertEqual(hidden.imports, ("from hiding.norm import Norm",))
        self.assertEqual((shown.text, shown.imports), ("hiding.norm", ()))
        self.assertEqual(absent[:3], [None, None, None])
        self.assertEqual(absent[3], "hiding.norm.Other is not in 1.0")
        self.assertEqual(absent[4], "hiding.other.Norm is not in 1.0")


class Inputs(unittest.TestCase):
    """Specifications of arrays."""

    def test_an_array_is_described_by_what_generates_its_like(self) -> None:
        def of(form: str, *values: Any) -> str:
            dtype = {"f": "float32", "q": "int64", "?": "bool"}[form]
            raw = struct.pack(f"<{len(values)}{form}", *values)
            return inputs.describe(dtype, (len(values),), raw)

        self.assertEqual(of("f", 0.5, 2.0, 1.0), "float32[3] uniform(0.5,2)")
        self.assertEqual(of("f", 2.0, 2.0), "float32[2] full(2)")
        self.assertEqual(of("q", 0, 1, 2), "int64[3] range")
        self.assertEqual(of("q", 2, 0, 1), "int64[3] permutation")
        self.assertEqual(of("q", 4, 9), "int64[2] integers(4,10)")
        self.assertEqual(of("?", True, False), "bool[2] bernoulli(0.5)")
        self.assertEqual(of("f", float("nan")), "float32[1] zeros")

    def test_kinds_of_matrices(self) -> None:
        for rows, kind in (
            ([2, 1, 0.5, 1, 2, 1, 0.5, 1, 2], "spd"),
            ([2, 0, 0, 1, 2, 0, 0.5, 1, 2], "triangular"),
            ([2, 1, 0.5, 1, -2, 1, 0.5, 1, 2], "uniform(-2,2)"),  # not positive definite
            ([2, 1, 0.5, 0, 2, 1, 0, 0, 2], "uniform(0,2)"),
            ([1, 0, 0, 0, 2, 0, 0, 0, 3], "uniform(0,3)"),
        ):
            raw = struct.pack("<18f", *rows, *rows)
            self.assertEqual(inputs.describe("float32", (2, 3, 3), raw), f"float32[2,3,3] {kind}")

    def test_every_distribution_has_its_number_of_elements(self) -> None:
        for text in ("float32[2,3,3] spd", "complex64[3,3] orthogonal", "float64[3,3] triangular",
                     "int32[4,5] permutation", "bool[7] bernoulli(0.5)", "float32[] normal(0,2)",
                     "bfloat16[4] uniform(0,1)", "uint8[2,2] range",
                     "int64[0,3] zeros", "bool[3] special", "uint16[9] special",
                     "complex128[30] special", "bfloat16[30] special",
                     "float16[30] special"):  # fmt: skip
            spec = inputs.parse(text)
            count = 1
            for size in spec.shape:
                count *= size
            elements = inputs.values(spec, 1)
            self.assertEqual(len(elements), count, text)
            inputs.data(spec, elements)

    def test_other_seeds_change_values_and_a_shift_changes_constants(self) -> None:
        normal, full = inputs.parse("float32[3] normal"), inputs.parse("float32[3] full(2)")
        self.assertNotEqual(inputs.values(normal, 1), inputs.values(normal, 2))
        self.assertEqual(inputs.values(full, 1), inputs.values(full, 2))
        self.assertNotEqual(inputs.values(full, 1), inputs.values(full, 1, shift=True))
        special = inputs.parse("int8[14] special")
        self.assertEqual(inputs.values(special, 1)[::2], [127, 0, 1, 126, -1, -128, -127])
        floats = inputs.values(inputs.parse("float32[4,6] special"), 1)
        self.assertEqual(
            [str(each) for each in floats[:10:2]], ["nan", "inf", "-inf", "-0.0", "0.0"]
        )
        rising = inputs.parse("int64[3] range")
        self.assertNotEqual(inputs.values(rising, 1), inputs.values(rising, 1, shift=True))
        self.assertIsNone(inputs.parse("key(7)"))


class Examples(unittest.TestCase):
    """The calls in docstrings."""

    def test_statements(self) -> None:
        docs = ">>> def f(x):\n...     return x\n1\n>>> f(\n...     2)\n2\n>>> not python (\n"
        self.assertEqual(examples.statements(docs), ["def f(x):\n    return x", "f(\n    2)"])
        self.assertEqual(examples.statements("Use::\n```python\nf(1)\n```"), ["f(1)"])

    def test_calls_are_recorded_with_their_arguments(self) -> None:
        import numpy as np

        kit = numpy_kit()
        kit.prelude = "import numpy as np\n"
        item = support.item_of("np.sum", "function", np.sum)
        item = item._replace(
            docs=">>> np.sum(np.array([1.5, 2.5]), axis=0)\n>>> np.sum(undefined_name)\n"
        )
        (call,) = examples.calls_of(kit, item)
        self.assertEqual([name for name, _ in call.arguments], ["", "axis"])
        found = search.Found(10)
        express.try_call(kit, item, call, found)
        self.assertEqual(found.best.what, judge.VALUES)


class Forks(unittest.TestCase):
    """A child that dies takes no other item with it."""

    def test_death_and_delay(self) -> None:
        import os
        import time

        def work(item: int) -> dict[str, Any]:
            if item == 1:
                os.abort()
            if item == 2:
                time.sleep(60)
            return {"got": item}

        answers: dict[int, Any] = {}
        with tempfile.TemporaryDirectory() as folder:
            forks.run([0, 1, 2, 3], lambda: None, work, answers.__setitem__,
                      batch=4, seconds=0.1, scratch=os.path.join(folder, "s"))  # fmt: skip
        self.assertEqual(answers[0], {"got": 0})
        self.assertEqual(answers[1], {"died": "signal 6"})
        self.assertIn("died", answers[2])
        self.assertEqual(answers[3], {"got": 3})

    def test_a_new_child_follows_one_whose_framework_is_broken(self) -> None:
        kit = numpy_kit()
        maker = sources.Maker(kit, None, [], 10)

        def work(item: int) -> dict[str, Any]:
            if item == 1:
                kit.framework.place = None
            maker._work = lambda request: {"got": (request, kit.framework.place is None)}
            return maker.work(item)

        answers: dict[int, Any] = {}
        with tempfile.TemporaryDirectory() as folder:
            forks.run([0, 1, 2], lambda: None, work, answers.__setitem__,
                      batch=3, seconds=5, scratch=os.path.join(folder, "s"))  # fmt: skip
        expected = {0: {"got": [0, False]}, 1: {"got": [1, True]}, 2: {"got": [2, False]}}
        self.assertEqual(answers, expected)


if __name__ == "__main__":
    unittest.main()
