"""Write an ONNX graph as bytes, with neither the onnx package nor a framework.

ONNX files are protocol buffers: each field is its number and kind in a varint, then its value. The few fields that a
graph of fixed weights needs are here, by their numbers in onnx.proto.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Attribute: TypeAlias = int | float | list[int]

_IR_VERSION, _OPSET, _MICROSOFT_OPSET = 8, 17, 1
_MICROSOFT = "com.microsoft"
UINT8 = 2
_KINDS = {"float32": 1, "uint8": UINT8, "int8": 3, "int32": 6, "int64": 7}
_FLOAT, _INT, _INTS = 1, 2, 7


class Graph:
    """Nodes and weights, in the order in which they are added."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._names = 0

    def weight(self, values: NDArray[Any] | np.generic) -> str:
        """Add a constant; return its name."""
        name = self._name()
        dims = b"".join(_number(1, size) for size in values.shape)
        raw = np.ascontiguousarray(values).tobytes()
        tensor = dims + _number(2, _KINDS[values.dtype.name]) + _bytes(8, name.encode()) + _bytes(9, raw)
        self._parts.append(_bytes(5, tensor))
        return name

    def node(self, operator: str, *inputs: str, outputs: int = 1, fused: bool = False, **attributes: Attribute) -> str:
        """Add a node; return the name of its first output. `fused` operators are onnxruntime's own."""
        names = [self._name() for _ in range(outputs)]
        fields = [_bytes(1, name.encode()) for name in inputs] + [_bytes(2, name.encode()) for name in names]
        fields += [_bytes(4, operator.encode()), *(_bytes(5, _attribute(*item)) for item in attributes.items())]
        fields += [_bytes(7, _MICROSOFT.encode())] if fused else []
        self._parts.append(_bytes(1, b"".join(fields)))
        return names[0]

    def model(self, source: str, output: str) -> bytes:
        """Return the model from an int32 matrix to a float32 array of three axes, each of any length."""
        ends = _bytes(11, _value(source, "int32", 2)) + _bytes(12, _value(output, "float32", 3))
        graph = b"".join([*self._parts, _bytes(2, b"textveil"), ends])
        opsets = _bytes(8, _number(2, _OPSET))
        opsets += _bytes(8, _bytes(1, _MICROSOFT.encode()) + _number(2, _MICROSOFT_OPSET))
        return _number(1, _IR_VERSION) + _bytes(7, graph) + opsets

    def _name(self) -> str:
        self._names += 1
        return f"v{self._names}"


def _varint(value: int) -> bytes:
    encoded = bytearray()
    value &= 2**64 - 1
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        body = _varint(2 << 3 | 5) + np.float32(value).tobytes() + _number(20, _FLOAT)
    elif isinstance(value, int):
        body = _number(3, value) + _number(20, _INT)
    else:
        body = b"".join(_number(8, item) for item in value) + _number(20, _INTS)
    return _bytes(1, name.encode()) + body


def _value(name: str, kind: str, axes: int) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, f"{name}{axis}".encode())) for axis in range(axes))
    tensor = _number(1, _KINDS[kind]) + _bytes(2, shape)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))
