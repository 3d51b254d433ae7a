"""Records the dtypes and the kinds of the operations that a call dispatches."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils import _python_dispatch, _pytree

from pmdriver import needs

#: What PyTorch says of operations whose result, or its shape, depends on values.
_TAGS = ("data_dependent_output", "dynamic_output_shape")


def can_record() -> bool:
    """Return whether this version of PyTorch lets Python see operations, and their tags."""
    return hasattr(torch, "Tag") and hasattr(_python_dispatch, "TorchDispatchMode")


class Needs(needs.Needs):
    """What was recorded so far."""

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Record what this thread dispatches."""
        with _Mode(self.words):
            yield

    def note(self, value: Any) -> None:
        """Note the tensors in a structure."""
        _add(self.words, value)


def _add(words: set[str], value: Any) -> None:
    for item in _pytree.tree_flatten(value)[0]:
        if isinstance(item, torch.Tensor):
            words.add(str(item.dtype).removeprefix("torch."))


class _Mode(_python_dispatch.TorchDispatchMode):
    def __init__(self, words: set[str]) -> None:
        super().__init__()
        self._words = words

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if any(tag.name in _TAGS for tag in getattr(func, "tags", ())):
            self._words.add("values")
        _add(self._words, (args, kwargs, out))
        return out
