"""JAX: where its public names are."""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

from pmdriver.inventory import Surface  # noqa: E402

#: The first needs a second process, the other is made of tests.
HIDDEN = ("jax.collect_profile", "jax.experimental.jax2tf.tests")

SURFACE = Surface("jax", jax.__version__, packages=("jaxlib",), hidden=HIDDEN)
