"""The training of the packaged model, a few steps of it on a few questions with small weights.

It runs as whoever trains the model runs it: in its own directory and process.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
pytest.importorskip("jax", reason="`make test-all` installs it")

MAKE = Path(__file__).parents[2] / "packages/simonides-minilm/make"

SMOKE = """
import hashlib, json, sys
from pathlib import Path
import numpy as np
from onnxruntime import InferenceSession
from safetensors.numpy import save_file
from build import difference, quantised
from encoder import encode
from pairs import pairs_of
from people import read_people
from tokens import rows_of
from train import encoder_weights
from training import Recipe, train
from vectors import embedded, figures

folder = Path(sys.argv[1])
draw = np.random.default_rng(5)
shapes = json.loads((folder / "shapes.json").read_text())
weights = {
    name: draw.normal(1.0 if name.endswith("LayerNorm.weight") else 0.0, 0.02, shape)
    .astype(np.float32)
    for name, shape in shapes.items()
}
people = read_people(folder / "people.jsonl", folder)
taught = [one.to_train_on() for one in people]
pairs = [pair for one in taught for pair in pairs_of(one, embedded(weights, one))]
recipe = Recipe(epochs=3, batch=4, rate=1e-3, frozen_layers=4)
losses = []
note = lambda step, steps, loss: losses.append(loss)
trained = train(weights, pairs, recipe, on_step=note)
again = train(weights, pairs, recipe)
save_file({name: np.ascontiguousarray(one) for name, one in trained.items()}, folder / "t")
save_file(weights, folder / "base")
quantised(folder / "t", folder / "model.onnx")
quantised(folder / "base", folder / "earlier.onnx")
ids, mask = rows_of(["The boiler man comes on Tuesday"], width=16)
count = int(mask.sum())
session = InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
row = session.run(None, {
    "input_ids": ids[:, :count].astype(np.int64), "attention_mask": np.ones((1, count), np.int64),
})[0][0]
model, earlier = ((folder / name).read_bytes() for name in ("model.onnx", "earlier.onnx"))
(folder / "difference").write_bytes(difference(earlier, model))
print(json.dumps({
    "people": [one.name for one in people], "pairs": len(pairs), "losses": losses,
    "judged_by": [len(one.questions) for one in people],
    "further": [(pair.person, pair.text) for pair in pairs if pair.question == "what rises?"],
    "traps": [pair.traps for pair in pairs if pair.traps],
    "same": all(np.array_equal(trained[name], again[name]) for name in trained),
    "still": all(np.array_equal(trained[name], weights[name]) for name in trained
                 if name.startswith(("embeddings.", "encoder.layer.3."))),
    "moved": not np.array_equal(trained["encoder.layer.5.output.dense.weight"],
                                weights["encoder.layer.5.output.dense.weight"]),
    "cosine": float(np.asarray(encode(trained, ids, mask))[0] @ row),
    "recall": figures(trained, people[0]).recall,
}))
"""

TEXTS = (
    "The boiler man comes on Tuesday.", "Biscuit has a lump under her ear.",
    "Invoice 2231 is overdue.", "Flight to Lisbon at nine.", "Rehearsal moved to the church.",
    "The vet says it is benign.", "Rent rises in May.", "Mara sends the slides.",
)  # fmt: skip


def people(path: Path) -> None:
    """Write two persons of eight things and five questions, one of them without an answer."""
    lines: list[dict[str, Any]] = []
    for name in ("ana", "ben"):
        lines += [
            {"type": "item", "group": name, "id": f"i{n}", "text": f"{text} ({name})"}
            for n, text in enumerate(TEXTS)
        ]
        lines += [
            {"type": "question", "group": name, "id": f"q{n}", "question": text.lower(),
             "evidence": [f"i{n}"], "must_not": ["i7"] if n == 0 else []}
            for n, text in enumerate(TEXTS[:4])
        ]  # fmt: skip
        lines.append(
            {"type": "question", "group": name, "id": "none", "question": "who?", "evidence": []}
        )
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def shapes() -> dict[str, list[int]]:
    """Return the names and shapes of the encoder's weights, upstream's."""
    found = {
        "embeddings.word_embeddings.weight": [30522, 384],
        "embeddings.position_embeddings.weight": [512, 384],
        "embeddings.token_type_embeddings.weight": [2, 384],
        "embeddings.LayerNorm.weight": [384],
        "embeddings.LayerNorm.bias": [384],
    }
    for layer in range(6):
        key = f"encoder.layer.{layer}"
        dense = {
            f"{key}.attention.self.query": (384, 384), f"{key}.attention.self.key": (384, 384),
            f"{key}.attention.self.value": (384, 384),
            f"{key}.attention.output.dense": (384, 384),
            f"{key}.intermediate.dense": (1536, 384), f"{key}.output.dense": (384, 1536),
        }  # fmt: skip
        for name, (out, into) in dense.items():
            found |= {f"{name}.weight": [out, into], f"{name}.bias": [out]}
        for name in (f"{key}.attention.output.LayerNorm", f"{key}.output.LayerNorm"):
            found |= {f"{name}.weight": [384], f"{name}.bias": [384]}
    return found


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a short training says of itself."""
    folder = tmp_path_factory.mktemp("training")
    people(folder / "people.jsonl")
    further = {"group": "ben", "question": "what rises?", "evidence": ["i6"], "answer": "rent"}
    (folder / "ben.jsonl").write_text(json.dumps(further), encoding="utf-8")
    (folder / "shapes.json").write_text(json.dumps(shapes()), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SMOKE, folder],
        cwd=MAKE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_the_loss_falls_and_only_the_upper_layers_move(trained: dict[str, Any]) -> None:
    losses = trained["losses"]

    assert (trained["people"], trained["pairs"]) == (["ana", "ben"], 9)
    assert trained["traps"] == [["Mara sends the slides. (ana)"], ["Mara sends the slides. (ben)"]]
    assert sum(losses[-3:]) < sum(losses[:3])
    assert (trained["still"], trained["moved"]) == (True, True)


def test_further_questions_are_trained_on_and_judge_nobody(trained: dict[str, Any]) -> None:
    assert trained["further"] == [["ben", "Rent rises in May. (ben)"]]
    assert trained["judged_by"] == [5, 5]


def test_two_trainings_give_the_same_weights(trained: dict[str, Any]) -> None:
    assert trained["same"]


def test_the_packaged_graph_gives_the_vectors_of_the_trained_weights(
    trained: dict[str, Any],
) -> None:
    assert trained["cosine"] > 0.97
    assert trained["recall"] > 0.0
