"""What a census needs to know about TensorFlow."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from pmdriver.census import inputs, items, judge, keras_tests
from pmdriver.census.calls import Candidate, Case, array, by_names, made_texts, texts
from pmdriver.census.kit import Kit
from pmdriver.census.words import TRUTHS, Words

_F34 = "float32[3,4] uniform(0.1,0.9)"

#: The dtypes that Keras gives to arrays of NumPy.
_NARROW = {"float64": "float32", "complex128": "complex64"}


def _made(text: str, *specs: str) -> Candidate:
    return Candidate(text, specs, is_made=True)


def _module(text: str) -> Candidate:
    return Candidate(text, (), is_made=True, is_module=True)


_MORE = {
    "s4": texts("tf.constant(['a b', 'c', '1', '2'])")[0],
    "s": texts("tf.constant('ab')")[0],
    "s44": _made("tf.sparse.from_dense({0})", _F34),
    "rag": _made("tf.RaggedTensor.from_row_lengths({0}, [2, 1])", "float32[3] normal"),
    "v34": _made("tf.Variable({0})", _F34),
    "png": texts("tf.io.encode_png(tf.zeros((8, 8, 3), tf.uint8))")[0],
    "key2": array("int32[2] integers(0,9)"),
    "l34": Candidate("[{0}, {1}]", (_F34, _F34)),
    "l1": Candidate("[{0}]", (_F34,)),
    "l234": Candidate("[{0}, {1}]", ("float32[2,3,4] uniform(0.1,0.9)",) * 2),
    "c234": array("complex64[2,3,4] normal"),
    "features": texts("{'a': tf.io.FixedLenFeature([], tf.float32)}")[0],
}

_MODEL = "tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(4)])"
_COMPILED = f"(lambda m: (m.compile('sgd', 'mse', ['mae']), m)[1])({_MODEL})"
_DATASET = "tf.data.Dataset.from_tensor_slices({0})"
_SQUARE = "tf.linalg.LinearOperatorFullMatrix({0}, is_positive_definite=True, is_self_adjoint=True)"
_SPD = "float32[4,4] spd"
_BOXES = "dict(boxes={0}, labels={1})"
_TWO_BOXES = ("float32[2,2,4] uniform(0.1,0.9)", "int32[2,2] integers(0,3)")

_OBJECTS = by_names({
    "model|net|teacher|student|to_export": [_module(_MODEL), _module(_COMPILED)],
    "layer|forward_layer|base_layer|inner|root": [
        # made in the setup, which keeps them alive: some objects have only weak references to them
        _made("tf.keras.layers.Dense(4)"), _made("tf.keras.layers.LSTMCell(4)"),
        _made("tf.keras.layers.LSTM(4)"), _MORE["v34"],
    ],
    "cell": texts(
        "tf.keras.layers.LSTMCell(4)", "tf.keras.layers.SimpleRNNCell(4)",
        "tf.keras.layers.Dense(4)",
    ),
    "initializer|kernel_initializer": texts(
        "'zeros'", "tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1.0, 2.0])"
    ),
    "operator|base_operator": [_made(_SQUARE, _SPD)],
    "operators": [_made(f"[{_SQUARE}, {_SQUARE.replace('{0}', '{1}')}]", _SPD, _SPD)],
    "iterator|dataset_or_iterator": [
        _made(f"iter({_DATASET})", "float32[6,2] normal"), _made(_DATASET, "float32[6,2] normal"),
    ],
    "bounding_boxes|bounding_box": [Candidate(_BOXES, _TWO_BOXES)],
    "sparse_delta": [
        _made("tf.IndexedSlices({0}, tf.constant([0, 2]))", "float32[2,4] normal"),
    ],
    "t_list|tensor_list|values_list": [Candidate("[{0}, {1}]", (_F34, _F34))],
    "fields": [Candidate("dict(a={0})", ("float32[3] normal",))],
    "features": [
        _MORE["features"], array(_F34), Candidate("dict(a={0})", ("float32[3] normal",)),
        Candidate("{'a': 'float'}"), Candidate("{'a': tf.io.FixedLenFeature([], tf.float32)}"),
    ],
    "control_inputs|loop_vars": [Candidate("[{0}]", (_F34,))],
    "cond": texts("lambda *a: tf.reduce_sum(tf.abs(a[0])) < 100.0"),
    "body": texts("lambda *a: [2 * x + 1 for x in a]", "lambda *a: a"),
    "primals|tangents": [array(_F34), Candidate("[{0}]", (_F34,))],
    "reducer": texts(
        "tf.data.experimental.Reducer(lambda _: 0.0, lambda s, x: s + 1.0, lambda s: s)"
    ),
    "optimizer_map": [_made("tf.keras.optimizers.OptimizerMap(tf.keras.optimizers.SGD())")],
    "default_optimizer": texts("tf.keras.optimizers.SGD()"),
    "distillation_losses": texts("tf.keras.distillation.LogitsDistillation()"),
    "initial_state|state": [array("float32[2] normal"), _MORE["v34"]],
    "graph_def": texts("tf.Graph().as_graph_def()"),
    "strides|ksize|ksizes|dilations|dilation_rate|window_shape|pool_size": texts(
        "1", "[1, 1, 1, 1]", "[1, 1, 1, 1, 1]", "2", "(1, 1)", "[1]"
    ),
    "padding": texts("'SAME'", "'same'", "'VALID'", "1", "((0, 0), (0, 0))"),
    "pooling_type": texts("'MAX'"), "pooling_ratio": texts("[1.0, 1.5, 1.5, 1.0]"),
    "data_format": texts("'NHWC'", "'channels_last'", "None", "'NDHWC'"),
    "height_factor|width_factor|factor": texts("0.2"),
    "pred_fn_pairs": texts("[(tf.constant(True), lambda: tf.constant(1.0))]"),
    "branch_index": [array("int32[] integers(0,2)")],
    "branch_fns": texts("[lambda: tf.constant(1.0), lambda: tf.constant(2.0)]"),
    "true_fn|false_fn": texts("lambda: tf.constant(1.0)"),
    "max_output_size|max_output_size_per_class|max_total_size": texts("2"),
    "unique|replacement": TRUTHS,
    "input_encoding|output_encoding": texts("'UTF-8'"),
    "Tout|component_types|out_type|output_type|dtypes": texts(
        "tf.float32", "tf.int32", "[tf.float32]", "[tf.int64, tf.float32]"
    ),
    "generator": texts("lambda: iter([1, 2])"),
    "alg": texts("'philox'"),
    "config": [], "mode": texts("'int8'", "'r'", "'w'"),
    "json_string": texts(f"{_MODEL}.to_json()"),
    "row_partitions": [
        _made("[tf.experimental.RowPartition.from_row_lengths({0})]", "int64[3] integers(1,3)"),
    ],
    "ragged_shape": texts("tf.experimental.DynamicRaggedShape([], [3])"),
    "nested_row_lengths": texts("[tf.constant([2, 1])]"),
    "nested_row_splits": texts("[tf.constant([0, 2, 3])]"),
    "nested_value_rowids": texts("[tf.constant([0, 0, 1])]"),
    "options": texts("tf.data.Options()"),
    "physical_device|device_details": texts("tf.config.list_physical_devices('CPU')[0]"),
    "physical": texts("tf.config.list_physical_devices('CPU')[0]"),
    "logs": texts("{'loss': 1.0}"), "params": texts("{'epochs': 1, 'steps': 1}"),
    "vocabulary": texts("['a', 'b']"), "mapping": texts("dict(a=0)"),
    "learning_rate_schedule": texts("0.1"),
    "dataset|datasets|input_dataset|ds": [
        _made("tf.data.Dataset.from_tensor_slices({0})", "float32[6,2] normal"),
        Candidate("tf.data.Dataset.range(6)"), Candidate("[tf.data.Dataset.range(6)]"),
    ],
    "optimizer|inner_optimizer|opt": texts("tf.keras.optimizers.SGD()"),
    "spec|element_spec|type_spec": texts("tf.TensorSpec([3, 4], tf.float32)"),
    "sp_input|sparse_input|sp|sp_a|sparse|st": [_MORE["s44"]],
    "rt_input|ragged|rt": [_MORE["rag"], array(_F34)],
    "var|variable|ref": [_MORE["v34"]],
    "variables|var_list|vars": [_made("[tf.Variable({0})]", _F34)],
    "loss": texts("'mse'"),
    "contents|image_contents": [_MORE["png"], _MORE["s"]],
    "layers": texts("[tf.keras.layers.Dense(2)]", "[tf.keras.layers.LSTM(2)]"),
    "cells": texts("[tf.keras.layers.LSTMCell(4)]"),
    "device_spec|device_name": texts("device"),
    "device": texts("device", "tf.config.list_physical_devices('CPU')[0]"),
    "seed": [_MORE["key2"], Candidate("0")],
    "learning_rate": texts("0.1"),
})  # fmt: skip

_ORDER = (
    "f34", "f44", "j4", "f4", "b34", "f2883", "f283", "c34", "f", "j34", "f234", "u34", "f28883",
    "j", "s44", "s4", "rag", "v34", "d34", "s", "f2388", "i4", "i34",
)  # fmt: skip

_FUNCTIONS = made_texts(
    "lambda *a: 2 * a[0]", "lambda *a: tf.add_n([tf.reduce_sum(x ** 3) for x in a])",
    "lambda *a: tuple(a)", "lambda a, b=1: a + b", "lambda *a: tf.reduce_sum(a[0]) < -1.0",
    "lambda *a: tf.data.Dataset.from_tensors(a[0])", "lambda *a: (a[0], a[0])",
    "lambda *a: a[0]",
)  # fmt: skip


#: Keras numbers its objects through the whole process: ``dense``, ``dense_1``. This restarts it.
RESTART = "tf.keras.backend.clear_session(free_memory=False)"

#: Operations that draw random numbers. "The output is consistent across multiple runs on the same
#: hardware (and between CPU and GPU), but may change between versions of TensorFlow or on
#: non-CPU/GPU hardware" (https://www.tensorflow.org/api_docs/python/tf/random/stateless_uniform).
_DRAWS = re.compile(
    r"(Stateless|Stateful)?(Random(?!Dataset)|Multinomial|(Parameterized)?TruncatedNormal|Uniform"
    r"|StandardNormal|SampleDistorted|Shuffle)|Rng"
)
#: Why the numbers of such operations are not compared.
DRAWN = "TensorFlow promises equal random numbers only on CPUs and GPUs"

#: Operations of data sets. The host executes them for every device, as in the reviewed suites, and
#: those of files.
_OF_DATA = re.compile(r"\w*(Dataset(V\d+)?|Iterator\w*)\Z")
#: What TensorFlow says while it traces a call whose shapes the definition of an operation excludes.
#: Many kernels of the host do not verify this, and those of other devices do.
_SHAPES_REFUSED = re.compile(r"(.*?) for '\{\{node [^}]*\}\} = (\w+)\[.* with input shapes: ", re.S)

#: Why a case with them is outside the device.
OF_HOST = "the host makes data sets, and reads and writes files"


#: Keras's own class of variables; before Keras 3 they are TensorFlow's.
_VARIABLE = getattr(tf.keras, "Variable", ())


def _has_variables(value: Any) -> bool:
    """Return whether an object, such as a metric, an optimizer or a layer, has Keras variables."""
    if not _VARIABLE or isinstance(value, type):
        return False
    try:
        found = getattr(value, "variables", None)
    except Exception:
        return False
    return (
        isinstance(found, (list, tuple))
        and bool(found)
        and all(isinstance(each, _VARIABLE) for each in found)
    )


class TensorFlowKit(Kit):
    """The `Kit` of TensorFlow."""

    #: Names of devices, as in ``/physical_device:CPU:0`` and ``/device:GPU:0``.
    array_text = re.compile(r"/(physical_)?device:\w+:\d")

    batch = 16
    prelude = (
        "import math\nimport os\nimport keras\nimport numpy as np\nimport tensorflow as tf\n"
        "from keras import layers, ops\n"
    )
    uses_of_objects = (
        ("f34",), ("f2883",), ("f283",), ("f28883",), ("f883",), ("j34",), ("s4",), ("f234",),
        ("f34", "f34"), ("j4", "f34"), ("f234", "f234"), ("b34", "f34"), ("l34",), ("l234",),
        ("f34", "l1"), ("f34", "l34"),
    )  # fmt: skip

    def __init__(self, framework: Any) -> None:
        dtypes = texts(
            "tf.float32", "tf.int32", "tf.int64", "tf.string", "tf.quint8", "tf.complex64"
        )
        super().__init__(framework, Words(_ORDER, dtypes, _FUNCTIONS, _OBJECTS, _MORE))

    def owners(self, owner: str) -> list[Candidate]:
        """Return tensors, variables, or candidates for an object of the class."""
        if owner == "tf.Tensor":
            return self.words.some("f34", "j34")
        if owner == "tf.Variable":
            return self.words.some("v34")
        return _OWNERS.get(owner, [])

    def dtype_text(self, value: Any) -> str | None:
        """Return the text of dtypes and shapes."""
        if isinstance(value, tf.DType):
            return f"tf.{value.name}"
        if isinstance(value, tf.TensorShape) and value.rank is not None:
            return repr(value.as_list())
        return None

    def special(self, value: Any) -> Candidate | None:
        """Return candidates for arrays of NumPy, which Keras accepts as tensors, and variables."""
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return Candidate(repr(value.item()))
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            narrow = value.astype(_NARROW.get(value.dtype.name, value.dtype.name))
            spec = inputs.describe(narrow.dtype.name, narrow.shape, narrow.tobytes())
            return Candidate("{0}", (spec,)) if spec else None
        if isinstance(value, tf.keras.Variable):
            spec = self.special(value.numpy())
            return spec._replace(text="tf.keras.Variable({0})", is_made=True) if spec else None
        return None

    def metadata(self, wanted: set[str]) -> dict[str, list[Any]]:
        """Return the calls in the tests that Keras ships."""
        return keras_tests.makers(wanted, lambda name: items.resolve("tf", "tensorflow", name)[0])

    def metadata_absence(self) -> str:
        """Say why there are no tests of Keras; empty if there are some."""
        return keras_tests.absence()

    def parts(self, value: Any) -> str:
        """Return an expression for the variables of an object of Keras, or for its arrays."""
        if _has_variables(value):
            return "[each.value for each in out.variables]"
        return super().parts(value)

    def judge(self, case: Case) -> judge.Verdict:
        """Judge a case; find out whether it uses data sets or files, or draws random numbers."""
        verdict = self._with_names(case)
        made, called, refusal = self._kinds(verdict.case)
        if refusal:
            raise judge.Refused(refusal)
        if not case.modules and any(map(self._is_of_host, made | called)):
            return self._outside_the_device(case)
        known = verdict.case.compare == "shape" or verdict.case.output == judge.TYPE
        drawn = any(map(_DRAWS.match, called))  # a setup may draw weights, which are filled
        if known or verdict.what == judge.HOST_ONLY or not drawn:
            return verdict
        shaped = verdict.case._replace(compare="shape", repeat="fresh", tolerance=None)
        return verdict._replace(what=judge.NO_VALUES, case=shaped, reason=DRAWN)

    def _is_of_host(self, kind: str) -> bool:
        return _OF_DATA.match(kind) is not None or self.framework.is_of_files(kind)

    def _with_names(self, case: Case) -> judge.Verdict:
        """Judge a case; restart the numbers in the names of Keras's objects if they differ."""
        try:
            return super().judge(case)
        except judge.Refused as error:
            if str(error) != judge.VARIES or RESTART in case.setup:
                raise
        return super().judge(case._replace(setup=(RESTART, *case.setup)))

    def _kinds(self, case: Case) -> tuple[set[str], set[str], str]:
        """Return the kinds of the operations of the setup, those of the call, and a refusal.

        TensorFlow cannot trace all functions while it calls back. What was found before is enough.
        The refusal is empty, or says why an operation of the call excludes the shapes of the case.
        """
        ready = self._ready(case)
        made, scene = self._watched(lambda: judge.scene_of(self.framework, ready))
        if scene is None:
            return made, set(), ""
        called = self._watched(lambda: eval(ready.call, scene.names))[0]
        return made, called, self._refusal(ready, called, scene)

    def _refusal(self, case: Case, called: set[str], scene: judge.Scene) -> str:
        """Say why an operation that a call has executed excludes its shapes; empty if none does.

        TensorFlow verifies the definition of an operation when a graph is made, not in a call.
        """
        if case.modules or case.context:
            return ""
        silent = contextlib.redirect_stdout(io.StringIO())
        try:
            with silent:
                traced = tf.function(lambda: eval(case.call, scene.names), autograph=False)
                traced.get_concrete_function()
        except ValueError as error:
            match = _SHAPES_REFUSED.search(str(error))
            if match is not None and match.group(2) in called:
                said = match.group(1).strip().rpartition("\n")[2].strip()
                return f"the operation {match.group(2)} excludes these shapes: {said}"
        except Exception:
            pass  # the call cannot be traced, for example because it reads values
        return ""

    def _watched(self, action: Callable[[], Any]) -> tuple[set[str], Any]:
        """Return the kinds of the operations of an action, and its result; None if it fails."""
        result = None
        silent = contextlib.redirect_stdout(io.StringIO())
        with silent, self.framework.kinds() as found, contextlib.suppress(Exception):
            result = action()
        return found, result

    def _outside_the_device(self, case: Case) -> judge.Verdict:
        """Judge a case with data sets or files, as they are documented: without a device."""
        on_host = inputs.all_on_host(case.inputs)
        verdict = super().judge(case._replace(inputs=on_host, context="tf.device(None)"))
        return verdict._replace(what=judge.HOST_ONLY, reason=OF_HOST)

    def uses(self, value: Any, case: Case) -> Iterator[Case]:
        """Yield cases that use an object: an optimizer applies gradients, a callback gets a model.

        Other objects are used as those of other frameworks.
        """
        if isinstance(value, tf.keras.optimizers.Optimizer):
            yield self._method_of(case, "m.apply([gradient], [variable])",
                                  ["variable = tf.keras.Variable(value)"], value=_F34,
                                  gradient=_F34)._replace(output="variable.value")  # fmt: skip
        elif isinstance(value, tf.keras.callbacks.Callback):
            yield self._method_of(case, "m.set_model(model)", [f"model = {_COMPILED}"])
        yield from super().uses(value, case)

    def _method_of(self, case: Case, call: str, setup: list[str], **inputs: str) -> Case:
        """Return the case in which an object, here called ``m``, is made before the call."""
        return case._replace(
            inputs={**case.inputs, **inputs},
            setup=(*case.setup, f"m = {case.call}", *setup),
            call=call,
        )

    def is_sound(self) -> bool:
        """Return whether TensorFlow still adds arrays, and Keras still makes weights.

        `tf.keras.config.set_backend`, for example, may leave Keras without a working back end.
        """
        with contextlib.suppress(Exception):
            tf.keras.layers.Dense(2)(tf.ones([3, 4]))
            return super().is_sound()
        return False

    def is_module(self, value: Any) -> bool:
        """Return whether an object is a layer, a model or a `tf.Module`."""
        return isinstance(value, (tf.keras.layers.Layer, tf.Module))


_OWNERS: dict[str, list[Candidate]] = {
    "tf.keras.Model": [_module(_COMPILED), _module(_MODEL)],
    "tf.keras.Sequential": [_module(_COMPILED), _module(_MODEL)],
    "tf.linalg.LinearOperator": [_made(_SQUARE, _SPD)],
    "tf.TypeSpec": texts("tf.TensorSpec([3, 4], tf.float32)"),
    "tf.TensorArray": [_made("tf.TensorArray(tf.float32, 3).unstack({0})", _F34)],
    "tf.keras.Layer": [
        _module("tf.keras.layers.Dense(4)"),
        _module(f"{_MODEL}.layers[0]"),
    ],
    "tf.RaggedTensor": [_MORE["rag"]],
    "tf.sparse.SparseTensor": [_MORE["s44"]],
    "tf.data.Dataset": [_made("tf.data.Dataset.from_tensor_slices({0})", "float32[6,2] normal")],
}

KIT = TensorFlowKit
