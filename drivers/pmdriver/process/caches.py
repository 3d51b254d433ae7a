"""Gives each child empty folders for the caches of compilers and libraries.

A cache that survives would make the first call depend on earlier runs. Settings of the user never
count: the driver removes them before it imports the framework, because some libraries read them
during their import. Then the driver sets folders inside its children's folder, once for all
children: the supervisor empties that folder before each child.
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

#: Prefixes of variables that share a cache, or change what a cache stores.
_PREFIXES = (
    "JAX_PERSISTENT_CACHE_",
    "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE",
    "TORCHINDUCTOR_BUNDLED_AUTOTUNE_REMOTE_CACHE",
    "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE",
    "TRITON_DUMP_DIR",
    "TRITON_OVERRIDE_DIR",
    "TRITON_REMOTE_CACHE",
)

#: Variables with flags; flags that contain ``cache`` are removed.
_FLAGS = ("TF_XLA_FLAGS", "XLA_FLAGS", "LIBTPU_INIT_ARGS")


def forget() -> None:
    """Remove every cache setting of the user from the driver's environment."""
    for name in list(os.environ):
        if name in FOLDERS or name.startswith(_PREFIXES):
            del os.environ[name]
    for name in _FLAGS:
        flags = os.environ.get(name, "").split()
        kept = [flag for flag in flags if "cache" not in flag]
        if kept != flags:
            os.environ[name] = " ".join(kept)


def use(folder: str) -> None:
    """Set the environment so that children put caches and temporary files in `folder`.

    The folder is empty; libraries create the folders of their caches. `tempfile` remembers the
    folder of its first use, which may be during the import of the framework, so this is reset.
    """
    os.environ["TMPDIR"] = folder
    if module := sys.modules.get("tempfile"):
        module.tempdir = None
    for name in FOLDERS:
        os.environ[name] = os.path.join(folder, "caches", name.lower())
