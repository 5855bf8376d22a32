"""The files of the sentence encoder desk-minilm, and their checksums; no code runs them."""

import json
from pathlib import Path

__all__ = ["MODEL_ID", "SHA256", "path"]

_HERE = Path(__file__).parent
_MANIFEST = json.loads((_HERE / "manifest.json").read_text(encoding="utf-8"))

MODEL_ID: str = _MANIFEST["model_id"]
"""Names the vectors that these files make: model, quantisation, version of the two together."""

SHA256: dict[str, str] = _MANIFEST["sha256"]
"""The SHA-256 of each file, in hexadecimal, by its name."""


def path(name: str) -> Path:
    """Return where the file lies: one of the names in `SHA256`.

    Raises:
        ValueError: There is no such file.
    """
    if name not in SHA256:
        raise ValueError(f"no file {name!r}; there are {', '.join(sorted(SHA256))}")
    return _HERE / name
