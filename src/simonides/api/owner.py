"""The owner of a home: whose memory it is, a setting in its config.toml.

Knows when an owner that was found in an import is kept. Must not know how it is found.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from simonides.api.arguments import check_texts
from simonides.api.runtime import Runtime
from simonides.config import Settings, read_settings_file, says_owner, with_owner
from simonides.disk import make_private_folder, write_atomically
from simonides.errors import InvalidInput, StoreFull
from simonides.model.import_report import ImportReport


def set_owner(runtime: Runtime, owner: Sequence[str]) -> tuple[str, ...]:
    """Set the owner of the home, in its file and at once; return it."""
    check_texts(*owner, field="owner")
    named = tuple(filter(None, (text.strip() for text in owner)))
    settings = replace(runtime.settings, owner=named)
    if not runtime.is_in_memory:
        _write(runtime, named)
    runtime.settings = settings
    return named


def _write(runtime: Runtime, owner: tuple[str, ...]) -> None:
    path = runtime.path / "config.toml"
    try:
        make_private_folder(runtime.path)
        text = read_settings_file(path) if path.is_file() else ""
        changed = with_owner(text, owner)
        with write_atomically(path) as file:
            file.write(changed.encode())
    except UnicodeDecodeError as error:
        raise InvalidInput(str(path), f"is not UTF-8: {error}") from error
    except OSError as error:
        raise StoreFull(f"{path} cannot be written ({error.strerror}); make room") from error


def lacks_owner(home: Path | None, settings: Settings, spaces: Sequence[str]) -> bool:
    """Return whether an import may set the owner of a home.

    That is where none is set, the file does not say nobody, and there is one space: others may be
    other people's.
    """
    is_open = home is None or not says_owner(home)
    return is_open and not settings.owner and len(spaces) == 1


def keep_found(runtime: Runtime, report: ImportReport) -> ImportReport:
    """Set the owner found in an import, unless the settings were handed in; return the report."""
    if runtime.finds_owner and report.owner and not report.dry_run:
        home = None if runtime.is_in_memory else runtime.path
        if lacks_owner(home, runtime.settings, runtime.store.names()):
            set_owner(runtime, report.owner)
    return report
