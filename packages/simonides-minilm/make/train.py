"""Train the upstream weights on questions about the lives of several persons.

    python train.py UPSTREAM_DIRECTORY OUT.safetensors DATA…
        [--held-out NAME …] [--judge DATA …] [--questions DIRECTORY]

DATA are folders of desks and files of the neutral format. Persons named by `--held-out` are not
trained on; what dense search finds of them, and of the data to judge by, is printed before and
after. `--questions` adds the files of a directory, such as `questions`, to what is trained on;
nobody is judged by them. The upstream directory is that of build.py. Beside OUT lies `OUT.json`:
recipe, checksums of the data and of the result.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from build import verify
from pairs import pairs_of
from people import Person, read_people
from safetensors.numpy import load_file, save_file
from training import Recipe, train
from vectors import embed_person, figures

UNUSED = ("pooler.", "embeddings.position_ids")
"""What the upstream file holds beside the weights of the encoder."""


def main() -> None:
    """Train, judge and save."""
    asked = _arguments()
    people = [one for path in asked.data for one in read_people(path, asked.questions)]
    judged = [person for path in asked.judge for person in read_people(path)]
    base = encoder_weights(verify(asked.upstream, "model.safetensors"))
    kept = [one for one in people if one.name not in asked.held_out]
    taught = [one.to_train_on() for one in kept]
    pairs = [pair for one in taught for pair in pairs_of(one, embed_person(base, one))]
    recipe = Recipe()
    print(f"{len(pairs)} pairs of {', '.join(one.name for one in kept)}", flush=True)
    begun = time.monotonic()
    trained = train(base, pairs, recipe, on_step=_show)
    print(f"trained in {time.monotonic() - begun:.0f} s", flush=True)
    save_file({name: np.ascontiguousarray(value) for name, value in trained.items()}, asked.out)
    asked.out.with_suffix(".json").write_text(
        json.dumps(_record(asked, recipe, kept), indent=2) + "\n", encoding="utf-8"
    )
    for one in [*(one for one in people if one.name in asked.held_out), *judged]:
        print(json.dumps({"person": one.name, "base": asdict(figures(base, one)),
                          "trained": asdict(figures(trained, one))}), flush=True)  # fmt: skip


def encoder_weights(path: Path) -> dict[str, np.ndarray]:
    """Return the encoder's weights of an upstream file."""
    return {name: value for name, value in load_file(path).items() if not name.startswith(UNUSED)}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("upstream", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--held-out", nargs="*", default=[])
    parser.add_argument("--judge", type=Path, nargs="*", default=[])
    parser.add_argument("--questions", type=Path)
    return parser.parse_args()


def _show(step: int, steps: int, loss: float) -> None:
    if step % 20 == 0 or step == steps:
        print(f"step {step} of {steps}: loss {loss:.3f}", flush=True)


def _record(asked: argparse.Namespace, recipe: Recipe, kept: Sequence[Person]) -> dict[str, object]:
    read = [*asked.data, *([asked.questions] if asked.questions else [])]
    return {
        "recipe": asdict(recipe),
        "persons": [one.name for one in kept],
        "data_sha256": {name: digest for path in read for name, digest in _digests(path)},
        "weights_sha256": hashlib.sha256(asked.out.read_bytes()).hexdigest(),
    }


def _digests(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and SHA-256 of each file of the data."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    for one in files:
        name = one.relative_to(path.parent).as_posix()
        yield name, hashlib.sha256(one.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
