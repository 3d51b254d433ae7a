"""Watches which devices the runs of a session compute on.

A session returns arrays of NumPy wherever it computed, and an operation within ``tf.device`` may be
elsewhere all the same: where soft placement is on, where another scope is open, where an operation
exists on the host only. TensorFlow tells in the metadata of a run, which holds the graph of each
device after placement.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import tensorflow as tf
from tensorflow.python.client import session

#: Operations that carry values to a device and from it, or carry nothing.
TRANSFERS = ("_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv", "NoOp")


class Watch:
    """The operations of the runs that were watched.

    Attributes
    ----------
    runs
        How many there were.
    elsewhere
        ``OPERATION on DEVICE`` of each kind of operation that another device executed.
    computes
        An operation other than a constant was executed.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.forget()

    def forget(self) -> None:
        """Forget the runs."""
        self.runs = 0
        self.elsewhere: list[str] = []
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
        graphs = [*metadata.partition_graphs, *within]
        nodes = [node for g in graphs for node in g.node if node.op not in TRANSFERS]
        self.computes |= any(node.op != "Const" for node in nodes)
        for node in nodes:
            device = node.device.rpartition("/")[2]
            text = f"{node.op} on {device}"
            if not device.startswith(f"device:{self._kind}:") and text not in self.elsewhere:
                self.elsewhere.append(text)
