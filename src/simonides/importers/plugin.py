"""Files of formats that plugins read.

Knows that foreign code may fail at any point. Must not know any format.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from simonides.importers.detect import SAMPLE_BYTES
from simonides.plugins import Importer, plugin_records, warn
from simonides.ports.importer import ImportEvent, SourceFile


def plugin_reader(path: Path) -> Callable[[SourceFile], Iterator[ImportEvent]] | None:
    """Return what reads the file by the first plugin importer that detects it; None for none."""
    importers = plugin_records(lambda plugin: plugin.importers, built_in=()).values()
    sample = _sample(path) if importers else None
    if sample is None:
        return None
    for importer in importers:
        if _detects(importer, path, sample):
            return lambda file: _read(importer, file)
    return None


def _sample(path: Path) -> bytes | None:
    """Return the beginning of a regular file; None where there is none to read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            return stream.read(SAMPLE_BYTES)
    except OSError:
        return None


def _detects(importer: Importer, path: Path, sample: bytes) -> bool:
    try:
        return importer.detect(path, sample)
    except Exception as error:  # noqa: BLE001  foreign code
        warn(f"the importer {importer.name!r} failed to detect: {_said(error)}")
        return False


def _read(importer: Importer, file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the events of a file; where its importer fails, say so instead of the rest."""
    try:
        yield from importer.read(file)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001  foreign code
        reason = f"the importer {importer.name!r} failed: {_said(error)}"
        yield file.passed_over(reason, bytes_done=file.size_bytes)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
