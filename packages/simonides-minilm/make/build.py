"""Make the package's files and their `manifest.json` out of the upstream files and trained weights.

    python build.py UPSTREAM_DIRECTORY TRAINED.safetensors

The directory holds `model.safetensors` and `tokenizer.json` of
sentence-transformers/all-MiniLM-L6-v2; both must have the checksums below. The trained weights are
what train.py made. The same versions of onnx and onnxruntime make the same bytes.
"""

import hashlib
import json
import lzma
import sys
import tempfile
from pathlib import Path

import characters
import graph
import numpy as np
import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

UPSTREAM = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
MODEL_ID = "desk-minilm/2"
EARLIER_ID = "all-MiniLM-L6-v2/int8-channel/1"
EARLIER_SHA256 = "ba93b3a31d7fb38aa78e92d33a84a6847a43abda2129a49c6b5ff25d4b8d7ce4"
"""Of the model made of the upstream weights alone, in all versions of this package."""
TARGET = characters.TARGET
FILES = ("model.onnx", "earlier.xz", "tokenizer.json", "characters.json")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verify(directory: Path, name: str) -> Path:
    """Return the file's path; stop the program if it is not the upstream one."""
    path = directory / name
    found = sha256(path)
    if found != UPSTREAM[name]:
        raise SystemExit(f"{path}: sha256 is {found}, expected {UPSTREAM[name]}")
    return path


def export(weights: Path, target: Path) -> None:
    """Write the fp32 graph."""
    model = graph.build(load_file(weights))
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, target)


def quantise(weights: Path, target: Path) -> None:
    """Write the graph with 8-bit matrices, one scale for each column."""
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch) / "fp32.onnx"
        export(weights, full)
        quantize_dynamic(full, target, weight_type=QuantType.QInt8, per_channel=True)


def difference(earlier: bytes, model: bytes) -> bytes:
    """Return what is to be added to each byte of the model to have the earlier one, compressed."""
    if len(earlier) != len(model):
        raise SystemExit("the two models have files of different lengths")
    added = np.frombuffer(earlier, dtype=np.uint8) - np.frombuffer(model, dtype=np.uint8)
    return lzma.compress(added.tobytes(), preset=9 | lzma.PRESET_EXTREME)


def main(directory: Path, trained: Path) -> None:
    """Write all files of the package."""
    weights = verify(directory, "model.safetensors")
    tokenizer = verify(directory, "tokenizer.json")
    with tempfile.TemporaryDirectory() as scratch:
        earlier = Path(scratch) / "earlier.onnx"
        quantise(weights, earlier)
        if sha256(earlier) != EARLIER_SHA256:
            raise SystemExit(f"the upstream weights make {sha256(earlier)}, not {EARLIER_SHA256}")
        quantise(trained, TARGET / "model.onnx")
        model = (TARGET / "model.onnx").read_bytes()
        (TARGET / "earlier.xz").write_bytes(difference(earlier.read_bytes(), model))
    (TARGET / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    (TARGET / "characters.json").write_text(characters.content(), encoding="utf-8")
    sums = {name: sha256(TARGET / name) for name in FILES}
    manifest = {
        "model_id": MODEL_ID,
        "earlier_id": EARLIER_ID,
        "sha256": sums,
        "upstream_sha256": UPSTREAM,
        "trained_sha256": sha256(trained),
    }
    (TARGET / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(sums, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
