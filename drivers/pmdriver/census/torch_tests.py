"""The tests that PyTorch ships as data: samples for operators, modules and optimizers."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterator
from typing import Any, Callable

import torch

from pmdriver.census import express, items
from pmdriver.census.calls import Candidate

#: How many sample inputs of an operator, a module or an optimizer are tried; of so many of an
#: operator, those with one element come last.
MOST_SAMPLES, MOST_SORTED = 8, 16

#: The parameters that an optimizer gets: its samples have none. Muon takes only matrices.
PARAMETERS = Candidate(
    "[torch.nn.Parameter({0}), torch.nn.Parameter({1})]",
    ("float32[3,4] normal", "float32[2,5] normal"),
    is_made=True,
)

_DTYPES = ("float32", "int64", "bool", "complex64", "float64")


def absence() -> str:
    """Say why the tests cannot be read; empty if they can."""
    if importlib.util.find_spec("expecttest") is None:
        return "the tests of PyTorch need the package expecttest, which the environment lacks"
    return ""


def _dtype(operator: Any) -> Any:
    found = operator.supported_dtypes("cpu")
    for name in _DTYPES:
        if getattr(torch, name) in found:
            return getattr(torch, name)
    return sorted(found, key=str)[0]


def _operator_calls(operator: Any) -> Callable[[Any, Any], Iterator[express.Call]]:
    def make(kit: Any, item: Any) -> Iterator[express.Call]:
        samples = operator.sample_inputs("cpu", _dtype(operator))
        for sample in chosen(list(itertools.islice(samples, MOST_SORTED))):
            try:
                own = express.value(kit, sample.input)
                rest = express.arguments(kit, sample.args, sample.kwargs)
            except express.Cannot:
                continue
            if item.kind == "method":
                yield express.Call(rest, own)
            else:
                yield express.Call([("", own), *rest])

    return make


def chosen(samples: list[Any]) -> list[Any]:
    """Return the samples that are tried; the first one is always among them.

    For a loss, only its targets may be described exactly: ``full(-1)``.
    """
    found = sorted(samples, key=_is_single)[:MOST_SAMPLES]
    if samples and not any(each is samples[0] for each in found):
        found[-1] = samples[0]
    return found


def _is_single(sample: Any) -> bool:
    """Return whether the first input of a sample is an array with at most one element."""
    return isinstance(sample.input, torch.Tensor) and sample.input.numel() <= 1


def _module_calls(module: Any) -> Callable[[Any, Any], Iterator[express.Call]]:
    def make(kit: Any, item: Any) -> Iterator[express.Call]:
        samples = module.module_inputs_func(
            module, device="cpu", dtype=torch.float32, requires_grad=False, training=False
        )
        for sample in itertools.islice(samples, MOST_SAMPLES):
            made, used = sample.constructor_input, sample.forward_input
            if used is None:
                continue
            try:
                yield express.Call(
                    express.arguments(kit, made.args, made.kwargs),
                    None,
                    express.arguments(kit, used.args, used.kwargs),
                )
            except express.Cannot:
                continue

    return make


def _optimizer_calls(optimizer: Any) -> Callable[[Any, Any], Iterator[express.Call]]:
    def make(kit: Any, item: Any) -> Iterator[express.Call]:
        for sample in optimizer.optim_inputs_func(device="cpu")[:MOST_SAMPLES]:
            if sample.params is not None:
                continue
            try:
                settings = express.arguments(kit, (), sample.kwargs)
            except express.Cannot:
                continue
            yield express.Call([("params", PARAMETERS), *settings])

    return make


def _names_of(operator: Any, ids: dict[int, str], wanted: set[str]) -> set[str]:
    """Return the wanted names that the samples of an operator test."""
    found = {ids[id(each)] for each in (operator.op, *_alias_ops(operator)) if id(each) in ids}
    names = [operator.name, *(alias.name for alias in operator.aliases)]
    for name in names:
        for prefix in ("torch.", "torch.Tensor.", "torch.nn.", ""):
            found |= {prefix + name, prefix + name + "_"} & wanted
    return found


def _alias_ops(operator: Any) -> list[Any]:
    return [alias.op for alias in operator.aliases if alias.op is not None]


def makers(wanted: set[str]) -> dict[str, list[Any]]:
    """Return, by name, functions that make calls from samples; each takes the kit and the item.

    Parameters
    ----------
    wanted
        The names for which cases are made.
    """
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_optimizers import optim_db

    ids: dict[int, str] = {}
    for name in sorted(wanted):
        try:
            ids.setdefault(id(items.resolve("torch", "torch", name)[0]), name)
        except items.Unusable:
            continue
    found: dict[str, list[Any]] = {}
    for operator in op_db:
        for name in _names_of(operator, ids, wanted):
            found.setdefault(name, []).append(_operator_calls(operator))
    for module in module_db:
        if id(module.module_cls) in ids:
            name = ids[id(module.module_cls)]
            found.setdefault(name, []).append(_module_calls(module))
    for optimizer in optim_db:
        if id(optimizer.optim_cls) in ids:
            name = ids[id(optimizer.optim_cls)]
            found.setdefault(name, []).append(_optimizer_calls(optimizer))
    return found
