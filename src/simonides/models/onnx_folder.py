"""The files of a folder that holds a model in ONNX, as the usual exports write them.

Must not know what a model is for, nor load one.
"""

from pathlib import Path

from simonides.errors import InvalidInput

MODELS = ("model.onnx", "onnx/model.onnx")
"""Where the model lies in its folder."""

TOKENIZER = "tokenizer.json"


def file_in(folder: Path, *names: str, field: str) -> Path:
    """Return the first of these files that is in the folder.

    Raises:
        InvalidInput: There is none; names the setting `field`.
    """
    for file in map(folder.joinpath, names):
        if file.is_file():
            return file
    problem = f"onnx:{folder} must be a folder with {names[0]}; there is none"
    raise InvalidInput(field, problem)
