"""Records the dtypes and the kinds of the operations that a call dispatches."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch import overrides
from torch.utils import _python_dispatch, _pytree

from pmdriver import needs

#: PyTorch's tags for operations with results, or shapes of results, that depend on values.
_TAGS = ("data_dependent_output", "dynamic_output_shape")

#: Such operations that have no tag: they count the elements that are not 0, join elements at the
#: same indices, or derive a shape from indices.
_UNTAGGED = re.compile(
    r"aten::(_to_sparse\w*|_coalesce|_sparse_sum|sparse_compressed_tensor\.comp_plain_value)(\.|$)"
)

#: Methods that read values without an operation.
_READERS = tuple(getattr(torch.Tensor, name) for name in ("tolist", "numpy", "__array__"))
#: Methods that copy to a device. If the reference is the host, they dispatch no operation.
_MOVERS = (torch.Tensor.to, torch.Tensor.cpu)


def can_record() -> bool:
    """Return whether this version of PyTorch shows operations and their tags to Python."""
    return hasattr(torch, "Tag") and hasattr(_python_dispatch, "TorchDispatchMode")


class Needs(needs.Needs):
    """The needs that were recorded so far."""

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Record the operations that this thread dispatches while the block runs."""
        with contextlib.ExitStack() as stack:
            if hasattr(overrides, "TorchFunctionMode"):
                stack.enter_context(_Methods(self.words))
            stack.enter_context(_Mode(self.words))
            yield

    def note(self, value: Any) -> None:
        """Note the dtypes of the tensors in a structure."""
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
        tagged = any(tag.name in _TAGS for tag in getattr(func, "tags", ()))
        if tagged or _UNTAGGED.match(func.name()):
            self._words.add("values")
        _add(self._words, (args, kwargs, out))
        return out


class _Methods(getattr(overrides, "TorchFunctionMode", object)):  # type: ignore[misc]
    def __init__(self, words: set[str]) -> None:
        super().__init__()
        self._words = words

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        to_host = func is torch.Tensor.cpu or _names_host((*args[1:], *kwargs.values()))
        if func in _READERS or (func in _MOVERS and to_host):
            self._words.add("values")
        return func(*args, **kwargs)


def _names_host(arguments: tuple[Any, ...]) -> bool:
    """Return whether a text names the host; the case's own device is never a text."""
    return any(isinstance(one, str) and one == "cpu" for one in arguments)
