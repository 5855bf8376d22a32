"""The all-MiniLM-L6-v2 sentence encoder as an ONNX graph, written out by hand.

Knows the architecture: six BERT layers over the uncased WordPiece vocabulary, mean pooling over
the tokens, L2 normalisation. Must not know where the weights come from.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

LAYERS = 6
HEADS = 12
HIDDEN = 384
HEAD = HIDDEN // HEADS
TOKENS_MAX = 256
"""Longest input in tokens: the `max_seq_length` that the upstream model was tuned with."""
EPSILON = 1e-12
"""Of every layer normalisation, from the upstream configuration."""

Weights = Mapping[str, np.ndarray]


class _Graph:
    """Collects nodes and initialisers; every method returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []

    def constant(self, name: str, value: np.ndarray) -> str:
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def ints(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, dtype=np.int64))

    def floats(self, name: str, value: float) -> str:
        return self.constant(name, np.array(value, dtype=np.float32))

    def op(self, kind: str, name: str, *inputs: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, name: str, x: str, *, weight: np.ndarray, bias: np.ndarray) -> str:
        """x @ weight.T + bias, with weights as PyTorch keeps them: [out, in]."""
        product = self.op("MatMul", f"{name}.product", x, self.constant(f"{name}.weight", weight.T))
        return self.op("Add", name, product, self.constant(f"{name}.bias", bias))

    def norm(self, name: str, x: str, *, weights: Weights, key: str) -> str:
        scale = self.constant(f"{name}.scale", weights[f"{key}.weight"])
        shift = self.constant(f"{name}.shift", weights[f"{key}.bias"])
        return self.op("LayerNormalization", name, x, scale, shift, axis=-1, epsilon=EPSILON)


def build(weights: Weights) -> ModelProto:
    """Return the fp32 graph.

    Inputs: `input_ids` and `attention_mask`, int64[texts, tokens]. Output: `embedding`,
    float32[texts, 384], rows of unit length. Opset 17, IR version 8.
    """
    graph = _Graph()
    x = _embeddings(graph, weights)
    bias = _attention_bias(graph)
    graph.ints("shape.heads", 0, 0, HEADS, HEAD)
    graph.ints("shape.hidden", 0, 0, HIDDEN)
    for number in range(LAYERS):
        x = _layer(graph, x, number=number, bias=bias, weights=weights)
    _pool(graph, x)
    return _model(graph)


def _embeddings(graph: _Graph, weights: Weights) -> str:
    """Word + position + type 0; the constant type row is folded into the positions."""
    words = graph.constant("words.table", weights["embeddings.word_embeddings.weight"])
    positions = weights["embeddings.position_embeddings.weight"][:TOKENS_MAX]
    types = weights["embeddings.token_type_embeddings.weight"][:1]
    table = graph.constant("positions.table", positions + types)
    shape = graph.op("Shape", "tokens", "input_ids", start=1, end=2)
    start = graph.ints("zero", 0)
    place = graph.op("Slice", "positions", table, start, shape, start)
    word = graph.op("Gather", "words", words, "input_ids", axis=0)
    total = graph.op("Add", "embeddings.sum", word, place)
    return graph.norm("embeddings", total, weights=weights, key="embeddings.LayerNorm")


def _attention_bias(graph: _Graph) -> str:
    """0 for a token, -1e9 for padding, as float32[texts, 1, 1, tokens]."""
    mask = graph.op("Cast", "mask", "attention_mask", to=TensorProto.FLOAT)
    away = graph.op("Sub", "mask.inverse", graph.floats("one", 1.0), mask)
    scaled = graph.op("Mul", "mask.scaled", away, graph.floats("far", -1e9))
    return graph.op("Unsqueeze", "mask.bias", scaled, graph.ints("mask.axes", 1, 2))


def _layer(graph: _Graph, x: str, *, number: int, bias: str, weights: Weights) -> str:
    here, key = f"layer{number}", f"encoder.layer.{number}"
    part = partial(_linear, graph, weights=weights)
    mixed = _attention(graph, x, here=here, key=f"{key}.attention.self", bias=bias, weights=weights)
    out = part(mixed, here=f"{here}.out", key=f"{key}.attention.output.dense")
    name = f"{here}.attended"
    x = _add_norm(graph, x, out, here=name, key=f"{key}.attention.output", weights=weights)
    wide = part(x, here=f"{here}.wide", key=f"{key}.intermediate.dense")
    narrow = part(_gelu(graph, wide, here=here), here=f"{here}.narrow", key=f"{key}.output.dense")
    return _add_norm(graph, x, narrow, here=here, key=f"{key}.output", weights=weights)


def _linear(graph: _Graph, x: str, *, here: str, key: str, weights: Weights) -> str:
    return graph.linear(here, x, weight=weights[f"{key}.weight"], bias=weights[f"{key}.bias"])


def _add_norm(graph: _Graph, x: str, y: str, *, here: str, key: str, weights: Weights) -> str:
    total = graph.op("Add", f"{here}.sum", y, x)
    return graph.norm(here, total, weights=weights, key=f"{key}.LayerNorm")


def _attention(graph: _Graph, x: str, *, here: str, key: str, bias: str, weights: Weights) -> str:
    """softmax(q kT / sqrt(32) + bias) v, twelve heads side by side."""
    heads = {}
    for part, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3))):
        flat = _linear(graph, x, here=f"{here}.{part}", key=f"{key}.{part}", weights=weights)
        split = graph.op("Reshape", f"{here}.{part}.split", flat, "shape.heads")
        heads[part] = graph.op("Transpose", f"{here}.{part}.heads", split, perm=order)
    scores = graph.op("MatMul", f"{here}.scores", heads["query"], heads["key"])
    scale = graph.floats(f"{here}.temperature", HEAD**-0.5)
    scaled = graph.op("Mul", f"{here}.scores.scaled", scores, scale)
    biased = graph.op("Add", f"{here}.scores.biased", scaled, bias)
    shares = graph.op("Softmax", f"{here}.shares", biased, axis=-1)
    mixed = graph.op("MatMul", f"{here}.mixed", shares, heads["value"])
    rows = graph.op("Transpose", f"{here}.mixed.rows", mixed, perm=(0, 2, 1, 3))
    return graph.op("Reshape", f"{here}.mixed.flat", rows, "shape.hidden")


def _gelu(graph: _Graph, x: str, *, here: str) -> str:
    """x/2 (1 + erf(x / sqrt 2))."""
    root = graph.floats(f"{here}.root", 2**0.5)
    one = graph.floats(f"{here}.one", 1.0)
    half = graph.floats(f"{here}.half", 0.5)
    ratio = graph.op("Div", f"{here}.gelu.ratio", x, root)
    risen = graph.op("Add", f"{here}.gelu.risen", graph.op("Erf", f"{here}.gelu.erf", ratio), one)
    return graph.op("Mul", f"{here}.gelu", graph.op("Mul", f"{here}.gelu.gated", x, risen), half)


def _pool(graph: _Graph, x: str) -> str:
    """Sum over the tokens that are not padding, then unit length: the mean points the same way."""
    wide = graph.op("Unsqueeze", "pool.mask", "mask", graph.ints("pool.axis", 2))
    kept = graph.op("Mul", "pool.kept", x, wide)
    total = graph.op("ReduceSum", "pool.sum", kept, graph.ints("pool.tokens", 1), keepdims=0)
    return graph.op("LpNormalization", "embedding", total, axis=-1, p=2)


def _model(graph: _Graph) -> ModelProto:
    tokens = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    out = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", HIDDEN])
    body = helper.make_graph(
        graph.nodes, "all-MiniLM-L6-v2", tokens, [out], initializer=graph.initializers
    )
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(
        body, opset_imports=opset, ir_version=8, producer_name="simonides-minilm"
    )
