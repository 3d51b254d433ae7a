"""Turn recorded calls into cases of the case language (docs/cases.md)."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MOST_ELEMENTS = 1 << 24
"""The most elements of an array in a case: a call with a larger array does not become a case."""

_DTYPE = re.compile(r"bool|u?int(8|16|32|64)|b?float16|float(32|64)|complex(64|128)")
_RANDOM = re.compile(
    r"rand|dropout|multinomial|bernoulli|normal|uniform|exponential_|geometric_|poisson|"
    r"permutation|shuffle|gumbel|truncated|empty|\.init\.|Dropout|categorical|choice"
)
_UNDEFINED = re.compile(r"[._]empty(_|$)|new$|\.resize_$")
_CHANGES = re.compile(
    r"[^_]_$|__setitem__$|__i(add|sub|mul|matmul|truediv|floordiv|mod|pow|and|or|xor|[lr]shift)__$"
)
#: Modules with a first argument that decides whether they change their input array.
_IN_PLACE = re.compile(r"\.(ReLU6?|SELU|SiLU|Mish|Hardswish|Hardsigmoid)$")
_DEFINITE = re.compile(r"cholesky|inv\b|inverse|solve|logdet|slogdet|lu\b|lu_factor|matrix_rank")
_ASSERTS = re.compile(r"assert|testing")
_FILES = re.compile(
    r"^torch\.(load|save|from_file|jit\.(load|save))$|^tf\.io\..*(file|save|load|glob)"
)
_GRADIENTS = re.compile(
    r"\.backward$|autograd\.grad$|GradientTape\.(gradient|jacobian|batch_jacobian)$"
)
_DEVICE = re.compile(r"(cpu|cuda|mps|xpu|xla|hpu|npu)(:\d+)?$")
#: Functions that return a tensor on the host by definition.
_ON_HOST = re.compile(r"torch\.(from_numpy|frombuffer|Tensor\.cpu)$")
#: Functions that make a tensor without input tensors: in a case, on the measured device.
_CREATES = re.compile(
    r"torch\.(zeros|ones|full|empty|rand|randn|randint|randperm|arange|range|linspace|logspace|eye|"
    r"tensor|as_tensor|asarray|scalar_tensor|empty_strided|tril_indices|triu_indices|normal|"
    r"(hann|hamming|blackman|bartlett|kaiser)_window|fft\.r?fftfreq)$"
)


#: What a setup can make once for all calls of a case, because no call changes it: parameters, and
#: modules without statistics, random numbers or weights that a call changes. A compiler compiles
#: for each module, so a case that made the module before each call would time the compiler.
_KEPT = re.compile(
    r"torch\.nn\.(Parameter|Identity|Linear|Bilinear|LSTMCell|GRUCell|RNNCell|LSTM|GRU|RNN|Embedding|"
    r"(Adaptive|Max|Avg|LP|Conv|ConvTranspose|Layer|Group|RMS|LocalResponse)\w*(Pool|Norm|\d[dD])\w*|"
    r"\w*(ReLU6?|ELU|GELU|SiLU|Mish|Softmax|Softplus|Softmin|Softsign|Sigmoid|[Tt]anh|shrink|GLU)|"
    r"\w*Pad[123]d|\w*Loss|(Un)?[Ff]latten|Upsample|Pixel(Uns|S)huffle|CosineSimilarity|"
    r"Sequential|ModuleList)"
)
_MADE = re.compile(r"v\d+ = ([\w.]+)\(")
#: Arguments with which such a module does change: by name, or by position where they may be meant.
_STATES = re.compile(
    r"dropout=(?!0(\.0)?[,)])|max_norm=(?!None)|inplace=True|RReLU|"
    r"\.(Embedding|LSTM|GRU|RNN)\(([^,=]+,){3}|(LU6?|SiLU|Mish|\.Hard\w+)\([^=]*\bTrue\b"
)


class NoCase(Exception):
    """The call does not become a case; the message is the reason."""


class _Writer:
    """Writes the texts of one case."""

    def __init__(self, framework: str, name: str) -> None:
        self.framework = framework
        self.name = name
        self.inputs: dict[str, str] = {}
        self.dtypes: list[str] = []
        self.setup: list[str] = []
        self.modules: list[str] = []
        self.made: dict[str, str] = {}

    def _array(self, dtype: str, shape: list[int], known: Any, where: str = "") -> str:
        if not _DTYPE.fullmatch(dtype):
            raise NoCase(f"the dtype {dtype}")
        if math.prod(shape) > MOST_ELEMENTS:
            raise NoCase("a large array")
        if not where:
            self.dtypes.append(dtype)
        name = f"x{len(self.inputs)}"
        size = ",".join(map(str, shape))
        self.inputs[name] = f"{dtype}[{size}] {self._values(dtype, shape, known)}{where}"
        return name

    def _values(self, dtype: str, shape: list[int], known: Any) -> str:
        if dtype == "bool":
            return "bernoulli(0.5)"
        if "int" in dtype:
            low, high = known if isinstance(known, list) else (0, 1)
            if abs(low) > 1 << 31 or abs(high) >= 1 << 31:
                low, high = 0, 1
            return f"integers({low},{high + 1})"
        square = len(shape) >= 2 and shape[-1] == shape[-2] and shape[-1] > 0
        if square and _DEFINITE.search(self.name):
            return "spd"
        if known == "unit":
            return "uniform(0,1)"
        return "uniform(0.5,2)" if known == "positive" else "normal"

    def text(self, value: Any) -> str:
        """Return the Python text of a described value; add the inputs and setup that it needs."""
        if not isinstance(value, dict):
            return "device" if self._is_device(value) else repr(value)
        if "array" in value:
            return self._array(*value["array"])
        if "host" in value:
            name = self._array(*value["host"], where=" on host")
            return f"{name}.numpy()" if self.framework == "pytorch" else name
        if "parameter" in value:
            made = f"torch.nn.Parameter({self._array(*value['parameter'])})"
            return self._named(made)
        if "variable" in value:
            of = "tf.keras" if value.get("keras") else "tf"
            return self._named(f"{of}.Variable({self._array(*value['variable'])})")
        if "key" in value:
            name = f"x{len(self.inputs)}"
            self.inputs[name] = "key(7)"
            shape = value["key"]
            return self._named(f"jax.random.split({name}, {tuple(shape)})") if shape else name
        if "sparse" in value:
            return self._sparse(value)
        if "dict" in value:
            items = value["dict"]
            if self.framework == "jax" and all(isinstance(key, str) for key, _ in items):
                items = sorted(items, key=lambda item: item[0])  # as jit returns it
            pairs = [f"{self.text(key)}: {self.text(item)}" for key, item in items]
            return "{" + ", ".join(pairs) + "}"
        if "code" in value:
            return str(value["code"])
        if "device" in value:
            return "device"
        if "name" in value:
            return str(value["name"])
        if "slice" in value:
            return f"slice({', '.join(map(self.text, value['slice']))})"
        if "list" in value:
            return f"[{', '.join(map(self.text, value['list']))}]"
        if "repeated" in value:  # one array, repeated, replaces arrays of the same dtype and shape
            item, count = value["repeated"]
            return f"{value['kind']}([{self.text(item)}] * {count})"
        if "tuple" in value:
            items = [self.text(item) for item in value["tuple"]]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if "made" in value:
            return self.object(value)
        raise NoCase("a value that a case cannot make")

    def _sparse(self, value: Any) -> str:
        """Make a sparse matrix with about as many nonzero elements as the recorded one."""
        dtype, shape, _ = value["sparse"]
        if not dtype.startswith("float"):
            raise NoCase(f"a sparse array of {dtype}")
        whole, mask = self._array(dtype, shape, "positive"), f"x{len(self.inputs)}"
        density = min(1.0, value["count"] / max(1, math.prod(shape)))
        self.inputs[mask] = f"bool[{','.join(map(str, shape))}] bernoulli({density:.4g})"
        if value["layout"] == "tf":
            return self._named(f"tf.sparse.from_dense({whole} * tf.cast({mask}, {whole}.dtype))")
        last = "" if value["layout"] == "coo" else f"_{value['layout']}"
        return self._named(f"({whole} * {mask}).to_sparse{last}()")

    def _is_device(self, value: Any) -> bool:
        """Return whether a text names the program's device, which a case replaces with its own."""
        return self.framework == "pytorch" and isinstance(value, str) and bool(_DEVICE.match(value))

    def _named(self, code: str) -> str:
        name = f"v{len(self.setup)}"
        self.setup.append(f"{name} = {code}")
        return name

    def object(self, value: Any) -> str:
        """Make an object as the program did, with its later changes; return its name or text."""
        made, dtype = value["made"], value.get("dtype")
        key = json.dumps([made, value.get("evaluates"), dtype], sort_keys=True)
        if key in self.made:
            return self.made[key]
        if made["name"] == "functools.partial":
            return f"__import__('functools').partial({self.arguments(made)})"
        name = self._named(_call_text(self, made))
        if self.framework == "pytorch" and ".nn." in made["name"]:
            self.modules.append(name)
            if dtype:
                self.setup.append(f"{name}.to({dtype})")
            if value.get("evaluates"):
                self.setup.append(f"{name}.eval()")
        self.made[key] = name
        return name

    def arguments(self, call: Any) -> str:
        """Return the Python text of a call's arguments."""
        words = [self.text(value) for value in call["args"]]
        words += [f"{key}={self.text(value)}" for key, value in call["kwargs"].items()]
        return ", ".join(words)

    def unit(self, call: Any) -> str:
        """Define a compiled function, and the variables that it uses; return the text of a call."""
        words = []
        for value in call["args"]:
            words.append(self.text(value))
            if value.get("state"):
                self._named(f"tf.Variable({words[-1]})")
        self.setup += call["unit"].splitlines()
        return f"unit({', '.join(words)})"


def _creates(call: Any) -> bool:
    """Return whether a call makes a tensor without input tensors, and can get a device."""
    if call["form"] != "function" or not _CREATES.match(call["name"]):
        return False
    values = [*call["args"], *call["kwargs"].values()]
    of_arrays = any(isinstance(value, dict) and "array" in value for value in values)
    return "device" not in call["kwargs"] and not (of_arrays and call["name"] == "torch.normal")


def _call_text(writer: _Writer, call: Any) -> str:
    form, name = call["form"], call["name"]
    if form == "compiled":
        return writer.unit(call)
    if _creates(call):
        call = {**call, "kwargs": {**call["kwargs"], "device": {"device": ""}}}
    if form == "method":
        owner = writer.text(call["self"])
        return f"{owner}.{name.rpartition('.')[2]}({writer.arguments(call)})"
    if form == "instance":
        return f"{writer.text(call['self'])}({writer.arguments(call)})"
    return f"{name}({writer.arguments(call)})"


def case_of(call: Any, number: int) -> dict[str, Any]:
    """Return a case that makes a recorded call.

    Parameters
    ----------
    call
        A signature, as `sites` describes it.
    number
        The number of the case within its function, from 1.

    Raises
    ------
    NoCase
        The call cannot be made from a case.
    """
    name, framework = call["name"], call["framework"]
    if _ASSERTS.search(name):
        raise NoCase("a function that checks values")
    if _FILES.search(name):
        raise NoCase("a function that uses files")
    if _GRADIENTS.search(name):
        raise NoCase("a gradient")
    writer = _Writer(framework, name)
    text = _call_text(writer, call)
    case: dict[str, Any] = {"name": f"recorded {number}"}
    dtypes = {dtype for dtype in writer.dtypes if dtype.startswith(("float", "bfloat", "complex"))}
    dtypes = dtypes or set(writer.dtypes)
    if len(dtypes) == 1:
        (dtype,) = dtypes
        case["dtypes"] = [dtype]
        writer.inputs = {
            key: re.sub(rf"^{dtype}(?=\[(?!.* on host$))", "$dtype", spec)
            for key, spec in writer.inputs.items()
        }
    if writer.inputs:
        case["inputs"] = writer.inputs
    if writer.setup:
        case["setup"] = "\n".join(writer.setup) + "\n"
    if writer.modules and call["form"] == "instance":
        case["modules"] = writer.modules
    case["call"] = text
    if _differentiates(call):
        case["backward"] = True
    fresh = call["form"] != "compiled" and not all(map(_is_kept, writer.setup))
    if _changes(call) or _UNDEFINED.search(name) or fresh:
        case["repeat"] = "fresh"
    if _RANDOM.search(name) or _UNDEFINED.search(name) or call.get("random"):
        case["compare"] = "shape"
    if _ON_HOST.match(name):
        case["host_outputs"] = ["out"]
    if call["form"] == "constructor":
        case["output"] = "type(out).__name__" if _is_object(name) else "out"
    return case


def _is_kept(line: str) -> bool:
    """Return whether no call changes what a line of a setup makes."""
    made = _MADE.match(line)
    if made is None:  # `v0.eval()` or `v0.to(dtype)`
        return True
    return bool(_KEPT.fullmatch(made[1])) and not _STATES.search(line)


def _changes(call: Any) -> bool:
    """Return whether a call changes an array that it gets."""
    made = call["self"].get("made", call) if call["form"] == "instance" else call
    words = made["kwargs"]
    in_place = words.get("inplace") is True or words.get("out") is not None
    if _IN_PLACE.search(made["name"]) and made["args"]:
        in_place = made["args"][0] is True
    return in_place or bool(_CHANGES.search(call["name"]))


def _differentiates(call: Any) -> bool:
    """Return whether the program differentiates by all floating-point inputs, as a case does."""
    last = call["name"].rpartition(".")[2]
    if not call.get("flows") or last.endswith("_") or last == "detach" or _changes(call):
        return False
    arrays: list[Any] = []

    def add(value: Any) -> None:
        if isinstance(value, dict) and "kwargs" in value:  # a call that made an object
            add([value["args"], list(value["kwargs"].values()), value.get("self")])
        elif isinstance(value, dict) and ("array" in value or "parameter" in value):
            arrays.append(value)
        elif isinstance(value, dict):
            for item in value.values():
                add(item)
        elif isinstance(value, list):
            for item in value:
                add(item)

    owner = call.get("self") if call["form"] == "method" else None
    add([call["args"], list(call["kwargs"].values()), owner])
    floats = [item for item in arrays if "float" in (item.get("array") or item["parameter"])[0]]
    return call["form"] == "instance" or all(item.get("gradient") for item in floats)


def _is_object(name: str) -> bool:
    return name.rpartition(".")[2] not in ("Tensor", "Parameter", "Variable")


def file_of(function: str, cases: list[dict[str, Any]]) -> str:
    """Return the text of a case file, as JSON, which is also valid YAML."""
    few = {} if len(cases) > 1 else {"few_core": "the program makes this call only"}
    document = {"function": function, **few, "cases": cases}
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"
