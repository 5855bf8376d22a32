"""A tiny sentence encoder in ONNX, for tests: the vector of a token is a row of a table."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

DIMENSION = 6
WORDS = ("[UNK]", "[CLS]", "[SEP]", "ferry", "quay", "rent", "query", "passage")


def write_encoder(folder: Path, *, pooled: bool = False, **manifest: Any) -> Path:
    """Write a folder with the model, its tokenizer and, if anything is given, `embedder.json`.

    Its output has a vector for each token, or (`pooled`) their mean.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table = np.random.default_rng(7).normal(size=(len(WORDS), DIMENSION)).astype(np.float32)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    if pooled:
        nodes.append(helper.make_node("ReduceMean", ["tokens", "axes"], ["text"], keepdims=0))
    shape: list[str | int] = ["n", DIMENSION] if pooled else ["n", "length", DIMENSION]
    graph = helper.make_graph(
        nodes, "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "length"])
         for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("text" if pooled else "tokens", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(table, "table"),
         numpy_helper.from_array(np.array([1], dtype=np.int64), "axes")],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(made, str(folder / "model.onnx"))
    write_tokenizer(folder, WORDS)
    if manifest:
        (folder / "embedder.json").write_text(json.dumps(manifest))
    return folder


def write_tokenizer(folder: Path, words: Sequence[str]) -> None:
    """Write a tokenizer of whole words; `words` begin with [UNK], [CLS] and [SEP]."""
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))  # noqa: S106  no password
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )  # fmt: skip
    tokenizer.save(str(folder / "tokenizer.json"))
