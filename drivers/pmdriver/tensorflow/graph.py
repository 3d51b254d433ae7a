"""Finds which operations of a graph other devices execute, and whether on data.

A session returns arrays of NumPy no matter where it computed. An operation inside ``tf.device`` may
still run elsewhere: if soft placement is on, if another scope is open, or if the operation exists
only on the host. TensorFlow reports this in the metadata of a run, which has the graph of each
device after placement. The metadata of a ``tf.function`` has the same form.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import tensorflow as tf
from tensorflow.python.client import session

#: Operations that send values to another device, and those that receive them.
SENDS, RECEIVES = ("_Send", "_HostSend"), ("_Recv", "_HostRecv")
#: Operations that compute nothing: they pass values on, or control the flow.
CARRIERS = (
    *SENDS, *RECEIVES, "_Arg", "_Retval", "NoOp", "Identity", "IdentityN", "_EagerConst",
    "Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch", "ControlTrigger",
)  # fmt: skip
#: Operations that are the inputs of a graph.
GIVEN = ("_Arg", "Placeholder", "PlaceholderWithDefault")
#: Operations with results that depend on the shapes of their inputs, not on the values.
OF_SHAPES = ("BroadcastGradientArgs", "Rank", "Shape", "ShapeN", "Size")
#: Operations that call Python, which computes on the host no matter where they are placed.
OF_PYTHON = ("EagerPyFunc", "PyFunc", "PyFuncStateless")
#: Operations that write or read files, such as those of checkpoints and summaries. TensorFlow puts
#: them on the host, with what makes the names of these files, because only the host has files.
_OF_FILES = re.compile(
    r"(\w*Summary\w*|(Read|Write)File|MatchingFiles|(Save|Restore)\w*|MergeV2Checkpoints"
    r"|Sharded\w*)\Z"
)
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
        Operations on data: on the graph's inputs, on random numbers, or on values derived from
        these.
    on_constants
        Operations on shapes and constants.
    computes
        Whether an operation other than a constant was executed.
    is_data
        Whether any operation was on data, or drew random numbers.
    """

    moved: list[str]
    on_constants: list[str]
    computes: bool
    is_data: bool


def is_source(kind: str) -> bool:
    """Return whether an operation yields data no matter what its inputs are."""
    return _SOURCES.match(kind) is not None


def is_of_files(kind: str) -> bool:
    """Return whether an operation writes or reads files."""
    return _OF_FILES.match(kind) is not None


def named(kind: str, device: str) -> str:
    """Name an operation on another device: ``Sin`` on the host, otherwise ``Sin on GPU:0``."""
    place = device.rpartition("device:")[2]
    return kind if not place or place.startswith("CPU:") else f"{kind} on {place}"


def elsewhere(graphs: Iterable[Any], runs: Callable[[str], bool], given: bool = True) -> Found:
    """Find the operations of a graph that other devices execute.

    Parameters
    ----------
    graphs
        The GraphDef of each device.
    runs
        Returns whether the device with a name is the one where operations belong.
    given
        Whether the inputs of the graph are data.
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
    """Return the names in order, without duplicates."""
    return list(dict.fromkeys(names))


def _on_data(nodes: list[Any], given: bool) -> set[str]:
    """Name the operations on data; those on shapes are excluded, and their results are not data."""
    sent = {_tensor(node): node.input[0] for node in nodes if node.op in SENDS}
    inputs = {
        node.name: [sent[_tensor(node)]] if node.op in RECEIVES and _tensor(node) in sent
        else [name for name in node.input if not name.startswith("^")]
        for node in nodes
    }  # fmt: skip
    data = {node.name for node in nodes if is_source(node.op) or (given and node.op in GIVEN)}
    ends = {node.name for node in nodes if node.op in OF_SHAPES}
    before = -1
    while len(data) != before:  # repeat, because a graph may have loops
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
        The number of runs.
    moved, on_constants
        As in `Found`.
    computes
        Whether an operation other than a constant was executed.
    """

    def __init__(self, on_device: Callable[[str], bool]) -> None:
        self._on_device = on_device
        self.forget()

    def forget(self) -> None:
        """Forget the runs so far."""
        self.runs = 0
        self.moved: list[str] = []
        self.on_constants: list[str] = []
        self.computes = False

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Watch every run of a session, even of a wrapped one, while the block runs."""
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
