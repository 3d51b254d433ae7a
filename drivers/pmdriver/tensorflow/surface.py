"""TensorFlow: where its public names are."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow  # noqa: E402

from pmdriver import inventory  # noqa: E402

#: Packages of modules that are made for users: everything in them is public, and nothing else.
#: `tf.keras` passes on modules of Keras, its current ones or older ones made for TensorFlow.
API = ("tensorflow._api", "keras")
SOURCES = "keras.src"

#: Modules whose names have newer ones elsewhere.
LATER = ("tf.compat.", "tf.experimental.")

#: Each of the two compatibility modules contains both once more.
HIDDEN = ("tensorflow._api.v2.compat.v1.compat", "tensorflow._api.v2.compat.v2.compat")


class TensorFlow(inventory.Surface):
    """TensorFlow's public names: generated modules, found as attributes and not as files."""

    def _is_api(self, module: ModuleType) -> bool:
        name = module.__name__ + "."
        if name.startswith(SOURCES + "."):
            return False
        return name == self.root + "." or name.startswith(tuple(prefix + "." for prefix in API))

    def leads_to(self, parent: ModuleType, child: ModuleType) -> bool:
        """Follow attributes from one generated module to another, whatever their names."""
        return self._is_api(parent) and self._is_api(child) and child.__name__ != self.root

    def offers_all(self, module: ModuleType) -> bool:
        """Return whether the module is a generated one."""
        return self._is_api(module)

    def declared(self, value: Any) -> list[str]:
        """Return the first of the names under which an object is exported."""
        try:
            own = vars(value)
        except TypeError:
            return []
        keras = own.get("_api_export_path") or ()
        keras = [keras] if isinstance(keras, str) else keras
        return [
            *("tf." + name for name in own.get("_tf_api_names", ())[:1]),
            *("tf." + name for name in keras),
            *("tf.compat.v1." + name for name in own.get("_tf_api_names_v1", ())[:1]),
        ]


SURFACE = TensorFlow(
    "tensorflow",
    tensorflow.__version__,
    short="tf",
    packages=("keras",),
    imports=False,
    hidden=HIDDEN,
    later=LATER,
)
