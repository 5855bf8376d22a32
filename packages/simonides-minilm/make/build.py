"""Make the package's files and their `manifest.json` out of the upstream files.

    python build.py UPSTREAM_DIRECTORY

The directory holds `model.safetensors` and `tokenizer.json` of
sentence-transformers/all-MiniLM-L6-v2; both must have the checksums below. The same versions of
onnx and onnxruntime make the same bytes.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import characters
import graph
import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

UPSTREAM = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
MODEL_ID = "all-MiniLM-L6-v2/int8-channel/1"
TARGET = characters.TARGET
FILES = ("model.onnx", "tokenizer.json", "characters.json")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verified(directory: Path, name: str) -> Path:
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


def main(directory: Path) -> None:
    weights = verified(directory, "model.safetensors")
    tokenizer = verified(directory, "tokenizer.json")
    with tempfile.TemporaryDirectory() as scratch:
        full = Path(scratch) / "fp32.onnx"
        export(weights, full)
        quantize_dynamic(full, TARGET / "model.onnx", weight_type=QuantType.QInt8, per_channel=True)
    (TARGET / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    (TARGET / "characters.json").write_text(characters.content(), encoding="utf-8")
    sums = {name: sha256(TARGET / name) for name in FILES}
    manifest = {"model_id": MODEL_ID, "sha256": sums, "upstream_sha256": UPSTREAM}
    (TARGET / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(sums, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
