"""Models of this machine as a process finds them that has loaded none."""

from functools import cache

import pytest

from simonides.models.embedding import minilm


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model was loaded in this process: what is loaded is shared by all embedders else."""
    for name in ("_load", "_encoders"):
        monkeypatch.setattr(minilm, name, cache(getattr(minilm, name).__wrapped__))
