"""JAX: where its public names are."""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402

from pmdriver.surface import Surface  # noqa: E402

#: Modules that are skipped: the first needs a second process, and the other contains only tests.
HIDDEN = ("jax.collect_profile", "jax.experimental.jax2tf.tests")

#: Modules without a page in the documentation, which has their names under other modules.
LATER = ("jax.core.", "jax.api_util.", "jax.util.")

#: The modules with a page in the documentation. A name in several modules belongs to the first.
HOMES = (
    "jax.sharding", "jax.scipy.special", "jax.scipy.cluster.vq", "jax.scipy.fft",
    "jax.scipy.integrate", "jax.scipy.interpolate", "jax.scipy.linalg", "jax.scipy.ndimage",
    "jax.scipy.optimize", "jax.scipy.signal", "jax.scipy.sparse.linalg",
    "jax.scipy.spatial.transform", "jax.scipy.stats", "jax.tree", "jax", "jax.numpy.fft",
    "jax.numpy.linalg", "jax.numpy", "jax.lax.linalg", "jax.lax", "jax.nn.initializers", "jax.nn",
    "jax.random",
    "jax.image", "jax.ops", "jax.tree_util", "jax.flatten_util", "jax.debug",
    "jax.distributed", "jax.dlpack", "jax.dtypes", "jax.export", "jax.ffi", "jax.profiler",
    "jax.ref", "jax.stages", "jax.test_util", "jax.typing",
    "jax.example_libraries.optimizers", "jax.example_libraries.stax",
    "jax.experimental.checkify", "jax.experimental.compilation_cache",
    "jax.experimental.custom_partitioning", "jax.experimental.jet", "jax.experimental.key_reuse",
    "jax.experimental.mesh_utils", "jax.experimental.multihost_utils",
    "jax.experimental.pallas", "jax.experimental.pallas.mosaic_gpu",
    "jax.experimental.pallas.tpu", "jax.experimental.pallas.triton",
    "jax.experimental.serialize_executable", "jax.experimental.sparse", "jax.experimental",
    "jax.extend.backend", "jax.extend.core", "jax.extend.linear_util", "jax.extend.random",
)  # fmt: skip

KINDS = {"jax.Array": "array"}

STUBS = {
    "_src/basearray.pyi": "jax",
    "numpy/__init__.pyi": "jax.numpy",
    "nn/__init__.pyi": "jax.nn",
}

SURFACE = Surface(
    "jax",
    jax.__version__,
    packages=("jaxlib",),
    hidden=HIDDEN,
    later=LATER,
    homes=HOMES,
    kinds=KINDS,
    stubs=STUBS,
)
