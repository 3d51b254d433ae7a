"""What a census needs to know about PyTorch."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import torch
import torch.overrides

from pmdriver.census import inputs, torch_tests
from pmdriver.census.calls import Candidate, Case, Made, array, by_names, made_texts, texts
from pmdriver.census.judge import HOST_ONLY, Verdict
from pmdriver.census.kit import Kit
from pmdriver.census.signatures import Parameter, of_signature
from pmdriver.census.words import Words

_F34 = "float32[3,4] uniform(0.1,0.9)"


def _made(text: str, *specs: str) -> Candidate:
    return Candidate(text, specs, is_made=True)


def _module(text: str) -> Candidate:
    return Candidate(text, (), is_made=True, is_module=True)


_LINEAR = _module("torch.nn.Linear(4, 4)")

_OBJECTS = by_names({
    "module|model|mod|net|root|base_module": [
        _LINEAR, _module("torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())"),
        _module("torch.nn.Conv2d(3, 3, 3)"),
    ],
    "encoder_layer": [_module("torch.nn.TransformerEncoderLayer(4, 2, dropout=0.0)")],
    "decoder_layer": [_module("torch.nn.TransformerDecoderLayer(4, 2, dropout=0.0)")],
    "modules|models": [Candidate("[torch.nn.Linear(4, 4, device=device)]")],
    "conv": [_module("torch.nn.Conv2d(3, 3, 3).eval()")],
    "bn": [_module("torch.nn.BatchNorm2d(3).eval()")],
    "linear": [_module("torch.nn.Linear(4, 4).eval()")],
    "dense_module": [
        _module("torch.nn.Linear(4, 4).eval()"), _module("torch.nn.BatchNorm2d(3).eval()"),
        _module("torch.nn.Conv1d(3, 3, 3)"), _module("torch.nn.Conv2d(3, 3, 3)"),
        _module("torch.nn.Conv3d(3, 3, 3)"), _module("torch.nn.PReLU()"),
    ],
    "name|tensor_name|parameter_name|target": texts("'weight'"),
    "parameters_and_buffers|parameter_and_buffer_dicts": [
        Candidate("{'weight': {0}, 'bias': {1}}", ("float32[4,4] normal", "float32[4] normal"))
    ],
    "params|parameters": [
        _made("[torch.nn.Parameter({0})]", _F34), _made("[{0}]", _F34),
        *(
            Candidate("[{0}, {1}, {2}, {3}]", tuple(
                f"float32[{sizes}] normal" for sizes in (f"{n},4", f"{n},4", f"{n}", f"{n}")
            )) for n in (4, 12, 16)
        ),
        Candidate("[(torch.nn.Linear(4, 4, device=device), 'weight')]"),
        Candidate("{'a': torch.nn.Parameter({0})}", (_F34,)),
    ],
    "w_ih|w_hh|weight_ih|weight_hh": [
        array(f"float32[{n},4] normal") for n in (4, 12, 16)
    ],
    "b_ih|b_hh|bias_ih|bias_hh": [array(f"float32[{n}] normal") for n in (4, 12, 16)],
    "batch_sizes": [array("int64[2] full(2)")],
    "optimizer|optim": [_made("torch.optim.SGD([torch.nn.Parameter({0})], lr=0.1)", _F34)],
    "schedulers": [
        _made(f"[{each} for o in [torch.optim.SGD([torch.nn.Parameter({{0}})], lr=0.1)]][0]", _F34)
        for each in (
            "[torch.optim.lr_scheduler.ExponentialLR(o, 0.9) for _ in range(2)]",
        )
    ],
    "param_group": [Candidate("{'params': [torch.nn.Parameter({0})]}", (_F34,))],
    "func": [
        *texts("torch.sin", "lambda a: (a * a).sum()", "torch.nn.functional.linear"),
    ],
    "sequence|packed_sequence": [
        _made("torch.nn.utils.rnn.pack_sequence([{0}, {1}])", _F34, "float32[2,4] normal"),
    ],
    "cls": texts("torch.nn.Parameter", "torch.Tensor"),
    "module_cls": texts("torch.nn.Linear"),
    "ndarray": texts("np.arange(4.0)"),
    "state_dict": texts("{own}.state_dict()"), "type": texts("'cpu'"),
    "f": [
        Candidate("(torch.save(torch.ones(3), '$tmp/saved'), '$tmp/saved')[1]", is_made=True),
    ],
    "hook": texts("lambda *a: None", "lambda a: 2 * a"),
    "post_accumulate_grad_hook|callback": texts("lambda *a: None"),
    "pattern": texts("'b c -> (b c)'"),
    "dataset|datasets|data_source": [
        _made("torch.utils.data.TensorDataset({0})", "float32[6,2] normal"),
        _made("[torch.utils.data.TensorDataset({0})]", "float32[6,2] normal"),
    ],
    "sampler": texts("torch.utils.data.SequentialSampler(range(6))"),
    "device|device_type|device_obj": texts("device"),
    "base_dist|base_distribution|p|q|component_distribution|dist": [
        _made("torch.distributions.Normal({0}, {1})", "float32[3] normal",
              "float32[3] uniform(0.5,2)"),
    ],
    "mixture_distribution": [
        _made("torch.distributions.Categorical({0})", "float32[3] uniform(0.1,0.9)")
    ],
    "transform|transforms|parts": texts(
        "torch.distributions.ExpTransform()", "[torch.distributions.ExpTransform()]"
    ),
    "constraint|base_constraint": texts("torch.distributions.constraints.positive"),
    "cseq": texts("[torch.distributions.constraints.positive]"),
    "tseq": texts("[torch.distributions.ExpTransform()]"),
    "stream": made_texts("torch.cpu.Stream()"),
    "loss_fn|criterion": texts("torch.nn.MSELoss()"),
    "layout": texts("torch.strided", "torch.sparse_coo"),
    "memory_format": texts("torch.contiguous_format"),
    "hidden|hx": [
        array("float32[4] uniform(0.1,0.9)"), array(_F34), array("float32[1,3,4] normal"),
        Candidate("({0}, {1})", ("float32[1,3,4] normal",) * 2),
        Candidate("({0}, {1})", (_F34,) * 2),
    ],
    "milestones": texts("[2]"),
    "lr_lambda": texts("lambda epoch: 0.9"),
})  # fmt: skip

_ORDER = (
    "f34", "f44", "f4", "i34", "b34", "f2388", "f238", "c34", "f", "i4", "f234", "u34", "f23888",
    "i", "s44", "g34", "d34", "q34", "r44", "f3", "k44", "h", "n34", "p34", "c2",
)  # fmt: skip

_MORE = {
    "s44": _made("{0}.to_sparse()", "float32[4,4] spd"),
    "r44": _made("{0}.to_sparse_csr()", "float32[4,4] spd"),
    "k44": _made("{0}.to_sparse_csc()", "float32[4,4] spd"),
    "p34": _made(
        "torch.quantize_per_channel({0}, {1}, torch.tensor([0, 0, 0]), 0, torch.quint8)",
        _F34,
        "float64[3] uniform(0.1,0.2)",
    ),
    "n34": _made("torch.nested.nested_tensor([{0}, {1}])", _F34, "float32[2,4] normal"),
    "h34": _made("{0}.detach().requires_grad_() * 1", _F34),
    "h": _made("({0}.detach().requires_grad_() ** 2).sum()", _F34),
    "c2": array("float32[3,2] normal"),
    "g34": _made("{0}.detach().requires_grad_()", _F34),
    "q34": _made("torch.quantize_per_tensor({0}, 0.1, 0, torch.quint8)", _F34),
}

_FUNCTIONS = made_texts(
    "lambda *a: 2 * a[0]", "lambda *a: sum((x ** 3).sum() for x in a)", "lambda *a: tuple(a)",
    "lambda a, b=1: a + b",
    "lambda *a: a[0]",
)  # fmt: skip


#: By function: the arguments that its documentation requires on the host.
_ON_HOST = {
    "tensor_split": ("sections", "indices", "indices_or_sections", "tensor_indices_or_sections"),
    "pack_padded_sequence": ("lengths",),
    "PackedSequence": ("batch_sizes",),
}

#: Why a case of `torch.FloatTensor` and its like does not use the device: "CPU tensor
#: torch.FloatTensor, GPU tensor torch.cuda.FloatTensor"
#: (https://docs.pytorch.org/docs/1.13/tensors.html).
OF_CPU = "the type is that of tensors of the CPU"

#: The type of these types.
_TENSOR_TYPE = type(torch.FloatTensor)

#: Why a case without inputs does not use the device.
NO_DEVICE = "the call has no argument for a device, and its result cannot be moved to one"


class PyTorchKit(Kit):
    """The `Kit` of PyTorch."""

    weights = "[*out.parameters(), *out.buffers()]"

    parts_on_host = {"torch.nn.utils.rnn.PackedSequence": (".batch_sizes",)}
    #: ``tensor(..., device='meta')``, names of types (``torch.cuda.FloatTensor``,
    #: ``torch.cuda.FloatStorage``), and ``cpu``.
    array_text = re.compile(
        r"\btensor\(|\btorch\.(\w+\.)*[A-Z]\w*[a-z0-9](Tensor|Storage)\b|^\"cpu\"\Z"
    )

    prelude = (
        "import math\nimport numpy as np\nimport torch\nimport torch.nn as nn\n"
        "import torch.nn.functional as F\nfrom torch import Tensor, optim, autograd\n"
    )
    uses_of_objects = (
        ("f34",), ("f2388",), ("f238",), ("f23888",), ("f44",), ("i34",), ("f4",), ("f234",),
        ("f34", "f34"), ("f34", "i3"), ("f34", "i34"), ("f34", "f3"), ("f2388", "f2388"),
        ("f234", "f234"), ("f4", "f4"), ("f34", "f34", "f34"), ("f234", "f234", "f234"),
        ("f34", "f34", "f3"),
    )  # fmt: skip

    def __init__(self, framework: Any) -> None:
        dtypes = texts(
            "torch.float64", "torch.float32", "torch.int64", "torch.quint8", "torch.complex64"
        )
        super().__init__(framework, Words(_ORDER, dtypes, _FUNCTIONS, _OBJECTS, _MORE))
        self._stands_for = torch.overrides.get_testing_overrides()

    def signatures(self, name: str, value: Any) -> list[list[Parameter]]:
        """Return the parameters in the operator's schemas and in PyTorch's testing override."""
        found = _schemas(name)
        try:
            stand_in = self._stands_for.get(value)
        except TypeError:
            stand_in = None
        if stand_in is not None:
            found.append(of_signature(inspect.signature(stand_in)))
        return found

    def owners(self, owner: str) -> list[Any]:
        """Return tensors, or candidates for an object of the class."""
        if owner == "torch.Tensor":
            labels = (
                "f34", "f44", "i34", "b34", "f2388", "c34", "f4", "s44", "q34", "f", "r44", "d34",
                "g34", "h34", "h", "k44", "p34", "n34",
            )  # fmt: skip
            return self.words.some(*labels)
        return _OWNERS.get(owner, [])

    def dtype_text(self, value: Any) -> str | None:
        """Return the text of dtypes, layouts, devices and sizes."""
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return str(value)
        if isinstance(value, torch.Size):
            return repr(tuple(value))
        if isinstance(value, torch.device) and value.type == "cpu":
            return "device"
        return None

    def special(self, value: Any) -> Candidate | None:
        """Write the device ``"cpu"`` as ``device``, the target's device."""
        return Candidate("device") if type(value) is str and value == "cpu" else None

    def repaired(self, text: str) -> str:
        """Replace CUDA devices with the host."""
        return text.replace('"cuda"', '"cpu"').replace("'cuda'", "'cpu'").replace(".cuda()", "")

    def is_module(self, value: Any) -> bool:
        """Return whether an object is a `torch.nn.Module`."""
        return isinstance(value, torch.nn.Module)

    def metadata(self, wanted: set[str]) -> dict[str, list[Any]]:
        """Return the samples of the operators and modules that PyTorch tests."""
        return torch_tests.makers(wanted)

    def metadata_absence(self) -> str:
        """Say why the tests cannot be read; empty if they can."""
        return torch_tests.absence()

    def uses(self, value: Any, case: Case) -> Iterator[Case]:
        """Yield a step of an optimizer, and the moments of a distribution, before other uses."""
        if isinstance(value, torch.optim.Optimizer):
            yield from _steps(case)
        if isinstance(value, torch.distributions.Distribution):
            yield case._replace(output="(out.mean, out.variance)")
        if isinstance(value, torch.optim.lr_scheduler.LRScheduler):
            yield from _scheduled(case)
        yield from super().uses(value, case)
        if self.is_module(value):
            yield case._replace(call=f"{case.call}.to(device)")

    def judge(self, case: Case) -> Verdict:
        """Judge a case; a call that makes arrays without inputs makes them on the device."""
        if self._makes_for_cpu(case):
            verdict = super().judge(case._replace(inputs=inputs.all_on_host(case.inputs)))
            return verdict._replace(what=HOST_ONLY, reason=OF_CPU)
        case = case._replace(inputs=_placed(case))
        verdict = super().judge(case)
        if case.inputs or case.modules or verdict.what == HOST_ONLY:
            return verdict
        if "device" in case.call or not case.call.endswith(")"):
            return verdict
        comma = "" if case.call.endswith("()") else ", "
        try:
            return super().judge(case._replace(call=f"{case.call[:-1]}{comma}device=device)"))
        except TypeError:  # it has no such parameter; users move what from_numpy returns
            pass
        try:
            return super().judge(case._replace(call=f"{case.call}.to(device)"))
        except AttributeError:  # an object that makes its arrays on the host, such as SobolEngine
            return verdict._replace(what=HOST_ONLY, reason=NO_DEVICE)

    def _makes_for_cpu(self, case: Case) -> bool:
        """Return whether a case calls a type of tensors of the CPU, such as `torch.FloatTensor`."""
        called, _, rest = case.call.partition("(")
        if not rest or not re.fullmatch(r"torch(\.\w+)+", called):
            return False
        try:
            value = eval(called, self.framework.names())
        except AttributeError:
            return False
        return isinstance(value, _TENSOR_TYPE) and not value.is_cuda


def _placed(case: Case) -> dict[str, str]:
    """Return the inputs; mark as on the host those that the called function requires there."""
    called = case.call.partition("(")[0].rpartition(".")[2]
    names = _ON_HOST.get(called, ())
    return {
        name: f"{text} on host" if name in names and not text.endswith(" on host") else text
        for name, text in case.inputs.items()
    }


def _steps(case: Case) -> Iterator[Case]:
    """Yield cases of an optimizer's step, which compare the parameters after it.

    The parameters have gradients: dense ones first, without and then with a closure, and at last
    sparse ones.
    """
    made = [each for each in case.setup if re.search(r"= \[torch\.nn\.Parameter\(", each)]
    if len(made) != 1:
        return
    own = made[0].partition(" = ")[0]
    names = re.findall(r"torch\.nn\.Parameter\((\w+)\)", made[0])
    shapes = [case.inputs[name].partition(" ")[0] for name in names]
    gradients = [f"gradient{number}" for number in range(1, len(names) + 1)]
    inputs = {**case.inputs, **{g: f"{shape} normal" for g, shape in zip(gradients, shapes)}}
    for form in ("{}", "{}.to_sparse()"):
        given = [f"{own}[{at}].grad = {form.format(g)}" for at, g in enumerate(gradients)]
        setup = (*case.setup, *given, f"optimizer = {case.call}")
        stepped = case._replace(inputs=inputs, setup=setup, call="optimizer.step()", output=own)
        yield stepped
        if form == "{}":
            loss = " + ".join(f"({own}[{at}] * {g}).sum()" for at, g in enumerate(gradients))
            yield stepped._replace(call=f"optimizer.step(lambda: {loss})")


def _scheduled(case: Case) -> Iterator[Case]:
    """Yield the case of two steps of a scheduler, which compares the rates of learning."""
    setup = (*case.setup, f"m = {case.call}", "m.optimizer.step()", "m.step()")
    rates = "[each['lr'] for each in m.optimizer.param_groups]"
    yield case._replace(setup=setup, call="m.step()", output=rates)


_NORMAL = _made(
    "torch.distributions.Normal({0}, {1})", "float32[3] normal", "float32[3] uniform(0.5,2)"
)

_SCHEDULER = _made(
    "torch.optim.lr_scheduler.ExponentialLR(torch.optim.SGD([torch.nn.Parameter({0})], lr=0.1),"
    " 0.9)",
    _F34,
)

_OPTIMIZER = Made(
    Case(
        {"params": "float32[3] normal", "gradient": "float32[3] normal"},
        ("params_made = [torch.nn.Parameter(params)]", "params_made[0].grad = gradient"),
        (),
        "torch.optim.SGD(params_made, lr=0.1)",
    ),
    False,
)

_OWNERS: dict[str, list[Candidate | Made]] = {
    "torch.UntypedStorage": [_made("{0}.untyped_storage()", "float32[4] uniform(0.1,0.9)")],
    "torch.TypedStorage": [_made("{0}.storage()", "float32[4] uniform(0.1,0.9)")],
    "torch.nn.utils.rnn.PackedSequence": [
        _made("torch.nn.utils.rnn.pack_sequence([{0}, {1}])", _F34, "float32[2,4] normal")
    ],
    "torch.optim.lr_scheduler.LRScheduler": [_SCHEDULER],
    "torch.nn.Module": [_LINEAR, _module("torch.nn.BatchNorm1d(4)")],
    "torch.nn.ModuleList": [_module("torch.nn.ModuleList([torch.nn.Linear(4, 4)])")],
    "torch.nn.ModuleDict": [_module("torch.nn.ModuleDict({'a': torch.nn.Linear(4, 4)})")],
    "torch.nn.Sequential": [_module("torch.nn.Sequential(torch.nn.Linear(4, 4))")],
    "torch.distributions.normal.Normal": [_NORMAL],
    "torch.distributions.distribution.Distribution": [_NORMAL],
    "torch.optim.Optimizer": [_OPTIMIZER],
}


def _schemas(name: str) -> list[list[Parameter]]:
    """Return the required parameters of the operator with a function's name, by overload.

    At most six overloads are returned, without those that write to ``out`` or use named dimensions.
    """
    bare = name.rpartition(".")[2]
    for module, prefix in (
        ("torch.linalg.", "linalg_"), ("torch.fft.", "fft_"), ("torch.special.", "special_"),
    ):  # fmt: skip
        if name.startswith(module) and not bare.startswith(prefix):
            bare = prefix + bare
    try:
        schemas = torch._C._jit_get_schemas_for_operator(f"aten::{bare}")
    except RuntimeError:
        return []
    found = []
    for schema in schemas:
        named = any("Dimname" in str(each.type) for each in schema.arguments)
        if "out" in schema.overload_name or named:
            continue
        found.append([
            Parameter(each.name, str(each.type), "kw" if each.kwarg_only else "pos")
            for each in schema.arguments
            if not each.has_default_value()
        ])  # fmt: skip
    return found[:6]


KIT = PyTorchKit
