"""`simonides init`: make a home and its config.toml."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from shlex import quote

from simonides.cli.context import Context
from simonides.cli.settings_text import config_text
from simonides.disk import make_private_folder, new_whole_file, remove_parts_of
from simonides.errors import StoreFull

HELP = "Make the home of your memory, with a commented config.toml."
EXAMPLE = "simonides init --home ~/.simonides"

_NEXT = (
    'add "Sarah moved the Alpha deadline to Friday"',
    "import ~/mail.mbox",
    'search "when is Alpha due?"',
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare nothing: `--home` says it all."""


def run(context: Context, arguments: Namespace) -> None:
    """Make the folder, write the settings unless they are there, and say what to do next."""
    path, written = make_home(context.home)
    record = {"home": context.home, "config": path, "written": written}
    context.output.answer(record, draw=lambda: _draw(context, arguments, written=written))


def make_home(home: Path, **chosen: object) -> tuple[Path, bool]:
    """Return the config.toml of `home`, made where it was not, and whether it was written now.

    Raises:
        StoreFull: The folder cannot be written.
    """
    path = home / "config.toml"
    try:
        make_private_folder(home)
        remove_parts_of(path)
        return path, not path.exists() and _is_written(path, config_text(**chosen))
    except OSError as error:
        raise StoreFull(
            f"{home} cannot be written ({error}); choose another with --home"
        ) from error


def _is_written(path: Path, text: str) -> bool:
    """Write a new file and return whether that was needed: another process may be faster."""
    try:
        with new_whole_file(path) as file:
            file.write(text.encode())
    except FileExistsError:
        return False
    return True


def _draw(context: Context, arguments: Namespace, *, written: bool) -> None:
    output = context.output
    output.line(f"{'made' if written else 'already there:'} {context.home / 'config.toml'}")
    home = f" --home {quote(arguments.home)}" if arguments.home else ""
    output.line("Next:")
    for verb in _NEXT:
        output.line(f"  {context.program} {verb}{home}")
