"""Which operations of a graph other devices execute, and on what: the graphs of each device.

A session returns arrays of NumPy wherever it computed, and an operation within ``tf.device`` may be
elsewhere all the same: where soft placement is on, where another scope is open, where an operation
exists on the host only. TensorFlow tells in the metadata of a run, which holds the graph of each
device after placement. What it tells of a ``tf.function`` has the same form.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import tensorflow as tf
from tensorflow.python.client import session

#: Operations that carry values to a device and from it.
SENDS, RECEIVES = ("_Send", "_HostSend"), ("_Recv", "_HostRecv")
#: Operations that compute nothing: they hand values on, or decide which way one takes.
CARRIERS = (
    *SENDS, *RECEIVES, "_Arg", "_Retval", "NoOp", "Identity", "IdentityN", "_EagerConst",
    "Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch", "ControlTrigger",
)  # fmt: skip
#: Operations that a graph is given values by.
GIVEN = ("_Arg", "Placeholder", "PlaceholderWithDefault")
#: Operations whose result depends on the shapes of what they are given, and not on the values.
OF_SHAPES = ("BroadcastGradientArgs", "Rank", "Shape", "ShapeN", "Size")
#: Operations that call Python, which computes on the host wherever they are.
OF_PYTHON = ("EagerPyFunc", "PyFunc", "PyFuncStateless")
#: Operations that draw random numbers, or read what another operation has written.
_SOURCES = re.compile(
    r"Multinomial|ParameterizedTruncatedNormal|TruncatedNormal|ReadVariableOp|Variable(V2)?$|"
    r"Stateful(Standard|Truncated|Uniform)|Stateless(Multinomial|Parameterized|Truncated)|"
    r"(Stateless)?Random(?!GetKey|Dataset)|IteratorGetNext|LookupTableFind|QueueDequeue"
)


class Found(NamedTuple):
    """Operations that another device executed.

    Attributes
    ----------
    moved
        Those on data: on what a graph is given, on random numbers, or on what follows from these.
    on_constants
        Those on shapes and constants.
    computes
        An operation other than a constant was executed.
    is_data
        Some operation was on data, or drew random numbers.
    """

    moved: list[str]
    on_constants: list[str]
    computes: bool
    is_data: bool


def is_source(kind: str) -> bool:
    """Return whether an operation yields data, whatever it is given."""
    return _SOURCES.match(kind) is not None


def named(kind: str, device: str) -> str:
    """Name an operation on another device: ``Sin``; ``Sin on GPU:0`` if that is not the host."""
    place = device.rpartition("device:")[2]
    return kind if not place or place.startswith("CPU:") else f"{kind} on {place}"


def elsewhere(graphs: Iterable[Any], runs: Callable[[str], bool], given: bool = True) -> Found:
    """Find what other devices execute of a graph.

    Parameters
    ----------
    graphs
        Its GraphDef for each device.
    runs
        Says of the name of a device whether the operations belong there.
    given
        What it is given is data.
    """
    nodes = [node for graph in graphs for node in graph.node]
    data = _on_data(nodes, given)
    moved: list[str] = []
    on_constants: list[str] = []
    for node in nodes:
        if node.op in (*CARRIERS, "Const"):
            continue
        if node.op not in OF_PYTHON and runs(node.device):
            continue
        found = moved if node.name in data else on_constants
        found.append(named(node.op, "" if node.op in OF_PYTHON else node.device))
    computes = any(node.op not in (*CARRIERS, "Const") for node in nodes)
    return Found(unique(moved), unique(on_constants), computes, bool(data))


def unique(names: Iterable[str]) -> list[str]:
    """Return names in order, each once."""
    return list(dict.fromkeys(names))


def _on_data(nodes: list[Any], given: bool) -> set[str]:
    """Name the operations on data; those of shapes are none, and end what is derived."""
    sent = {_tensor(node): node.input[0] for node in nodes if node.op in SENDS}
    inputs = {
        node.name: [sent[_tensor(node)]] if node.op in RECEIVES and _tensor(node) in sent
        else [name for name in node.input if not name.startswith("^")]
        for node in nodes
    }  # fmt: skip
    data = {node.name for node in nodes if is_source(node.op) or (given and node.op in GIVEN)}
    ends = {node.name for node in nodes if node.op in OF_SHAPES}
    before = -1
    while len(data) != before:  # loops lead back
        before = len(data)
        data |= {
            name for name, all_of_it in inputs.items()
            if name not in ends and any(each.partition(":")[0] in data for each in all_of_it)
        }  # fmt: skip
    return data


def _tensor(node: Any) -> str:
    return str(node.attr["tensor_name"].s)


class Watch:
    """The runs of sessions that were watched.

    Attributes
    ----------
    runs
        How many there were.
    moved, on_constants
        As in `Found`.
    computes
        An operation other than a constant was executed.
    """

    def __init__(self, on_device: Callable[[str], bool]) -> None:
        self._on_device = on_device
        self.forget()

    def forget(self) -> None:
        """Forget the runs."""
        self.runs = 0
        self.moved: list[str] = []
        self.on_constants: list[str] = []
        self.computes = False

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Watch every run of a session, in whatever it is wrapped."""
        run = session.BaseSession.run

        def watched(
            self_: Any, fetches: Any, feed_dict: Any = None, options: Any = None,
            run_metadata: Any = None,
        ) -> Any:  # fmt: skip
            wanted, found = tf.compat.v1.RunOptions(), run_metadata or tf.compat.v1.RunMetadata()
            if options is not None:
                wanted.CopyFrom(options)
            wanted.output_partition_graphs = True
            out = run(self_, fetches, feed_dict, wanted, found)
            self._note(found)
            return out

        session.BaseSession.run = watched
        try:
            yield
        finally:
            session.BaseSession.run = run

    def _note(self, metadata: Any) -> None:
        self.runs += 1
        within = [g for f in metadata.function_graphs for g in f.partition_graphs]
        found = elsewhere([*metadata.partition_graphs, *within], self._on_device)
        self.computes |= found.computes
        self.moved = unique([*self.moved, *found.moved])
        self.on_constants = unique([*self.on_constants, *found.on_constants])
