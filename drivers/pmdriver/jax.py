"""JAX: its import and its inventory. It is not measured yet, so there is no ``framework()``."""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

from pmdriver import inventory  # noqa: E402

#: Needs a second process, or is made of tests.
HIDDEN = ("jax.collect_profile", "jax.experimental.jax2tf.tests")


def surface() -> inventory.Surface:
    """Tell where JAX's public names are."""
    return inventory.Surface("jax", jax.__version__, packages=("jaxlib",), hidden=HIDDEN)
