"""The settings of PyTorch for the whole process; each case starts with the same ones."""

from __future__ import annotations

import sys
from typing import Any, Callable

import torch


def _deterministic() -> tuple[bool, bool]:
    warns = torch.is_deterministic_algorithms_warn_only_enabled()
    return torch.are_deterministic_algorithms_enabled(), warns


def _set_deterministic(value: tuple[bool, bool]) -> None:
    torch.use_deterministic_algorithms(value[0], warn_only=value[1])


#: The functions that read and set each setting.
_SETTINGS: tuple[tuple[Callable[[], Any], Callable[[Any], Any]], ...] = (
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.is_grad_enabled, torch._C._set_grad_enabled),
    (torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    (_deterministic, _set_deterministic),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (torch.get_num_threads, torch.set_num_threads),
)


class Settings:
    """The settings of this process at the time of construction."""

    def __init__(self) -> None:
        self._values = [read() for read, _ in _SETTINGS]

    def restore(self) -> None:
        """Restore the settings that have changed."""
        if _has_default_device():
            torch.set_default_device(None)
        for (read, write), value in zip(_SETTINGS, self._values):
            if read() != value:
                write(value)


def _has_default_device() -> bool:
    """Read PyTorch 2's own variable, because `torch.get_default_device` may create a tensor."""
    module = sys.modules.get("torch.utils._device")
    return getattr(module, "CURRENT_DEVICE", None) is not None
