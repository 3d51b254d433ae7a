"""Tensors of PyTorch on the host, and what has tensors as its parts."""

from __future__ import annotations

from typing import Any

import torch


def on_host(array: Any) -> Any:
    """Return a tensor on the host with its elements in C order, the same one if it is that."""
    if array.is_conj() or array.is_neg():
        array = array.detach().resolve_conj().resolve_neg()
    if array.device.type != "cpu":
        array = array.detach().cpu()
    return array if array.is_contiguous() else array.detach().contiguous()


def parts_of_tensor(value: Any) -> list[tuple[str, Any]] | None:
    """Open a tensor that is no block of elements; None if it cannot be opened.

    Returns
    -------
    list of (str, object)
        The step of the path, and the part: mostly strided tensors.
    """
    if value.layout == torch.sparse_coo:
        value = value.coalesce()
        return [(".indices", value.indices()), (".values", value.values())]
    if value.layout in (torch.sparse_csr, torch.sparse_bsr):
        names = ("crow_indices", "col_indices", "values")
    elif value.layout in (torch.sparse_csc, torch.sparse_bsc):
        names = ("ccol_indices", "row_indices", "values")
    elif value.is_nested:
        return [(f"[{i}]", item) for i, item in enumerate(value.unbind())]
    elif value.is_quantized:
        return [(".int_repr", value.int_repr())]
    elif value.layout == torch.strided:
        return _parts_of_unknown(value)
    else:
        return None
    return [(f".{name}", getattr(value, name)()) for name in names]


def _parts_of_unknown(value: Any) -> list[tuple[str, Any]]:
    """Open a tensor of a dtype that portmeter does not know (float8): its bytes are compared."""
    data = value.detach().contiguous().reshape(-1).view(torch.uint8)
    return [(".dtype", value.dtype), (".shape", list(value.shape)), (".bytes", data)]


def parts_of_optimizer(optimizer: Any) -> list[tuple[str, Any]]:
    """Open an optimizer: its parameters, then its state."""
    parameters = [
        (f".param_groups[{g}]['params'][{i}]", parameter)
        for g, group in enumerate(optimizer.param_groups)
        for i, parameter in enumerate(group["params"])
    ]
    return [*parameters, (".state", optimizer.state_dict()["state"])]
