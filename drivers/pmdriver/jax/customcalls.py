"""Lists the custom calls that each platform has.

A custom call is lowered by its name alone: only the platform that runs it detects whether a library
has this name. So a module for a TPU may name a routine of LAPACK, which no TPU has.

The names are those of JAX 0.10.2 (``_CUSTOM_CALL_TARGETS_GUARANTEED_STABLE`` and the lists above
it, which name the platform of each), and those that its rules for Triton, Mosaic and cuDNN use:
https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/export/_export.py
https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/pallas/triton/pallas_call_registration.py
https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/cudnn/fused_attention_stablehlo.py
"""

from __future__ import annotations

#: Prefixes of the names of custom calls, by JAX's name of the platform.
OF_PLATFORM = {
    "cpu": ("lapack_", "blas_"),
    "cuda": (
        "cu_", "cuda_", "cusolver_", "cusparse_", "cublas_", "cudnn", "__cudnn", "__cublas",
        "__gpu$", "triton_kernel_call", "mosaic_gpu",
    ),
    "rocm": (
        "hip_", "hipsolver_", "hipsparse_", "hipblas_", "rocm_", "__gpu$", "triton_kernel_call",
    ),
    "tpu": (
        "Eigh", "Qr", "ProductOfElementaryHouseholderReflectors", "LuDecomposition", "ApproxTopK",
        "stablehlo.dynamic_approx_top_k", "tpu_custom_call",
    ),
}  # fmt: skip

#: Prefixes of the custom calls that XLA itself replaces, on every platform.
OF_ALL = (
    "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement",
    "AllocateBuffer", "shape_assertion", "stablehlo.", "mhlo.", "chlo.", "xla.sdy.",
)  # fmt: skip


def lacking(platform: str, names: list[str]) -> list[str]:
    """Name the custom calls that only other platforms have."""
    return [name for name in names if not _is_of(platform, name) and _is_of_any(name)]


def unknown(platform: str, names: list[str]) -> list[str]:
    """Name the custom calls that are on no list."""
    return [name for name in names if not _is_of(platform, name) and not _is_of_any(name)]


def _is_of(platform: str, name: str) -> bool:
    return name.startswith((*OF_PLATFORM.get(platform, ()), *OF_ALL))


def _is_of_any(name: str) -> bool:
    return any(name.startswith(names) for names in OF_PLATFORM.values())
