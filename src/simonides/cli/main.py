# PYTHON_ARGCOMPLETE_OK
"""The entry point: arguments to a verb, its outcome to an exit status.

Knows the verbs' names and how errors are reported. Must not know what any verb does.
"""

import argparse
import os
import shutil
import sys
import traceback
import warnings
from argparse import Action, ArgumentError, ArgumentParser
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn, TextIO

from simonides import codec
from simonides.api.memory import Memory
from simonides.cli.context import OpenMemory, resolve
from simonides.cli.options import Exit, Verb, add_shared, not_given, status_of
from simonides.cli.output import Output
from simonides.cli.terminal_text import one_line
from simonides.cli.verbs import VERBS, plugin_verbs
from simonides.errors import PluginWarning, SimonidesError
from simonides.model.coercion import nearest
from simonides.version import __version__

_ABOUT = "Store what an assistant may know, search it, and write the context for a model."
_CLOSING = """\
Begin with
  simonides init
  simonides import ~/mail.mbox ~/notes
  simonides search "what did Sarah send me last week?"

`simonides VERB --help` shows a verb's options and an example. Every verb takes --json."""


class UsageError(Exception):
    """An error in the arguments; `prog` is the program and verb that they belong to."""

    def __init__(self, prog: str, problem: str) -> None:
        super().__init__(problem)
        self.prog = prog


class Parser(ArgumentParser):
    """An argument parser that raises an error instead of printing and exiting."""

    def __init__(self, **rest: Any) -> None:
        rest.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **rest)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        raise UsageError(self.prog, message)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the parsed arguments; unknown ones are refused, with the nearest known option."""
        arguments, left = self.parse_known_args(args, namespace)
        if left:
            wrong = next((one for one in left if one.startswith("-")), "").partition("=")[0]
            near = nearest(wrong, self.flags()) if wrong else ""
            self.error(f"unrecognized arguments: {' '.join(left)}{near}")
        return arguments

    def flags(self) -> set[str]:
        """Return the options of this parser and of its subparsers."""
        found = {flag for action in self._actions for flag in action.option_strings}
        below = (action.choices for action in self._actions if isinstance(action.choices, dict))
        return found.union(*(sub.flags() for choices in below for sub in choices.values()))

    def _check_value(self, action: Action, value: Any) -> None:
        """Refuse an invalid choice, with the nearest valid one."""
        try:
            super()._check_value(action, value)
        except ArgumentError as error:
            if near := nearest(str(value), map(str, action.choices or ())):
                error.message = f"invalid choice: {value!r}{near}"
            raise


def build_parser(table: Mapping[str, Verb] = VERBS) -> Parser:
    """Return the parser of the whole command line, with a subparser for each verb."""
    parser = Parser(prog="simonides", description=_ABOUT, epilog=_CLOSING)
    parser.add_argument("-V", "--version", action="version", version=f"simonides {__version__}")
    add_shared(parser)
    verbs = parser.add_subparsers(title="verbs", dest="verb", metavar="VERB", required=True)
    for name, verb in table.items():
        sub = verbs.add_parser(
            name, help=verb.HELP, description=verb.HELP, epilog=f"example:\n  {verb.EXAMPLE}"
        )
        verb.add_arguments(sub)
        add_shared(sub)
    return parser


def verbs_for(argv: Sequence[str]) -> Mapping[str, Verb]:
    """Return the verb of a command line by name, or all verbs, including those of plugins.

    Finding plugins, and importing what other commands need, takes time that one need not pay.

    Raises:
        UsageError: Before the verb stands an option that only some verbs have, or none.
    """
    before = Parser(prog="simonides", add_help=False)
    add_shared(before)
    words = before.parse_known_args(argv)[1]
    if words and words[0] in VERBS:
        return {words[0]: VERBS[words[0]]}
    if {"-V", "--version"} & set(words[:1]):
        return {}
    if not words:
        return VERBS
    option = words[0].partition("=")[0]
    if option.startswith("-") and option not in ("-h", "--help"):
        before.error(f"{option} is not an option of every verb: put it behind its verb")
    return {**VERBS, **plugin_verbs()}


def run(
    argv: Sequence[str],
    *,
    stdin: TextIO,
    out: TextIO,
    err: TextIO,
    environment: Mapping[str, str],
    open_memory: OpenMemory,
    program: str = "simonides",
) -> int:
    """Run one command line and return its exit status; errors are written to `err`."""
    prog, status = "simonides", int(Exit.OK)
    failed: dict[str, Any] = {}
    try:
        table = verbs_for(argv)
        arguments = build_parser(table).parse_args(argv, not_given())
        prog = f"simonides {arguments.verb}"
        context = resolve(
            arguments,
            environment=environment,
            output=Output(out, err, as_json=arguments.json),
            stdin=stdin,
            open_memory=open_memory,
            program=program,
        )
        table[arguments.verb].run(context, arguments)
        out.flush()
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else Exit.OK
        _finish(out)  # what --help and --version wrote
    except KeyboardInterrupt:
        status = Exit.INTERRUPTED
    except BrokenPipeError:
        _reader_left(out)
    except UsageError as error:
        prog, status, failed = error.prog, _usage_status(argv), _failure("usage", str(error))
    except SimonidesError as error:
        status = status_of(error)
        failed = _failure(error.code, str(error), retryable=error.retryable)
    except Exception as error:  # noqa: BLE001  the door reports every error, also our own
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        message = f"{type(error).__name__}: {error} (at {where})"
        status, failed = Exit.UNEXPECTED, _failure("unexpected", message)
    if failed:
        _tell(err, prog, failed, as_json="--json" in argv)
    return status


def _usage_status(argv: Sequence[str]) -> Exit:
    """Return the status of wrong arguments; never 2 where an agent may take it for a refusal."""
    verb = next((one for one in argv if one in VERBS), "")
    return Exit.UNEXPECTED if verb == "hook" else Exit.USAGE


def _failure(code: str, message: str, *, retryable: bool = False) -> dict[str, Any]:
    return {"code": code, "message": message, "retryable": retryable}


def _tell(err: TextIO, prog: str, failed: Mapping[str, Any], *, as_json: bool) -> None:
    """Write an error: as `simonides verb: … [code]`, or as a JSON object."""
    if as_json:
        report = codec.write.to_line({"error": failed})
    else:
        hint = f"\n  try: {prog} --help" if failed["code"] == "usage" else ""
        report = one_line(f"{prog}: {failed['message']} [{failed['code']}]") + hint
    with suppress(OSError):  # nobody listens
        err.write(report + "\n")


def _finish(out: TextIO) -> None:
    try:
        out.flush()
    except BrokenPipeError:
        _reader_left(out)


def _reader_left(out: TextIO) -> None:
    """Handle a closed pipe (`| head`) as success; keep Python from reporting it at exit."""
    if out is sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _program() -> str:
    """Return the command of this program: its name if the shell finds it, else its path."""
    if shutil.which("simonides"):
        return "simonides"
    try:
        return os.path.relpath(sys.argv[0])
    except (OSError, ValueError):  # the folder we are in is gone, or on another drive
        return sys.argv[0]


def _stream(stream: TextIO | None, *, errors: str, encoding: str | None = None) -> TextIO:
    """Return a configured standard stream; one that the shell closed becomes an empty one."""
    if stream is None:
        return Path(os.devnull).open("r+", encoding="utf-8")
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors)
    return stream


def _complete() -> None:
    """Answer a completion request of the shell, if the extra is installed."""
    with suppress(ImportError):
        import argcomplete  # only where a shell asks: no other call pays for it

        argcomplete.autocomplete(build_parser())


def _format_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int,
    line: str | None = None,
) -> str:  # fmt: skip
    """Return the warning of a plugin as one plain line, any other warning as Python formats it."""
    if issubclass(category, PluginWarning):
        return one_line(f"simonides: {message}") + "\n"
    return f"{filename}:{lineno}: {category.__name__}: {message}\n" + (line or "")


def main() -> NoReturn:
    """Run the command line with the arguments of this process."""
    if "_ARGCOMPLETE" in os.environ:
        _complete()
    warnings.formatwarning = _format_warning
    status = run(
        sys.argv[1:],
        stdin=_stream(sys.stdin, encoding="utf-8-sig", errors="strict"),
        out=_stream(sys.stdout, errors="replace"),
        err=_stream(sys.stderr, errors="replace"),
        environment=os.environ,
        open_memory=Memory,
        program=_program(),
    )
    raise SystemExit(status)
