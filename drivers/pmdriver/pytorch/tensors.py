"""Tensors of PyTorch on the host, and the parts of objects that contain tensors."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import torch

from pmdriver.failure import HarnessFault
from pmdriver.framework import Framework
from pmdriver.job import leaves, plain

#: Devices on which a tensor with elements has an address other than 0.
_WITH_ADDRESSES = ("cpu", "cuda", "mps", "xpu")

_MEMORY_FORMATS = (torch.contiguous_format, torch.channels_last, torch.channels_last_3d)

#: The methods that return the parts of a sparse tensor, in the order of a constructor's arguments.
_PARTS_OF_SPARSE = {
    getattr(torch, layout): methods
    for layout, methods in (
        ("sparse_coo", ("_indices", "_values")),
        ("sparse_csr", ("crow_indices", "col_indices", "values")),
        ("sparse_bsr", ("crow_indices", "col_indices", "values")),
        ("sparse_csc", ("ccol_indices", "row_indices", "values")),
        ("sparse_bsc", ("ccol_indices", "row_indices", "values")),
    )
    if hasattr(torch, layout)
}

_MASKED = getattr(getattr(torch, "masked", None), "MaskedTensor", ())


def on_host(array: Any) -> Any:
    """Return a tensor on the host with its elements in C order; the same object if possible.

    Raises
    ------
    HarnessFault
        The elements are not in memory, so nothing may be read at the tensor's address.
    """
    _check_memory(array)
    if array.is_conj() or array.is_neg():
        array = array.detach().resolve_conj().resolve_neg()
    if array._is_zerotensor():
        array = array.detach().clone()
    if array.device.type != "cpu":
        array = array.detach().cpu()
        _check_memory(array)
    return array if array.is_contiguous() else array.detach().contiguous()


def moved(array: Any, device: Any) -> Any:
    """Return a tensor on a device; a sparse one keeps its number of elements also on ``meta``."""
    if torch.device(device).type != "meta" or array.layout not in _PARTS_OF_SPARSE:
        return array.to(device)
    parts = [getattr(array, name)().to(device) for name in _PARTS_OF_SPARSE[array.layout]]
    if array.layout == torch.sparse_coo:
        made = torch.sparse_coo_tensor(*parts, tuple(array.shape))
        return made._coalesced_(array.is_coalesced())
    return torch.sparse_compressed_tensor(*parts, tuple(array.shape), layout=array.layout)


def _coalesced(array: Any) -> Any:
    """Return a sparse tensor with one element for each place.

    Raises
    ------
    HarnessFault
        The device cannot do that, which says nothing about the function that returned the tensor.
    """
    try:
        return array.coalesce()
    except NotImplementedError as error:
        raise HarnessFault(
            "portmeter cannot read a sparse tensor that is not coalesced on this device, because "
            "coalesce() is not implemented there: return a dense tensor"
        ) from error


def _unbound(array: Any) -> Any:
    """Return the tensors in a nested tensor.

    Raises
    ------
    HarnessFault
        The sizes of the tensors are values, which the device does not have. This says nothing
        about the function that returned the nested tensor.
    """
    try:
        return array.unbind()
    except NotImplementedError as error:
        raise HarnessFault(
            "portmeter cannot read a nested tensor on this device, because its sizes are values, "
            "which the device does not have: return a plain tensor"
        ) from error


def _check_memory(array: Any) -> None:
    """Verify that the elements of a tensor are inside its storage, and that the storage has memory.

    This is not so for a fake tensor, a wrapper around other tensors, a tensor that `torch.func`
    passes to a function, or a tensor with a storage that was shrunk.
    """
    if array.device.type not in _WITH_ADDRESSES or not array.numel() or array._is_zerotensor():
        return
    last = sum((size - 1) * step for size, step in zip(array.shape, array.stride()))
    needed = (array.storage_offset() + last + 1) * array.element_size()
    try:
        missing = not array.data_ptr() or _storage_of(array).nbytes() < needed
    except RuntimeError:
        missing = True
    if missing:
        raise HarnessFault(
            f"portmeter cannot read type {plain.type_name(array)}, which has no memory of its own: "
            "return a plain tensor"
        )


def _storage_of(array: Any) -> Any:
    return array.untyped_storage() if hasattr(array, "untyped_storage") else array.storage()


def is_wrapper(value: Any) -> bool:
    """Return whether a tensor consists of other tensors, which it names."""
    return type(value) is not torch.Tensor and (
        isinstance(value, _MASKED) or hasattr(value, "__tensor_flatten__")
    )


def kind_of(array: Any, formats: bool, own: type = torch.Tensor) -> str:
    """Name the class of a strided tensor; an empty text for the device's own class.

    Parameters
    ----------
    array
        The tensor.
    formats
        Also name the device's own class, and the memory formats in which the elements are
        contiguous.
    own
        The class of the device's tensors, which some back ends derive from `torch.Tensor`.
    """
    is_own = type(array) in (torch.Tensor, own)
    if not formats:
        return "" if is_own else plain.type_name(array)
    found = [str(each) for each in _MEMORY_FORMATS if array.is_contiguous(memory_format=each)]
    name = plain.type_name(torch.empty(0)) if is_own else plain.type_name(array)
    return ", ".join([name, *(found or ["no memory format"])])


def parts_of_tensor(value: Any) -> list[tuple[str, Any]] | None:
    """Open a tensor that is not one block of elements; None if it cannot be opened.

    Returns
    -------
    list of (str, object)
        The step of the path, and the part: mostly strided tensors.
    """
    if is_uninitialized(value):
        return None
    if isinstance(value, _MASKED):
        return _parts_of_masked(value)
    if value.is_nested:
        items = [(f"[{i}]", item) for i, item in enumerate(_unbound(value))]
        return [(".layout", value.layout), *items]
    if value.is_quantized:
        return _parts_of_quantized(value)
    if is_wrapper(value):
        return _parts_of_wrapper(value)
    if value.layout == torch.strided:
        return _parts_of_unknown(value)
    state: list[tuple[str, Any]] = []
    if value.layout == torch.sparse_coo:
        state = [(".is_coalesced()", value.is_coalesced())]
        value = _coalesced(value)
        names: tuple[str, ...] = ("indices", "values")
    elif value.layout in (torch.sparse_csr, torch.sparse_bsr):
        names = ("crow_indices", "col_indices", "values")
    elif value.layout in (torch.sparse_csc, torch.sparse_bsc):
        names = ("ccol_indices", "row_indices", "values")
    else:
        names = ("to_dense",)
    parts = [(f".{name}", getattr(value, name)()) for name in names]
    return [(".layout", value.layout), (".shape", value.shape), *state, *parts]


def is_uninitialized(value: Any) -> bool:
    """Return whether a tensor, a parameter or buffer of a lazy module, has no shape yet."""
    return isinstance(value, torch.nn.parameter.UninitializedTensorMixin)


def _parts_of_masked(value: Any) -> list[tuple[str, Any]]:
    """Open a masked tensor: its mask, and its elements, with 0 for masked ones if it is strided."""
    if value.layout == torch.strided:
        elements = (".to_tensor(0)", value.to_tensor(0))
    else:
        elements = (".get_data()", value.get_data())
    return [elements, (".get_mask()", value.get_mask())]


def _parts_of_wrapper(value: Any) -> list[tuple[str, Any]]:
    """Open a tensor that wraps others: the inner tensors, and its dtype, shape and context."""
    names, context = value.__tensor_flatten__()
    inner = [(f".{name}", getattr(value, name)) for name in names]
    about = [(".dtype", value.dtype), (".shape", list(value.shape)), (".context", context)]
    return [*about, *inner]


def _parts_of_quantized(value: Any) -> list[tuple[str, Any]]:
    """Open a quantized tensor: its integers, and the parameters of its scheme."""
    scheme = value.qscheme()
    parts = [(".int_repr", value.int_repr()), (".dtype", value.dtype), (".qscheme", scheme)]
    if scheme in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        names: tuple[str, ...] = ("q_scale", "q_zero_point")
    else:
        names = ("q_per_channel_scales", "q_per_channel_zero_points", "q_per_channel_axis")
    return [*parts, *((f".{name}", getattr(value, name)()) for name in names)]


def _parts_of_unknown(value: Any) -> list[tuple[str, Any]]:
    """Open a tensor of a dtype that portmeter does not know (float8): its bytes are compared."""
    data = value.detach().contiguous().reshape(-1).view(torch.uint8)
    return [(".dtype", value.dtype), (".shape", list(value.shape)), (".bytes", data)]


def parts_of_storage(storage: Any, known: Container[Any]) -> list[tuple[str, Any]]:
    """Open a storage: its bytes or, if it has a dtype, its dtype and its elements.

    Parameters
    ----------
    storage
        An untyped or typed storage.
    known
        The dtypes that portmeter knows; for another dtype, the elements are bytes.
    """
    untyped = getattr(storage, "_untyped_storage", storage)
    if untyped is storage:
        return [(".bytes", _elements(storage, torch.uint8))]
    dtype = storage.dtype
    elements = _elements(untyped, dtype if dtype in known else torch.uint8)
    return [(".dtype", dtype), (".elements", elements)]


def _elements(storage: Any, dtype: Any) -> Any:
    return torch.empty(0, dtype=dtype, device=storage.device).set_(storage)


def parts_of_optimizer(optimizer: Any) -> list[tuple[str, Any]]:
    """Open an optimizer: its parameters and the settings of each group, then its state."""
    parts: list[tuple[str, Any]] = []
    for g, group in enumerate(optimizer.param_groups):
        at = f".param_groups[{g}]"
        parts += [(f"{at}['params'][{i}]", item) for i, item in enumerate(group["params"])]
        parts += [(f"{at}[{key!r}]", item) for key, item in group.items() if key != "params"]
    return [*parts, (".state", optimizer.state_dict()["state"])]


def parts_of_module(module: Any, framework: Framework) -> list[tuple[str, Any]]:
    """Open a module: parameters and buffers, then the class and settings of each inner module.

    Settings are the public attributes that are plain values or arrays: ``p`` of a dropout,
    ``eps``, ``training``.
    """
    state = module.state_dict(keep_vars=True)
    parts = [(f".{key}", item) for key, item in state.items()]
    parts += [(f".{name}", item) for name, item in module.named_buffers() if name not in state]
    for name, inner in module.named_modules():
        at = f".{name}" if name else ""
        if name:
            parts.append((f"{at}.__class__", type(inner)))
        parts += [
            (f"{at}.{key}", item)
            for key, item in vars(inner).items()
            if not key.startswith("_")
            and (framework.is_array(item) or leaves.is_plain(item, framework))
        ]
    return parts
