"""Frames between this process and the supervisor.

src/measuring/pool/wire.h defines the layout, docs/internals/protocol.md the kinds and their keys.
"""

from __future__ import annotations

import _socket
import json
import math
import re
import struct
from collections.abc import Sequence
from typing import Any, Union

HELLO, READY, FORK, FORKED, EXITED, SWEPT, STARTED, RUN, ASK, GIVE, RESULT, BYE = range(1, 13)

VERSION = 1
HEADER_MAX = 16 << 20
BODY_MAX = 1 << 31

Buffer = Union[bytes, bytearray, memoryview]
Frame = tuple[int, dict[str, Any], memoryview]

_PREFIX = struct.Struct("<2sBBIQ")
_MAGIC = b"PM"
_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
).encode
_decode = json.JSONDecoder().decode
# What JSON allows but the supervisor's parser refuses: NUL, integers beyond 64 bits.
_suspicious = re.compile(r"\\u0000|\d{19}").search


class ProtocolError(Exception):
    """The supervisor sent an invalid or unexpected frame; the connection cannot be used again."""


class NoRoom(MemoryError):
    """The body of a frame does not fit into the memory of this process, and was skipped.

    Attributes
    ----------
    kind, header
        The kind and the header of the frame.
    """

    def __init__(self, kind: int, header: dict[str, Any], length: int) -> None:
        super().__init__(
            f"no memory for arrays of {length:,} bytes in the process of the case: raise --memory, "
            "or use smaller arrays"
        )
        self.kind, self.header = kind, header


def _clean(value: Any) -> Any:
    """Replace what JSON cannot carry: NaN and infinities, NUL, surrogates, integers over 64 bits.

    Numbers become strings, and characters become U+FFFD, so that equal values stay equal.
    """
    if isinstance(value, str):
        return (
            value.replace("\0", "\ufffd")
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
        )
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else str(value)
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value


def header_bytes(header: dict[str, Any]) -> bytes:
    """Return the JSON text of a header, with values replaced that JSON cannot carry.

    Raises
    ------
    TypeError
        A value has no JSON type.
    """
    try:
        text = _encode(header)
        if not _suspicious(text):
            return text.encode()
    except ValueError:
        pass
    return _encode(_clean(header)).encode()


def frame(kind: int, header: dict[str, Any], body_length: int = 0) -> bytes:
    """Return the prefix and the header of a frame; the caller sends the body after them.

    Parameters
    ----------
    kind
        ``HELLO`` or another of the numbers above.
    header
        JSON values by key.
    body_length
        Bytes of the body.

    Raises
    ------
    ValueError
        The header or the body is too large.
    TypeError
        A value of the header has no JSON type.
    """
    text = header_bytes(header)
    if len(text) > HEADER_MAX:
        raise ValueError(
            f"the answer has a header of {len(text):,} bytes, over {HEADER_MAX:,} (portmeter's "
            "limit): use smaller outputs"
        )
    if body_length > BODY_MAX:
        raise ValueError(
            f"the answer has arrays of {body_length:,} bytes, over {BODY_MAX:,} (portmeter's "
            "limit): use smaller outputs"
        )
    return _PREFIX.pack(_MAGIC, VERSION, kind, len(text), body_length) + text


class Connection:
    """A blocking connection; it owns the connected stream socket that it is created with."""

    _AT_ONCE = 512  # buffers in one sendmsg, below IOV_MAX

    def __init__(self, socket: _socket.socket) -> None:
        self._socket = socket
        self._bytes = bytearray(1 << 12)
        self._view = memoryview(self._bytes)
        self._have = 0

    def fileno(self) -> int:
        """Return the descriptor; the connection still owns it."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection; closing it again does nothing."""
        self._socket.close()

    def send(self, kind: int, header: dict[str, Any], buffers: Sequence[Buffer] = ()) -> None:
        """Send one frame; its body is the concatenation of the buffers.

        Raises
        ------
        ValueError, TypeError
            See `frame`; nothing was sent.
        OSError
            The supervisor is gone.
        """
        if not buffers:
            self.send_bytes(frame(kind, header))
            return
        parts: list[memoryview] = [memoryview(b).cast("B") for b in buffers if len(b)]
        head = frame(kind, header, sum(part.nbytes for part in parts))
        parts.insert(0, memoryview(head))
        for at in range(0, len(parts), self._AT_ONCE):
            self._send_parts(parts[at : at + self._AT_ONCE])

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        sent = self._socket.send(data)
        if sent < len(data):
            self._socket.sendall(memoryview(data)[sent:])

    def _send_parts(self, parts: list[memoryview]) -> None:
        sent = self._socket.sendmsg(parts)
        for part in parts:
            if sent >= part.nbytes:
                sent -= part.nbytes
            else:
                self._socket.sendall(part[sent:])
                sent = 0

    def receive(self) -> Frame:
        """Wait for one frame.

        Returns
        -------
        (int, dict, memoryview)
            Its kind, its header and its body (uint8).

        Raises
        ------
        EOFError
            The supervisor is gone.
        ProtocolError
            The supervisor sent something that is not a frame.
        NoRoom
            The body does not fit into memory. It was skipped, so the next frame can be received.
        """
        self._fill(_PREFIX.size)
        magic, version, kind, header_length, body_length = _PREFIX.unpack_from(self._bytes)
        if magic != _MAGIC or version != VERSION:
            raise ProtocolError(
                "portmeter sent bytes that are not a frame of this version: report this fault"
            )
        if header_length > HEADER_MAX or body_length > BODY_MAX:
            raise ProtocolError("portmeter sent a frame that is too long: report this fault")
        end = _PREFIX.size + header_length
        self._fill(end)
        header = _decode(str(self._view[_PREFIX.size : end], "utf-8"))
        held = min(self._have - end, body_length)
        try:
            body = memoryview(bytearray(body_length))
        except MemoryError:
            self._drop(end + held)
            self._skip(body_length - held)
            raise NoRoom(kind, header, body_length) from None
        body[:held] = self._view[end : end + held]
        self._drop(end + held)
        self._fill_body(body[held:])
        return kind, header, body

    def _fill(self, length: int) -> None:
        """Read until the buffer has `length` bytes."""
        if length > len(self._bytes):
            larger = bytearray(length)
            larger[: self._have] = self._view[: self._have]
            self._bytes, self._view = larger, memoryview(larger)
        while self._have < length:
            self._have += self._receive_into(self._view[self._have :])

    def _drop(self, length: int) -> None:
        """Drop the first bytes of the buffer."""
        rest = self._have - length
        self._view[:rest] = self._view[length : self._have]
        self._have = rest

    def _fill_body(self, view: memoryview) -> None:
        """Read the rest of a body into `view`."""
        while len(view):
            view = view[self._receive_into(view) :]

    def _skip(self, length: int) -> None:
        """Read and drop the rest of a body; the buffer must be empty if `length` is not 0."""
        while length:
            length -= self._receive_into(self._view[:length])

    def _receive_into(self, view: memoryview) -> int:
        count = self._socket.recv_into(view)
        if count == 0:
            raise EOFError("portmeter has ended")
        return count


def connect(path: str) -> Connection:
    """Connect to the supervisor's socket at `path`.

    Raises
    ------
    OSError
        Nobody listens there.
    """
    socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    socket.connect(path)
    return Connection(socket)
