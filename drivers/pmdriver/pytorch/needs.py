"""Records the dtypes and the kinds of the operations that a call dispatches."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch import overrides
from torch.utils import _python_dispatch, _pytree

from pmdriver import needs

#: PyTorch's tags for operations with results, or shapes of results, that depend on values.
_TAGS = ("data_dependent_output", "dynamic_output_shape")

#: Operations without a tag that depend on values too: they count elements that are not 0, join
#: elements at the same indices, derive a shape from indices, or choose or repeat a function by a
#: value.
_UNTAGGED = re.compile(
    r"(aten::(_to_sparse\w*|_coalesce|_sparse_sum|sparse_compressed_tensor\.comp_plain_value)"
    r"|cond|while_loop\w*)(\.|$)"
)

#: An operation in an exception: 'aten::equal', or 'aten::add.out' with its overload.
_NAMED = re.compile(r"\b(aten::\w+)")

#: Methods that read values without an operation; a text is made while all recording is off.
_READERS = tuple(
    getattr(torch.Tensor, name) for name in ("tolist", "numpy", "__array__", "__repr__")
)
#: Methods that copy to a device. If the reference is the host, they dispatch no operation.
_MOVERS = (torch.Tensor.to, torch.Tensor.cpu)


def _frame_rules() -> Any:
    """Return the module of PyTorch that says which frames Dynamo compiles; None if it cannot."""
    frames = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    needed = ("set_code_exec_strategy", "_FrameExecStrategy", "_FrameAction")
    return frames if all(hasattr(frames, name) for name in needed) else None


_frames = _frame_rules()


def named(message: str) -> list[str]:
    """Return the operations that the first line of an exception names."""
    return sorted(set(_NAMED.findall(message.partition("\n")[0])))


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
            stack.enter_context(_Mode(self))
            yield

    def note(self, value: Any) -> None:
        """Note the dtypes of the tensors in a structure."""
        self.words |= _dtypes(value)


def _tensors(value: Any) -> list[torch.Tensor]:
    return [item for item in _pytree.tree_flatten(value)[0] if isinstance(item, torch.Tensor)]


def _dtypes(value: Any) -> set[str]:
    return {str(item.dtype).removeprefix("torch.") for item in _tensors(value)}


def _counts(arguments: Any, out: Any) -> bool:
    """Return whether values or indices decide how many elements a sparse result has.

    An operation on each element keeps their number, and a concatenation adds the numbers. Another
    number shows that the operation joins elements: it compares their indices. A sparse tensor made
    of dense ones has as many elements as they, or as one of their dimensions.
    """
    given = _tensors(arguments)
    counts = [item._nnz() for item in given if _is_sparse(item)]
    known = {0, sum(counts)}
    if not counts:
        known.update(size for item in given for size in (item.numel(), *item.shape))
    return any(item._nnz() not in known for item in _tensors(out) if _is_sparse(item))


def _memory(structure: Any) -> dict[int, tuple[int, ...]]:
    """Return where the indices and elements of sparse tensors are, by the identity of the tensor.

    An operation that keeps all of them, such as `resize_as_sparse_`, joins no elements.
    """
    return {
        id(item): (item._nnz(), *(part.data_ptr() for part in (item._indices(), item._values())))
        for item in _tensors(structure)
        if item.layout == torch.sparse_coo
    }


def _is_sparse(tensor: torch.Tensor) -> bool:
    return str(tensor.layout).startswith("torch.sparse")


class _Mode(_python_dispatch.TorchDispatchMode):
    #: Without this, PyTorch refuses operators that get functions, such as `torch.cond`.
    supports_higher_order_operators = True

    def __init__(self, found: Needs) -> None:
        super().__init__()
        self._found = found

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        record = _record_beside_dynamo if "torch._dynamo" in sys.modules else _record
        return record(self._found, func, args, kwargs or {})

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return whether PyTorch wraps the method above, so that Dynamo does not compile it.

        The wrapper imports Dynamo at the first call, which takes a second in each child. Where
        possible, the method therefore wraps the recording itself, once Dynamo is imported.
        """
        return _frames is None


def _record(found: Needs, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call an operation, and record it."""
    before = _memory((args, kwargs))
    out = func(*args, **kwargs)
    words = _dtypes((args, kwargs, out))
    tagged = any(tag.name in _TAGS for tag in getattr(func, "tags", ()))
    joins = _counts((args, kwargs), out) and not _memory(out).items() <= before.items()
    if tagged or _UNTAGGED.match(func.name()) or joins:
        words.add("values")
    found.add(func.name().partition(".")[0], words)
    return out


_record_beside_dynamo = torch._disable_dynamo(_record, recursive=True) if _frames else _record
if _frames:
    # Dynamo does not compile the frame of this method, but may compile what the method calls.
    _frames.set_code_exec_strategy(
        _Mode.__torch_dispatch__.__code__,
        _frames._FrameExecStrategy(_frames._FrameAction.SKIP, _frames._FrameAction.DEFAULT),
    )


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
