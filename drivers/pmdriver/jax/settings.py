"""The settings of JAX for the whole process; each case starts with the same ones."""

from __future__ import annotations

from typing import Any

import jax

#: Element types that JAX turns into smaller ones, without an error, unless 64-bit types are on.
WIDE = ("int64", "uint64", "float64", "complex128")

X64 = "jax_enable_x64"


class Settings:
    """The configuration of JAX in this process at the time of construction."""

    def __init__(self) -> None:
        self._values = dict(jax.config.values)

    def restore(self, wide: bool) -> None:
        """Restore the settings that have changed.

        Parameters
        ----------
        wide
            Whether 64-bit types are on. JAX caches the code that it compiles with and without them
        separately.
        """
        wanted = {**self._values, X64: wide}
        for name, value in jax.config.values.items():
            if name in wanted and value != wanted[name]:
                jax.config.update(name, wanted[name])


def keep_compiled(folder: str) -> None:
    """Store all compiled code in `folder`, and reuse what other processes stored there."""
    wanted = {
        "jax_compilation_cache_dir": folder,
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in wanted.items():
        if name in jax.config.values:  # some versions lack some of them
            jax.config.update(name, value)


def is_wide(job: dict[str, Any]) -> bool:
    """Return whether the dtype of a job, or that of an input on the device, is one of `WIDE`.

    Host data does not count: NumPy's indices are int64, whatever they select from.
    """
    inputs = job.get("inputs") or (job.get("series") or [[]])[0]
    dtypes = [spec.get("dtype") for spec in inputs if not spec.get("host")]
    return any(dtype in WIDE for dtype in [job.get("dtype"), *dtypes])
