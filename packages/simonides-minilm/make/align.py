"""Teach a multilingual encoder to place texts of other languages among the vectors of this model.

    python align.py universal|e5 DATA.jsonl …

Writes `languages.npz` or `languages-e5.npz` into the package, and its checksum into the manifest.
Both encoders embed the same English texts; a matrix is learned that takes the vector of Google's
multilingual universal sentence encoder, or of multilingual-e5-small, to that of this model. What
means the same has about the same vector there in each of its languages, so the matrix also carries
over what it never saw. The same machine gives the same matrix each time.
"""

import io
import json
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from characters import TARGET

from simonides.models.embedding.e5 import E5Encoder
from simonides.models.embedding.minilm import ENGLISH, MiniLMEmbedder
from simonides.models.embedding.universal import UniversalEncoder
from simonides.text.language import is_english
from simonides.text.sentences import sentences

CHARS_MIN, CHARS_MAX = 8, 1_500
RIDGE = 10.0
STEPS, BATCH, RATE, TEMPERATURE, SEED = 1_500, 512, 1e-3, 0.05, 0
FIELDS = ("title", "text", "question", "answer", "content", "summary")
NAMES = {"universal": "languages.npz", "e5": "languages-e5.npz"}

Rows = np.ndarray


def main(encoder: str, paths: list[Path]) -> None:
    """Learn the matrix of an encoder and write it."""
    texts = sorted({text for path in paths for text in _texts(path) if is_english(text)})
    print(f"{len(texts)} texts", flush=True)
    ours = MiniLMEmbedder(identity=ENGLISH).embed(texts)
    encode = _encode(encoder)
    other = np.array([encode(text) for text in texts])
    read = ours.any(axis=1) & other.any(axis=1)
    arrays = learn(other[read], ours[read])
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    (TARGET / NAMES[encoder]).write_bytes(packed.getvalue())
    manifest = json.loads((TARGET / "manifest.json").read_text("utf-8"))
    manifest["sha256"][NAMES[encoder]] = sha256(packed.getvalue()).hexdigest()
    manifest["aligned_data_sha256"] = {
        f"{one.parent.name}/{one.name}": sha256(one.read_bytes()).hexdigest() for one in paths
    }  # fmt: skip
    (TARGET / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")


def _encode(encoder: str) -> Callable[[str], Rows]:
    if encoder == "universal":
        return UniversalEncoder().encode
    return E5Encoder((TARGET / "e5.onnx").read_bytes).encode


def _texts(path: Path) -> Iterator[str]:
    """Yield the texts of a file of JSON lines, and their sentences."""
    for line in path.read_text("utf-8").splitlines():
        for text in _strings(json.loads(line)) if line.strip() else ():
            spans = [(0, len(text)), *sentences(text)]
            pieces = (text[start:stop].strip() for start, stop in spans)
            yield from (one for one in pieces if CHARS_MIN <= len(one) <= CHARS_MAX)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name in FIELDS and isinstance(one, str):
                yield one
            elif isinstance(one, list | dict):
                yield from _strings(one)


def learn(other: Rows, ours: Rows) -> dict[str, Rows]:
    """Return `mean` f32[n], `matrix` f16[n, 384], `offset` and `centre` f32[384].

    The vector of a text u is that of ``unit((u - mean) @ matrix + offset) + centre``, made of unit
    length. It begins as the ridge regression; then each text has to be nearest to its own vector
    among those of a batch, both ways (cross entropy over cosines), and in its direction (1 - cos).
    """
    mean, centre = other.mean(axis=0), ours.mean(axis=0)
    inputs, wanted = other - mean, _unit(ours - centre)
    square = inputs.T @ inputs + RIDGE * np.eye(inputs.shape[1])
    begin = np.linalg.solve(square, inputs.T @ (ours - centre)).astype(np.float32)
    weights = {"matrix": begin, "offset": np.zeros_like(centre)}
    draw = np.random.default_rng(SEED)
    optimiser = optax.adamw(optax.cosine_decay_schedule(RATE, STEPS))
    state = optimiser.init(weights)

    @jax.jit
    def step(weights: Any, state: Any, given: Rows, asked: Rows) -> tuple[Any, Any, Any]:
        loss, slope = jax.value_and_grad(_loss)(weights, given, asked)
        change, state = optimiser.update(slope, state, weights)
        return optax.apply_updates(weights, change), state, loss

    for number in range(STEPS):
        some = draw.integers(0, len(inputs), BATCH)
        weights, state, loss = step(weights, state, inputs[some], wanted[some])
        if number % 300 == 0:
            print(f"step {number}: loss {float(loss):.3f}", flush=True)
    matrix = np.asarray(weights["matrix"]).astype(np.float16)
    return {"mean": mean, "matrix": matrix, "offset": np.asarray(weights["offset"]),
            "centre": centre}  # fmt: skip


def _loss(weights: Any, given: Rows, asked: Rows) -> Any:
    made = given @ weights["matrix"] + weights["offset"]
    made /= jnp.sqrt((made * made).sum(-1, keepdims=True) + 1e-9)
    near, own = made @ asked.T / TEMPERATURE, jnp.arange(len(given))
    chosen = sum(jax.nn.log_softmax(near, axis)[own, own].mean() for axis in (0, 1))
    return 1.0 - (made * asked).sum(-1).mean() - chosen / 2


def _unit(rows: Rows) -> Rows:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


if __name__ == "__main__":
    main(sys.argv[1], [Path(name) for name in sys.argv[2:]])
