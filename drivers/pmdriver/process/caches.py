"""Gives each child an empty folder for whatever compilers and libraries keep between processes.

A cache that survives would make the first call depend on what was measured before, here or by the
user. What the user has set never counts: the driver forgets it before the framework is imported,
because some libraries read it at their import. Then it names folders within that of its children,
once for all of them: the supervisor empties that folder before each child.
"""

from __future__ import annotations

import os
import sys

#: Variables that name a folder.
FOLDERS = (
    "AMD_COMGR_CACHE_DIR",
    "CUDA_CACHE_PATH",
    "CUPY_CACHE_DIR",
    "JAX_COMPILATION_CACHE_DIR",
    "MIOPEN_CUSTOM_CACHE_DIR",
    "MIOPEN_USER_DB_PATH",
    "NEURON_COMPILE_CACHE_URL",
    "NUMBA_CACHE_DIR",
    "SYCL_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "TORCH_EXTENSIONS_DIR",
    "TRITON_CACHE_DIR",
    "XLA_PERSISTENT_CACHE_PATH",
)

#: How the names begin of variables that share a cache, or change what is kept in one.
_PREFIXES = (
    "JAX_PERSISTENT_CACHE_",
    "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE",
    "TORCHINDUCTOR_BUNDLED_AUTOTUNE_REMOTE_CACHE",
    "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE",
    "TRITON_DUMP_DIR",
    "TRITON_OVERRIDE_DIR",
    "TRITON_REMOTE_CACHE",
)

#: Variables with flags; those flags that have to do with a cache are removed.
_FLAGS = ("TF_XLA_FLAGS", "XLA_FLAGS", "LIBTPU_INIT_ARGS")


def forget() -> None:
    """Forget, in the driver, every cache that the user has set."""
    for name in list(os.environ):
        if name in FOLDERS or name.startswith(_PREFIXES):
            del os.environ[name]
    for name in _FLAGS:
        flags = os.environ.get(name, "").split()
        kept = [flag for flag in flags if "cache" not in flag]
        if kept != flags:
            os.environ[name] = " ".join(kept)


def use(folder: str) -> None:
    """Put, in the driver, its children's caches and temporary files into `folder`, their own.

    Nothing is in it yet; libraries make the folders of their caches. `tempfile` remembers the
    folder of its first use, which may be during the import of the framework.
    """
    os.environ["TMPDIR"] = folder
    if module := sys.modules.get("tempfile"):
        module.tempdir = None
    for name in FOLDERS:
        os.environ[name] = os.path.join(folder, "caches", name.lower())
