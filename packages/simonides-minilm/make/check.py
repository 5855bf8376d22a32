"""Compare the int8 file with the fp32 graph it was made from: cosine, speed and retrieval.

    python check.py TRAINED.safetensors JUDGED.jsonl …

Each further file holds lines {"type": "item", "id", "text"} and {"type": "question", "question",
"evidence": [ids]}. Prints one line per file: the cosine between the two outputs, and nDCG@10 and
recall@10 of plain cosine search by each.
"""

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from build import TARGET, export
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

TOP = 10


def session(path: Path) -> InferenceSession:
    options = SessionOptions()
    options.intra_op_num_threads = 1
    return InferenceSession(path, options, providers=["CPUExecutionProvider"])


def embed(model: InferenceSession, texts: Sequence[str]) -> tuple[np.ndarray, float]:
    """Return the rows, and the texts per second of processor time."""
    tokenizer = Tokenizer.from_file(str(TARGET / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    begun = time.process_time()
    rows = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        rows.append(model.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
    return np.array(rows), len(texts) / (time.process_time() - begun)


def retrieval(items: np.ndarray, questions: np.ndarray, wanted: list[set[int]]) -> np.ndarray:
    """Return [nDCG@10, recall@10] per question, as float64[questions, 2]."""
    gains = 1 / np.log2(np.arange(TOP) + 2)
    scores = []
    for question, good in zip(questions, wanted, strict=True):
        best = np.argsort(-(items @ question), kind="stable")[:TOP]
        found = np.array([place in good for place in best], dtype=float)
        scores.append(((found @ gains) / gains[: len(good)].sum(), found.sum() / len(good)))
    return np.array(scores)


def compare(data: Path, models: dict[str, InferenceSession]) -> None:
    lines = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    items = [line for line in lines if line["type"] == "item"]
    places = {line["id"]: place for place, line in enumerate(items)}
    asked = [line for line in lines if line["type"] == "question" and line["evidence"]]
    wanted = [{places[name] for name in line["evidence"] if name in places} for line in asked]
    kept, scores = {}, {}
    for name, model in models.items():
        kept[name], speed = embed(model, [line["text"] for line in items])
        questions, _ = embed(model, [line["question"] for line in asked])
        scores[name] = retrieval(kept[name], questions, wanted)
        print(
            f"{data.name} {name}: nDCG@10, recall@10 {scores[name].mean(0).round(4)}, {speed:.0f}/s"
        )
    cosine = (kept["fp32"] * kept["int8"]).sum(1)
    gap = scores["int8"] - scores["fp32"]
    error = gap.std(0, ddof=1) / np.sqrt(len(gap))
    print(f"{data.name} cosine: least {cosine.min():.4f}, mean {cosine.mean():.4f}")
    print(f"{data.name} int8 - fp32: {gap.mean(0).round(4)}, standard error {error.round(4)}")


def main(weights: Path, data: Sequence[Path]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch) / "fp32.onnx"
        export(weights, full)
        models = {"fp32": session(full), "int8": session(TARGET / "model.onnx")}
    for path in data:
        compare(path, models)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
