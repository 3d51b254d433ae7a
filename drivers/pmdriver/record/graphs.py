"""Write a function that a program compiles with `tf.function` as a graph without its names.

The graph of the traced function (a GraphDef) says everything that it computes. Names of the program
and arrays of constants are removed from it: the arrays become parameters, as do the elements that
the graph takes from an iterator. The text imports the graph, and gives the variables their values
before each call, so that each call does the same.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
import sys
import zlib
from collections.abc import Iterable
from typing import Any, Callable

from pmdriver.record.values import Unknown, number_class, number_range

MOST_TEXT = 1 << 18
"""The most characters of a unit's text: the cases of 40 units fit into a case file."""

MOST_INTEGERS = 16
"""Constants with at most this many integers are kept: in a graph, they are sizes and axes."""

#: Attributes whose name begins with "_" that change what a graph computes, or how.
_KEPT = ("_XlaMustCompile", "_lower_using_switch_merge", "_num_original_outputs")
_RANDOM = re.compile(r"^(Random|Multinomial|TruncatedNormal|ParameterizedTruncatedNormal)")
_PYTHON = re.compile(r"PyFunc|PyFuncStateless$")
_ITERATOR = "IteratorGetNext"
_EMPTY_NAMES = ("shared_name", "container")


class Graph:
    """A traced function.

    Attributes
    ----------
    text
        Defines a function ``unit``.
    parameters
        The descriptions of its parameters.
    is_random
        Whether its results depend on the calls before.
    """

    def __init__(self, concrete: Any, leaves: list[Any], compiles: bool, batch: Any) -> None:
        tf = sys.modules["tensorflow"]
        self.parameters: list[Any] = []
        self.is_random = False
        self._feeds: list[tuple[str, str]] = []
        self._variables: list[tuple[str, Any]] = []
        self._batch = batch
        graph = concrete.graph
        outputs = _results(graph)
        ends = [name.rpartition(":")[0] for name in outputs]
        ends += [op.name for op in graph.control_outputs]
        self._proto = proto = graph.as_graph_def()
        _prune(proto, ends)
        _cut_iterators(tf, proto, self._element)
        self._take_inputs(graph, leaves)
        for node in list(proto.node):
            self._take_node(tf, node)
        for function in proto.library.function:
            for node in function.node_def:
                self._check(node)
                if node.op == "Const" and not _is_plain(tf, node):
                    raise Unknown("compiles a constant array within an inner function")
        self.text = self._write(tf, outputs, _assigned(proto), compiles)
        if len(self.text) > MOST_TEXT:
            raise Unknown("a large compiled function")

    def arguments(self, describe: Callable[[Any], Any], leaves: list[Any]) -> list[Any]:
        """Return the descriptions of the parameters of ``unit``."""
        return self.parameters

    # ---- what the graph gets ---------------------------------------------------------------------

    def _take_inputs(self, graph: Any, leaves: list[Any]) -> None:
        captures = {id(inner): outer for outer, inner in graph.captures}
        handles = {id(variable.handle): variable for variable in graph.variables}
        arguments = [id(tensor) for tensor in graph.inputs if id(tensor) not in captures]
        fits = len(arguments) == len(leaves)
        used = {node.name for node in self._proto.node}
        for tensor in graph.inputs:
            if tensor.op.name not in used:
                continue
            outer = captures.get(id(tensor))
            if outer is None:
                leaf = leaves[arguments.index(id(tensor))] if fits else None
                self._argument(tensor, leaf)
            elif tensor.dtype.name == "resource":
                variable = handles.get(id(outer))
                if variable is None:
                    raise Unknown("compiles a resource other than a variable")
                self._variable(tensor.name, variable)
            else:
                self._parameter(tensor.name, outer.dtype.name, outer.shape.as_list(), None)

    def _argument(self, tensor: Any, leaf: Any) -> None:
        if tensor.dtype.name == "resource":
            raise Unknown("compiles an argument that is a resource")
        found = leaf.get("array") or leaf.get("host") if isinstance(leaf, dict) else None
        known = None
        if found is not None and tensor.shape.is_compatible_with(found[1]):
            shape, known = found[1], found[2]
        elif type(leaf) in (bool, int, float) and tensor.shape.rank in (0, None):
            shape = []
            known = [leaf, leaf] if type(leaf) is int else number_class(float(leaf), float(leaf))
        else:
            shape = self._whole(tensor.shape)
        self._parameter(tensor.name, tensor.dtype.name, shape, known)

    def _whole(self, shape: Any) -> list[int]:
        """Return a shape of which only the size of the batch may be unknown."""
        sizes = [None] if shape.rank is None else shape.as_list()
        if sizes and sizes[0] is None and self._batch:
            sizes = [self._batch, *sizes[1:]]
        if shape.rank is None or None in sizes:
            raise Unknown("an unknown shape")
        return sizes

    def _parameter(self, name: str, dtype: str, shape: list[int], known: Any) -> None:
        if dtype in ("string", "resource", "variant"):
            raise Unknown(f"a tensor of {dtype}")
        self._feeds.append((name, f"a{len(self.parameters)}"))
        self.parameters.append({"array": [dtype, shape, known]})

    def _variable(self, name: str, variable: Any) -> None:
        shape = variable.shape.as_list()
        known = number_range(variable.numpy(), variable.dtype.name)
        self._variables.append((name, variable.dtype.name))
        self._feeds.append((name, ""))
        self.parameters.append({"array": [variable.dtype.name, shape, known], "state": True})

    def _element(self, name: str, dtype: str, shape: Any) -> None:
        """Make a parameter of a part of an element of data."""
        self._parameter(f"{name}:0", dtype, self._whole(shape), None)

    def _take_node(self, tf: Any, node: Any) -> None:
        """Make a parameter of a constant array."""
        self._check(node)
        if node.op == "Const" and not _is_plain(tf, node):
            array = tf.make_ndarray(node.attr["value"].tensor)
            if f"{node.name}:0" not in dict(self._feeds):
                dtype = tf.as_dtype(node.attr["dtype"].type).name
                known = number_range(array, dtype)
                self._parameter(f"{node.name}:0", dtype, list(array.shape), known)

    def _check(self, node: Any) -> None:
        if _PYTHON.search(node.op):
            raise Unknown("compiles a function of Python")
        if node.op == "Const" and node.attr["dtype"].type == 7:
            raise Unknown("compiles a text")
        self.is_random = self.is_random or bool(_RANDOM.match(node.op))

    # ---- the text --------------------------------------------------------------------------------

    def _write(self, tf: Any, outputs: list[str], changed: set[str], compiles: bool) -> str:
        names = _Names(self._proto)
        fed = [names.nodes[key.rpartition(":")[0]] for key, _ in self._feeds]
        names.replace()
        used = _remove(self._proto, {node.name for node in fed}, map(names.tensor, outputs))
        data = self._proto.SerializeToString(deterministic=True)
        packed = base64.b85encode(zlib.compress(data, 9)).decode()
        state = [f"v{number}" for number in range(len(self._variables))]
        words, feeds, first, at = [], [], [], 0
        for number, (key, word) in enumerate(self._feeds):
            words.append(f"a{number}")
            value = words[-1]
            if not word:
                value = f"here({state[at]}.handle)"
                if self._variables[at][0] in changed:
                    first.append(f"    {state[at]}.assign({words[-1]})")
                at += 1
            if names.tensor(key) in used:
                feeds.append(f"{names.tensor(key)!r}: {value}")
        results = ", ".join(repr(names.tensor(name)) for name in outputs)
        shown = [name for name, (key, _) in zip(state, self._variables) if key in changed]
        return "\n".join([
            "import base64, zlib",
            "from tensorflow.python.eager import context",
            f"packed = {packed!r}",
            "graph = tf.compat.v1.GraphDef.FromString(zlib.decompress(base64.b85decode(packed)))",
            "for function in graph.library.function:",
            "    context.context().add_function_def(function)",
            f"def compiled({', '.join(words)}):",
            *first,
            "    here = tf.compat.v1.get_default_graph().capture",
            f"    feeds = {{{', '.join(feeds)}}}",
            f"    out = tf.graph_util.import_graph_def(graph, feeds, [{results}], name='unit')",
            f"    return out, [{', '.join(f'{name}.read_value()' for name in shown)}]",
            f"unit = tf.function(compiled, autograph=False, jit_compile={compiles or None})",
            "",
        ])  # fmt: skip


def _results(graph: Any) -> list[str]:
    """Return the names of the tensors that a traced function returns, without handles and texts.

    Keras returns its results as an optional value, which has a handle.
    """
    found = []
    for tensor in graph.outputs:
        op = tensor.op
        while tensor.dtype.name == "variant" and op.type == "Identity":
            op = op.inputs[0].op
        parts = op.inputs if op.type == "OptionalFromValue" else [tensor]
        found += [t.name for t in parts if t.dtype.name not in ("resource", "variant", "string")]
    if not found:
        raise Unknown("a compiled function without a result")
    return found


def _set_nodes(proto: Any, nodes: list[Any]) -> None:
    copies = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del proto.node[:]
    proto.node.extend(copies)


def _prune(proto: Any, ends: list[str]) -> None:
    """Remove the nodes that none of the nodes `ends` needs."""
    nodes = {node.name: node for node in proto.node}
    needed: set[str] = set()
    left = list(ends)
    while left:
        name = left.pop()
        if name not in needed:
            needed.add(name)
            left += [word.lstrip("^").partition(":")[0] for word in nodes[name].input]
    _set_nodes(proto, [node for node in proto.node if node.name in needed])


def _cut_iterators(tf: Any, proto: Any, take: Callable[[str, str, Any], None]) -> None:
    """Replace what takes the next element of data by placeholders; pass each to `take`."""
    taken = {node.name: node for node in proto.node if node.op == _ITERATOR}
    if not taken:
        return
    handles = {name for node in taken.values() for name in node.input}
    kept = [node for node in proto.node if node.name not in taken and node.name not in handles]
    new: list[Any] = []
    for node in taken.values():
        shapes, kinds = node.attr["output_shapes"].list.shape, node.attr["output_types"].list.type
        for at, (shape, kind) in enumerate(zip(shapes, kinds)):
            made = type(node)(name=f"{node.name}/part{at}", op="Placeholder")
            made.attr["dtype"].type = kind
            new.append(made)
            take(made.name, tf.as_dtype(kind).name, tf.TensorShape(shape))
    for node in kept:
        words = []
        for word in node.input:
            name, _, at = word.partition(":")
            if name.lstrip("^") not in taken:
                words.append(word)
            elif not name.startswith("^"):
                words.append(f"{name}/part{at or 0}")
        del node.input[:]
        node.input.extend(words)
    _set_nodes(proto, [*new, *kept])


def _remove(proto: Any, gone: set[str], outputs: Iterable[str]) -> set[str]:
    """Remove nodes whose values come from parameters; return which of their tensors are used.

    A compiler refuses a placeholder, even one whose value nothing uses.
    """
    used = {name for name in outputs if name.partition(":")[0] in gone}
    kept = [node for node in proto.node if node.name not in gone]
    for node in kept:
        words = [word for word in node.input if word.lstrip("^") == word or word[1:] not in gone]
        names = (word.partition(":") for word in words)
        used |= {f"{name}:{output or 0}" for name, _, output in names if name in gone}
        del node.input[:]
        node.input.extend(words)
    _set_nodes(proto, kept)
    return used


def _is_plain(tf: Any, node: Any) -> bool:
    """Return whether a constant is one number, equal numbers, or a few integers."""
    tensor = node.attr["value"].tensor
    count = math.prod(dim.size for dim in tensor.tensor_shape.dim)
    if count <= 1:
        return True
    array = tf.make_ndarray(tensor)
    return bool((array == array.flat[0]).all()) or (
        array.dtype.kind == "i" and count <= MOST_INTEGERS
    )


def _assigned(proto: Any) -> set[str]:
    """Return the inputs, as tensors, that hold variables which the graph may change."""
    reads = ("ReadVariableOp", "VariableShape", "ResourceGather", "ResourceGatherNd")
    found = set()
    resources = {
        node.name for node in proto.node
        if node.op == "Placeholder" and node.attr["dtype"].type == 20
    }  # fmt: skip
    for node in proto.node:
        if node.op not in reads:
            found |= {f"{name.partition(':')[0]}:0" for name in node.input}
    return {name for name in found if name[:-2] in resources}


class _Names:
    """Replaces the names in a graph: of nodes, of inner functions, and of their arguments."""

    def __init__(self, proto: Any) -> None:
        self._proto = proto
        self.nodes = {node.name: node for node in proto.node}
        self._new = {name: f"n{number}" for number, name in enumerate(self.nodes)}
        library = proto.library.function
        # A process has one function with a name, so that each unit has other names.
        unit = hashlib.sha256(proto.SerializeToString(deterministic=True)).hexdigest()[:12]
        names = (f.signature.name for f in library)
        self._functions = {name: f"f{number}_{unit}" for number, name in enumerate(names)}

    def tensor(self, name: str) -> str:
        """Return the new name of a tensor."""
        node, _, output = name.partition(":")
        return f"{self._new[node]}:{output or 0}"

    def replace(self) -> None:
        """Replace all names."""
        for node in self._proto.node:
            self._node(node, self._new)
        for function in self._proto.library.function:
            self._function(function)
        del self._proto.library.gradient[:]
        del self._proto.library.registered_gradients[:]

    def _node(self, node: Any, new: dict[str, str]) -> None:
        node.name = new[node.name]
        node.device = ""
        node.ClearField("experimental_debug_info")
        for number, name in enumerate(node.input):
            node.input[number] = self._renamed(name, new)
        for key in list(node.attr):
            if key.startswith("_") and key not in _KEPT:
                del node.attr[key]
        for key, value in node.attr.items():
            if key in _EMPTY_NAMES:
                value.s = b""
            if value.HasField("func"):
                self._called(value.func)
            for function in value.list.func:
                self._called(function)

    def _called(self, function: Any) -> None:
        function.name = self._functions.get(function.name, function.name)
        function.ClearField("attr")

    @staticmethod
    def _renamed(name: str, new: dict[str, str]) -> str:
        if name.startswith("^"):
            return "^" + new[name[1:]]
        node, colon, rest = name.partition(":")
        return f"{new[node]}{colon}{rest}"

    def _function(self, function: Any) -> None:
        signature = function.signature
        new = {node.name: f"n{number}" for number, node in enumerate(function.node_def)}
        for number, argument in enumerate(signature.input_arg):
            new[argument.name] = f"x{number}"
            argument.name, argument.description = f"x{number}", ""
            argument.ClearField("handle_data")
        results = {arg.name: f"y{number}" for number, arg in enumerate(signature.output_arg)}
        for argument in signature.output_arg:
            argument.name = results[argument.name]
            argument.ClearField("handle_data")
        signature.name = self._functions[signature.name]
        signature.description = ""
        controls = {name: f"c{number}" for number, name in enumerate(signature.control_output)}
        signature.control_output[:] = [controls[name] for name in signature.control_output]
        for field, names in ((function.ret, results), (function.control_ret, controls)):
            kept = {names[key]: self._renamed(value, new) for key, value in field.items()}
            field.clear()
            for key, value in kept.items():
                field[key] = value
        function.attr.clear()
        function.arg_attr.clear()
        for node in function.node_def:
            self._node(node, new)


class Graphs:
    """The compiled functions of a program."""

    def __init__(self) -> None:
        self._known: dict[Any, tuple[Any, Graph | Unknown]] = {}

    @staticmethod
    def leaves(describe: Callable[[Any], Any], args: Any, kwargs: Any) -> list[Any]:
        """Describe the tensors and arrays in the arguments of a call, in TensorFlow's order."""
        tf = sys.modules["tensorflow"]
        found = []
        for value in tf.nest.flatten((args, kwargs), expand_composites=False):
            if hasattr(value, "element_spec"):
                found.append({"iterator": True})
            elif hasattr(value, "dtype") and hasattr(value, "shape"):
                found.append(describe(value))
        return found

    def of_call(self, target: Any, args: Any, kwargs: Any, leaves: list[Any]) -> Graph:
        """Return the unit of a call that was made.

        Raises
        ------
        Unknown
            The function cannot become a unit.
        """
        if not hasattr(target, "get_concrete_function"):
            raise Unknown("a compiled function without a graph")
        concrete = target.get_concrete_function(*args, **kwargs)
        batch = _batch_size()
        shapes = [_kind_and_shape(leaf) for leaf in leaves]
        key = (id(concrete.graph), batch, *shapes)
        known = self._known.get(key)
        if known is None:
            made: Graph | Unknown
            compiles = bool(getattr(target, "_jit_compile", False))
            try:
                made = Graph(concrete, leaves, compiles, batch)
            except Unknown as why:
                made = why
            known = self._known[key] = (concrete, made)
        if isinstance(known[1], Unknown):
            raise Unknown(str(known[1]))
        return known[1]


def _kind_and_shape(leaf: Any) -> str:
    """Return the kind, the dtype and the shape of a described argument as a text."""
    parts = leaf.items() if isinstance(leaf, dict) else ()
    return str([(key, *value[:2]) for key, value in parts if isinstance(value, list)])


def _batch_size() -> int | None:
    """Return the size of a batch of the `fit()` of Keras that now runs; None if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in ("fit", "evaluate", "predict"):
            of_data = getattr(frame.f_locals.get("epoch_iterator"), "data_adapter", None)
            size = getattr(of_data, "batch_size", None)
            if size is not None:
                return int(size)
        frame = frame.f_back  # type: ignore[assignment]
    return None
