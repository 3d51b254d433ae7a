"""Programs and generators of TensorFlow, as values: functions, graphs, random generators."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import tensorflow as tf
from tensorflow.python.eager.polymorphic_function import polymorphic_function

from pmdriver.job import plain

Parts = list[tuple[str, Any]]

_CONCRETE = tf.types.experimental.ConcreteFunction


def parts(value: Any) -> Parts | None:
    """Open a program or a generator: the step of the path and the part; None if it is neither."""
    if isinstance(value, polymorphic_function.Function):
        return [(".python_function", value.python_function)]
    if isinstance(value, _CONCRETE):
        return [(".graph", graph_text(value.graph)), (".variables", list(value.variables))]
    if isinstance(value, tf.Graph):
        return [(".graph", graph_text(value))]
    if isinstance(value, tf.random.Generator):
        return _parts_of_generator(value)
    return None


def _parts_of_generator(value: Any) -> Parts:
    """Open a generator: its algorithm, which does not depend on the device, and its state."""
    state = value.state.numpy()
    engine = f"tf.random.Generator {int(value.algorithm)}"
    return [(".state", plain.State(engine, state.tobytes()))]


def graph_text(graph: Any) -> str:
    """Return the operations of a graph and their connections, as text.

    Devices and TensorFlow's internal attributes are omitted. The functions in the graph are
    numbered in the order of their use: their names and their own order differ from process to
    process.
    """
    definition = graph.as_graph_def()
    functions = {item.signature.name: item.node_def for item in definition.library.function}
    used: dict[str, str] = {}
    lines = [_node_text(node, functions, used) for node in definition.node]
    done = 0
    while done < len(used):
        name = list(used)[done]
        lines.append(f"{used[name]}:")
        lines += [f"  {_node_text(node, functions, used)}" for node in functions[name]]
        done += 1
    return "\n".join(lines)


def _node_text(node: Any, functions: Container[str], used: dict[str, str]) -> str:
    """Return the text of an operation; note in `used` the functions that it calls."""

    def renamed(name: str, text: str) -> str:
        return used.setdefault(name, f"function {len(used)}") if name in functions else text

    settings = []
    for key in sorted(node.attr):
        if not key.startswith("_"):
            value = node.attr[key]
            settings.append(f"{key}={renamed(value.func.name, ' '.join(str(value).split()))}")
    operation = renamed(node.op, node.op)
    return f"{node.name} = {operation}({', '.join(node.input)}) {' '.join(settings)}".rstrip()
