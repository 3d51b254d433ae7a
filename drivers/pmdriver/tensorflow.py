"""TensorFlow: its import and its inventory. It is not measured yet: there is no ``framework()``."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow  # noqa: E402

from pmdriver import inventory  # noqa: E402

#: Packages of modules that are made for users: everything in them is public, nothing else is. Of
#: Keras, `tf.keras` hands its own modules on, or older ones made for TensorFlow.
API = ("tensorflow._api", "keras")
SOURCES = "keras.src"

#: What an API module offers under a newer name elsewhere.
LATER = ("tf.compat.", "tf.experimental.")

#: Each of the two compatibility modules has both again.
HIDDEN = ("tensorflow._api.v2.compat.v1.compat", "tensorflow._api.v2.compat.v2.compat")


class Surface(inventory.Surface):
    """TensorFlow's public names: generated modules, found by attributes and not by files."""

    def _is_api(self, module: ModuleType) -> bool:
        name = module.__name__ + "."
        if name.startswith(SOURCES + "."):
            return False
        return name == self.root + "." or name.startswith(tuple(prefix + "." for prefix in API))

    def leads_to(self, parent: ModuleType, child: ModuleType) -> bool:
        """Follow attributes from one generated module to another, whatever they are called."""
        return self._is_api(parent) and self._is_api(child) and child.__name__ != self.root

    def offers_all(self, module: ModuleType) -> bool:
        """Take everything that a generated module has."""
        return self._is_api(module)

    def declared(self, value: Any) -> list[str]:
        """Give the first name of those that an object is exported under."""
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


def surface() -> Surface:
    """Tell where TensorFlow's public names are."""
    return Surface(
        "tensorflow",
        tensorflow.__version__,
        short="tf",
        packages=("keras",),
        imports=False,
        hidden=HIDDEN,
        later=LATER,
    )
