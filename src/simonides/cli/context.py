"""The context of a verb: streams, settings, the clock, and a way to open a memory.

Knows how the shared options become settings. Must not know any verb.
"""

import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TextIO

from simonides.api.arguments import expand_home
from simonides.api.memory import DEFAULT_HOME, DEFAULT_SPACE, Memory
from simonides.cli.output import Output
from simonides.config import Settings, load
from simonides.errors import InvalidInput
from simonides.model.times import read_time, show_in_zone
from simonides.ports.models import Clock


class OpenMemory(Protocol):
    """A function that opens a memory; tests pass a fake one."""

    def __call__(self, home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
        """Return the memory of one space under `home`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The context of a verb. `program` is the command by which the user called this program."""

    output: Output
    stdin: TextIO
    home: Path
    space: str
    settings: Settings
    clock: Clock
    open_memory: OpenMemory
    program: str = "simonides"

    @contextmanager
    def memory(self, space: str = "") -> Iterator[Memory]:
        """Open the memory of `space` (default: the one asked for), and close it again."""
        name = space or self.space
        with closing(
            self.open_memory(self.home, space=name, settings=self.settings, clock=self.clock)
        ) as memory:
            yield memory

    def read_text(self, given: str) -> str:
        """Return `given`, or all of standard input if it is `-`."""
        if given != "-":
            return given
        try:
            return self.stdin.read()
        except UnicodeDecodeError as error:
            raise InvalidInput("standard input", f"is not UTF-8: {error}") from error

    def day(self, when: datetime | None) -> str:
        """Return the date of `when` in the user's zone; ten blanks without a time."""
        return self._local(when).date().isoformat() if when else " " * 10

    def minute(self, when: datetime | None) -> str:
        """Return `when` to the minute in the user's zone, with its name; empty without a time."""
        local = self._local(when) if when else None
        return f"{local.date().isoformat()} {local:%H:%M %Z}" if local else ""

    def _local(self, when: datetime) -> datetime:
        return show_in_zone(when, self.settings.timezone)


def resolve(
    arguments: Namespace,
    *,
    environment: Mapping[str, str],
    output: Output,
    stdin: TextIO,
    open_memory: OpenMemory,
    program: str,
) -> Context:
    """Return the context of one run: options override the environment, which overrides the file.

    Raises:
        InvalidInput: A setting or `--now` does not fit.
    """
    home = expand_home(arguments.home or environment.get("SIMONIDES_HOME") or DEFAULT_HOME)
    overrides = {"embedder": arguments.embedder, "timezone": arguments.timezone}
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        settings = load(home, environment, overrides)
    for warning in noted:
        output.note(f"note: {warning.message}")
    return Context(
        output=output,
        stdin=stdin,
        home=home,
        space=arguments.space or environment.get("SIMONIDES_SPACE") or DEFAULT_SPACE,
        settings=settings,
        clock=_clock(arguments.now, settings.timezone),
        open_memory=open_memory,
        program=program,
    )


@contextmanager
def open_text(path: str, *, flag: str, newline: str | None = None) -> Iterator[TextIO]:
    """Open a file of text that an option names, to read it within the block.

    Raises:
        InvalidInput: It cannot be read, or is not UTF-8.
    """
    try:
        with expand_home(path).open(encoding="utf-8-sig", newline=newline) as file:
            yield file
    except UnicodeDecodeError as error:
        raise InvalidInput(flag, f"{path} is not UTF-8: {error}") from error
    except OSError as error:
        raise InvalidInput(flag, f"cannot read {path}: {error.strerror}") from error


def _clock(now: str, timezone: str) -> Callable[[], datetime]:
    if not now:
        return lambda: datetime.now(UTC)
    fixed = read_time(now, name="--now", timezone=timezone).astimezone(UTC)
    return lambda: fixed
