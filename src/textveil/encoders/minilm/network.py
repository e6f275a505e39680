"""The network of all-MiniLM-L6-v2 as an ONNX graph: words to vectors, then six BERT layers.

Texts of one batch have the same number of tokens, so nothing is padded or masked. In int8 each column of the weights
and each token's activations have a scale of their own: a scale over a whole batch, as dynamic quantisation usually
takes it, would let a text's vector depend on the other texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.encoders.minilm.onnx import UINT8, Graph

Weights = Mapping[str, NDArray[Any]]

_HEADS, _LAYERS, _EPSILON = 12, 6, 1e-12
_PARTS = ("query", "key", "value")
_LARGEST_INT8, _ZERO_UINT8 = 127, 128


class Network:
    """Builds the graph in float32.

    Parameters
    ----------
    weights : tensors by their names in the model; matrices take columns to columns
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._graph = Graph()

    def model(self) -> bytes:
        """Return the model: `ids` (texts, tokens) of type int32 -> (texts, tokens, 384), the last layer."""
        hidden = self._embeddings()
        for number in range(_LAYERS):
            layer = f"encoder.layer.{number}."
            attended = self._attention(hidden, layer + "attention.self.")
            hidden = self._joined(attended, hidden, layer + "attention.output.")
            wide = self._products(hidden, layer + "intermediate.dense.")[0]
            wide = self._graph.node("BiasGelu", wide, self._weight(layer + "intermediate.dense.bias"), fused=True)
            hidden = self._joined(wide, hidden, layer + "output.")
        return self._graph.model("ids", hidden)

    def _embeddings(self) -> str:
        # In a text alone all tokens are of the first kind, so its vector is added to every position.
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        positions = self._graph.weight(self._weights["embeddings.position_embeddings.weight"] + kind)
        norm = [self._weight(f"embeddings.LayerNorm.{name}") for name in ("weight", "bias")]
        inputs = ["ids", "", self._weight("embeddings.word_embeddings.weight"), positions, "", *norm]
        return self._graph.node("EmbedLayerNormalization", *inputs, outputs=2, fused=True, epsilon=_EPSILON)

    def _attention(self, hidden: str, name: str) -> str:
        parts = self._products(hidden, *(f"{name}{part}." for part in _PARTS))
        bias = self._graph.weight(np.concatenate([self._weights[f"{name}{part}.bias"] for part in _PARTS]))
        return self._graph.node("MultiHeadAttention", *parts, bias, fused=True, num_heads=_HEADS)

    def _joined(self, new: str, old: str, name: str) -> str:
        """Multiply, add what was there before, and normalise; this is faster than onnxruntime's fused operator."""
        (product,) = self._products(new, name + "dense.")
        total = self._graph.node("Add", self._graph.node("Add", product, old), self._weight(name + "dense.bias"))
        norm = [self._weight(f"{name}LayerNorm.{part}") for part in ("weight", "bias")]
        return self._graph.node("LayerNormalization", total, *norm, axis=-1, epsilon=_EPSILON)

    def _products(self, hidden: str, *names: str) -> list[str]:
        """Multiply by matrices, without their biases."""
        matrices = [self._graph.weight(self._weights[name + "weight"].T) for name in names]
        return [self._graph.node("MatMul", hidden, matrix) for matrix in matrices]

    def _weight(self, name: str) -> str:
        return self._graph.weight(self._weights[name])


class QuantisedNetwork(Network):
    """Builds the graph with products in int8: exact integers, scaled back to float32."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._step = self._graph.weight(np.float32(1 / _LARGEST_INT8))
        self._one = self._graph.weight(np.float32(1))
        self._zero = self._graph.weight(np.uint8(_ZERO_UINT8))
        self._float_zero = self._graph.weight(np.float32(_ZERO_UINT8))
        self._flat = self._graph.weight(np.array([-1], dtype=np.int64))

    def _products(self, hidden: str, *names: str) -> list[str]:
        integers, scale = self._quantised(hidden)
        products = []
        for name in names:
            columns = self._weights[name + "weight"].T
            scales = np.abs(columns).max(axis=0) / np.float32(_LARGEST_INT8)
            rounded = self._graph.weight(np.rint(columns / scales).astype(np.int8))
            inputs = integers, rounded, self._one, self._graph.weight(scales), self._zero
            product = self._graph.node("MatMulIntegerToFloat", *inputs, fused=True)
            products.append(self._graph.node("Mul", product, scale))
        return products

    def _quantised(self, hidden: str) -> tuple[str, str]:
        """Round each token's numbers to 255 steps around zero; return them and the size of a step."""
        node = self._graph.node
        largest = node("ReduceMax", node("Abs", hidden), axes=[-1], keepdims=1)
        scale = node("Mul", largest, self._step)
        tokens = node("Reshape", scale, self._flat)
        # QuantizeLinear wants a zero for each token: whatever the scale, clipped to the one value.
        zeros = node("Cast", node("Clip", tokens, self._float_zero, self._float_zero), to=UINT8)
        rounded = node("QuantizeLinear", node("Flatten", hidden, axis=2), tokens, zeros, axis=0)
        return node("Reshape", rounded, node("Shape", hidden)), scale
