"""What a census needs to know about TensorFlow."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any, Callable

import tensorflow as tf

from pmdriver.census import judge
from pmdriver.census.calls import Candidate, Case, array, by_names, texts
from pmdriver.census.kit import Kit
from pmdriver.census.words import Words

_F34 = "float32[3,4] uniform(0.1,0.9)"


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
}

_MODEL = "tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])"

_OBJECTS = by_names({
    "model|net": [_module(_MODEL)],
    "layer|cell|forward_layer|base_layer|inner|root": [
        Candidate("tf.keras.layers.Dense(4)"), Candidate("tf.keras.layers.LSTMCell(4)"),
        Candidate("tf.keras.layers.LSTM(4)"), _MORE["v34"],
    ],
    "dataset|datasets|input_dataset|ds": [
        _made("tf.data.Dataset.from_tensor_slices({0})", "float32[6,2] normal"),
        Candidate("tf.data.Dataset.range(6)"), Candidate("[tf.data.Dataset.range(6)]"),
    ],
    "optimizer|inner_optimizer|opt": texts("tf.keras.optimizers.SGD()"),
    "initializer|kernel_initializer": texts("'zeros'"),
    "spec|element_spec|type_spec": texts("tf.TensorSpec([3, 4], tf.float32)"),
    "sp_input|sparse_input|sp|sp_a|sparse|st": [_MORE["s44"]],
    "rt_input|ragged|rt": [_MORE["rag"], array(_F34)],
    "var|variable|ref": [_MORE["v34"]],
    "variables|var_list|vars": [_made("[tf.Variable({0})]", _F34)],
    "loss": texts("'mse'"),
    "contents|image_contents": [_MORE["png"], _MORE["s"]],
    "layers": texts("[tf.keras.layers.Dense(2)]"),
    "cells": texts("[tf.keras.layers.LSTMCell(4)]"),
    "device|device_spec|device_name": texts("device"),
    "seed": [_MORE["key2"], Candidate("0")],
    "learning_rate": texts("0.1"),
})  # fmt: skip

_ORDER = (
    "f34", "f44", "j4", "f4", "b34", "f2883", "f283", "c34", "f", "j34", "f234", "u34", "f28883",
    "j", "s44", "s4", "rag", "v34", "d34", "s", "f2388", "i4", "i34",
)  # fmt: skip

_FUNCTIONS = texts(
    "lambda *a: a[0]", "lambda *a: tf.add_n([tf.reduce_sum(x * x) for x in a])",
    "lambda *a: tuple(a)", "lambda a, b=1: a + b", "lambda *a: tf.reduce_sum(a[0]) < -1.0",
)  # fmt: skip


#: Operations that draw random numbers. "The output is consistent across multiple runs on the same
#: hardware (and between CPU and GPU), but may change between versions of TensorFlow or on
#: non-CPU/GPU hardware" (https://www.tensorflow.org/api_docs/python/tf/random/stateless_uniform).
_DRAWS = re.compile(
    r"(Stateless|Stateful)?(Random(?!Dataset)|Multinomial|(Parameterized)?TruncatedNormal|Uniform"
    r"|StandardNormal|SampleDistorted|Shuffle)|Rng"
)
#: Why the numbers of such operations are not compared.
DRAWN = "TensorFlow promises equal random numbers only on CPUs and GPUs"

#: Operations of data sets and of files. The host executes them for every device, as in the reviewed
#: suites.
_OF_HOST = re.compile(
    r"(\w*(Dataset(V\d+)?|Iterator\w*)|\w*Summary\w*|(Read|Write)File|MatchingFiles|(Save|Restore)\w*"
    r"|MergeV2Checkpoints|Sharded\w*)\Z"
)
#: Why a case with them is outside the device.
OF_HOST = "the host makes data sets, and reads and writes files"


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
        ("f34", "f34"), ("j4", "f34"), ("f234", "f234"), ("b34", "f34"),
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

    def judge(self, case: Case) -> judge.Verdict:
        """Judge a case; find out whether it uses data sets or files, or draws random numbers."""
        verdict = super().judge(case)
        made, called = self._kinds(verdict.case)
        if not case.modules and any(map(_OF_HOST.match, made | called)):
            return self._outside_the_device(case)
        known = verdict.case.compare == "shape" or verdict.case.output == judge.TYPE
        drawn = any(map(_DRAWS.match, called))  # a setup may draw weights, which are filled
        if known or verdict.what == judge.HOST_ONLY or not drawn:
            return verdict
        shaped = verdict.case._replace(compare="shape", repeat="fresh", tolerance=None)
        return verdict._replace(what=judge.NO_VALUES, case=shaped, reason=DRAWN)

    def _kinds(self, case: Case) -> tuple[set[str], set[str]]:
        """Return the kinds of the operations of the setup, and those of the call.

        TensorFlow cannot trace all functions while it calls back. What was found before is enough.
        """
        ready = self._ready(case)
        made, scene = self._watched(lambda: judge.scene_of(self.framework, ready))
        if scene is None:
            return made, set()
        return made, self._watched(lambda: eval(ready.call, scene.names))[0]

    def _watched(self, action: Callable[[], Any]) -> tuple[set[str], Any]:
        """Return the kinds of the operations of an action, and its result; None if it fails."""
        result = None
        silent = contextlib.redirect_stdout(io.StringIO())
        with silent, self.framework.kinds() as found, contextlib.suppress(Exception):
            result = action()
        return found, result

    def _outside_the_device(self, case: Case) -> judge.Verdict:
        """Judge a case with data sets or files, as they are documented: without a device."""
        on_host = {
            name: text if text.endswith(" on host") else f"{text} on host"
            for name, text in case.inputs.items()
        }
        verdict = super().judge(case._replace(inputs=on_host, context="tf.device(None)"))
        return verdict._replace(what=judge.HOST_ONLY, reason=OF_HOST)

    def is_module(self, value: Any) -> bool:
        """Return whether an object is a layer, a model or a `tf.Module`."""
        return isinstance(value, (tf.keras.layers.Layer, tf.Module))


_OWNERS: dict[str, list[Candidate]] = {
    "tf.keras.Model": [_module(_MODEL)],
    "tf.keras.Layer": [_module("tf.keras.layers.Dense(4)")],
    "tf.RaggedTensor": [_MORE["rag"]],
    "tf.sparse.SparseTensor": [_MORE["s44"]],
    "tf.data.Dataset": [_made("tf.data.Dataset.from_tensor_slices({0})", "float32[6,2] normal")],
}

KIT = TensorFlowKit
