"""The numeric modes of PyTorch: which are on, which are fast, and how to turn the fast ones off."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from pmdriver import host

#: What `torch.get_float32_matmul_precision` returns if products do not round their inputs.
EXACT_MATMUL = "highest"


class Switch(NamedTuple):
    """A numeric mode that is faster and less exact while its switch is true.

    Attributes
    ----------
    name
        The name in reports.
    owner
        The object with the attribute.
    attribute
        The attribute: false is exact. Old versions of PyTorch lack some of them.
    """

    name: str
    owner: Any
    attribute: str

    def is_on(self) -> bool:
        """Return whether the mode is on; False if this version of PyTorch lacks it."""
        try:
            return bool(getattr(self.owner, self.attribute))
        except (AttributeError, AssertionError):  # some owners raise the second before 2.0
            return False


_MATMUL = torch.backends.cuda.matmul

#: The modes of the devices that PyTorch calls cuda, NVIDIA's and AMD's.
CUDA_SWITCHES = (
    Switch("tf32_matmul", _MATMUL, "allow_tf32"),
    Switch("tf32_cudnn", torch.backends.cudnn, "allow_tf32"),
    Switch("fp16_reduced_precision", _MATMUL, "allow_fp16_reduced_precision_reduction"),
    Switch("bf16_reduced_precision", _MATMUL, "allow_bf16_reduced_precision_reduction"),
    Switch("fp16_accumulation", _MATMUL, "allow_fp16_accumulation"),
)


def fast(kind: str) -> list[str]:
    """Name the modes that are on and make a device of this kind faster and less exact."""
    with _quiet():
        found = [switch.name for switch in CUDA_SWITCHES if kind == "cuda" and switch.is_on()]
        if torch.get_float32_matmul_precision() != EXACT_MATMUL:
            found.append("float32_matmul_precision")
    return found


def make_exact() -> None:
    """Turn all fast modes off, in this process."""
    with _quiet():
        torch.set_float32_matmul_precision(EXACT_MATMUL)
        for switch in CUDA_SWITCHES:
            if switch.is_on():
                setattr(switch.owner, switch.attribute, False)


def reported() -> dict[str, Any]:
    """Return the modes and other settings that change results or their speed."""
    with _quiet():
        modes = {
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "onednn": torch.backends.mkldnn.is_available(),
        }
        if hasattr(torch.backends, "cpu"):  # since 2.1
            modes["cpu_capability"] = torch.backends.cpu.get_cpu_capability()
        governor = host.governor()
        if governor:
            modes["governor"] = governor
        if torch.version.cuda or torch.version.hip:
            modes.update((switch.name, switch.is_on()) for switch in CUDA_SWITCHES)
            modes["cudnn_benchmark"] = torch.backends.cudnn.benchmark
            modes["cudnn_deterministic"] = torch.backends.cudnn.deterministic
    return modes


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence warnings: some versions of PyTorch warn about names that they use themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
