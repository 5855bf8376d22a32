"""The labelled data at a path: the folder of a desk, or a file of the neutral format."""

from pathlib import Path

from simonides_bench.desk.folder import DeskFolder
from simonides_bench.desk.groups import NeutralFile
from simonides_bench.desk.spaces import LabelledData


def read_labelled_data(path: Path) -> LabelledData:
    """Return the labelled data at a path, its questions already read.

    Raises:
        InvalidInput: The questions cannot be read; names the line.
    """
    return DeskFolder(path) if path.is_dir() else NeutralFile(path)
