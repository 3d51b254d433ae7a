"""TensorFlow: where its public names are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow  # noqa: E402

from pmdriver.surface import Surface  # noqa: E402

#: How many levels of wrappers around a function are searched.
MOST_LAYERS = 8

#: Packages of modules that are generated for users: everything in them is public, and nothing else.
#: `tf.keras` passes on modules of Keras 3, either current ones or older ones made for TensorFlow;
#: with TF_USE_LEGACY_KERAS=1, it passes on those of Keras 2.
API = ("tensorflow._api", "keras", "tf_keras.api")
SOURCES = "keras.src"

#: Where Keras exports names for TensorFlow only.
OLDER = "keras._legacy."

#: The folder of the generated modules; one of them is imported under a name that differs from its
#: place.
FOLDER = "tensorflow/_api/"

#: Modules with names that have newer paths elsewhere, or that are second paths of Keras's modules.
LATER = (
    "tf.compat.", "tf.initializers.", "tf.losses.", "tf.metrics.", "tf.optimizers.",
    "tf.keras.legacy.",
)  # fmt: skip

#: Copies of the two compatibility modules inside these modules.
HIDDEN = ("tensorflow._api.v2.compat.v1.compat", "tensorflow._api.v2.compat.v2.compat")

KINDS = {
    "tf.Tensor": "array",
    "tf.Variable": "array",
    "tf.keras.Variable": "array",
    "tf.keras.KerasTensor": "array",
    "tf.keras.optimizers.Optimizer": "optimizer",
    "tf.keras.optimizers.legacy.Optimizer": "optimizer",
    "tf.compat.v1.train.Optimizer": "optimizer",
    "tf.keras.layers.Layer": "module",
    "tf.Module": "module",
}

#: Functions with prose in the parts "Returns" and "Yields". The first three are context managers.
GIVES = {
    "tf.test.TestCase.session": "tf.compat.v1.Session",
    "tf.test.TestCase.cached_session": "tf.compat.v1.Session",
    "tf.test.TestCase.test_session": "tf.compat.v1.Session",
    "tf.compat.v1.get_variable_scope": "tf.compat.v1.VariableScope",
    "tf.compat.v1.initializers.global_variables": "tf.Operation",
    "tf.compat.v1.initializers.local_variables": "tf.Operation",
    "tf.compat.v1.initializers.variables": "tf.Operation",
    "tf.compat.v1.train.MonitoredTrainingSession": "tf.compat.v1.train.MonitoredSession",
    "tf.compat.v1.train.get_global_step": "tf.Variable",
    "tf.compat.v1.train.get_or_create_global_step": "tf.Variable",
    "tf.compat.v1.train.create_global_step": "tf.Variable",
    "tf.distribute.get_replica_context": "tf.distribute.ReplicaContext",
    "tf.distribute.get_strategy": "tf.distribute.Strategy",
    "tf.keras.layers.Layer.add_weight": "tf.Variable",
    "tf.keras.metrics.Metric.add_weight": "tf.Variable",
    "tf.numpy_function": "tf.Tensor",
    "tf.py_function": "tf.Tensor",
}


class TensorFlow(Surface):
    """TensorFlow's public names: in generated modules, which are found as attributes, not files."""

    def _is_api(self, module: ModuleType) -> bool:
        name = module.__name__ + "."
        if name.startswith(SOURCES + "."):
            return False
        if name == self.root + "." or name.startswith(tuple(prefix + "." for prefix in API)):
            return True
        return FOLDER in (getattr(module, "__file__", None) or "").replace(os.sep, "/")

    def leads_to(self, parent: ModuleType, child: ModuleType) -> bool:
        """Return whether both are generated modules, and the child is not the root module."""
        return self._is_api(parent) and self._is_api(child) and child.__name__ != self.root

    def offers_all(self, module: ModuleType) -> bool:
        """Return whether the module is a generated one."""
        return self._is_api(module)

    def declared(self, value: Any) -> list[str]:
        """Return the names under which an object is exported, those of TensorFlow 1 last.

        An exported function may be wrapped by others afterwards, which hides its names.
        """
        found: list[str] = []
        for inner in _layers(value):
            own = vars(inner) if hasattr(inner, "__dict__") else {}
            keras = own.get("_api_export_path") or own.get("_keras_api_names") or ()
            found += ["tf." + name for name in own.get("_tf_api_names", ())]
            keras = (keras,) if isinstance(keras, str) else keras
            found += ["tf." + name.replace(OLDER, "keras.") for name in keras]
            for names in ("_tf_api_names_v1", "_keras_api_names_v1"):
                found += ["tf.compat.v1." + name for name in own.get(names, ())]
        return sorted(found, key=lambda name: name.startswith(LATER))


def _layers(value: Any) -> Iterator[Any]:
    """Yield an object and the objects that it wraps, from the outside in."""
    for _ in range(MOST_LAYERS):
        yield value
        value = getattr(value, "__dict__", {}).get("__wrapped__")
        if value is None:
            return


def _keras() -> str:
    """Return the package of the Keras that TensorFlow passes on: `keras` or `tf_keras`."""
    module = getattr(tensorflow, "keras", None)
    return getattr(module, "__name__", "keras").partition(".")[0]


SURFACE = TensorFlow(
    "tensorflow",
    tensorflow.__version__,
    short="tf",
    packages=(_keras(),),
    imports=False,
    hidden=HIDDEN,
    later=LATER,
    kinds=KINDS,
    gives=GIVES,
    parts={_keras(): "tf.keras"},
)
