"""Write what the model of some trained weights differs by from the packaged one.

    python fold.py TRAINED.safetensors OUT.xz

For the models without some persons that `simonides bench ranking` judges by: train.py with
`--held-out` makes their weights, and OUT lies in `simonides_bench/ranking`.
"""

import sys
import tempfile
from pathlib import Path

from build import TARGET, difference, quantise


def main(trained: Path, out: Path) -> None:
    """Write the difference."""
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "model.onnx"
        quantise(trained, model)
        out.write_bytes(difference(model.read_bytes(), (TARGET / "model.onnx").read_bytes()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
