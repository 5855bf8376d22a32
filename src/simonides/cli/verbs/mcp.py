"""`simonides mcp`: serve one space to an assistant that speaks MCP, or say how it is told."""

import os
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from simonides.api.memory import DEFAULT_HOME
from simonides.cli.context import Context
from simonides.cli.options import not_empty
from simonides.errors import InvalidInput

HELP = "Serve one space over MCP on standard input and output, or print clients' settings."
EXAMPLE = "simonides mcp install --client cursor"

URL = "http://127.0.0.1:8321/mcp"
"""Where `simonides serve` answers MCP unless it is told otherwise."""

ALONE = (
    "a client starts this and speaks to it over standard input (`simonides mcp install` says how"
    " each is told); Ctrl-C ends it"
)
"""What is told to who starts it on a terminal, where nothing else would be seen."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare what is to be done, and for which client."""
    add = parser.add_argument
    add("task", nargs="?", choices=("stdio", "install"), default="stdio",
        help="serve (the default), or print the configuration for clients")  # fmt: skip
    add("--tools", choices=("short", "all"), default="short",
        help="list nine short tools (the default), or also those of all operations")  # fmt: skip
    group = parser.add_argument_group("what install prints")
    group.add_argument("--client", metavar="NAME", type=not_empty,
        help="only for this client: claude-desktop, claude-code, cursor, vscode, …")  # fmt: skip
    group.add_argument("--url", metavar="URL", type=_whole_url,
        help=f"where a server over HTTP answers ({URL})")  # fmt: skip


def _whole_url(text: str) -> str:
    """Return the URL that `text` is; clients need all of it."""
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.path
    except ValueError:
        is_whole = False
    if not (is_whole and text.isprintable() and " " not in text):
        raise ArgumentTypeError(f"must be a whole URL such as {URL}, got {text!r}")
    return text


def run(context: Context, arguments: Namespace) -> None:
    """Serve until the client leaves, or print."""
    if arguments.task == "install":
        _install(context, arguments)
        return
    if arguments.client or arguments.url:
        raise InvalidInput("--client and --url", "belong to `simonides mcp install`")
    if find_spec("mcp") is None:
        raise InvalidInput("mcp", "needs its extra: pip install 'simonides[mcp]'")
    from simonides.mcp.stdio import serve
    from simonides.mcp.tool import ToolHost

    if context.stdin.isatty():
        context.output.note((f"serving the space {context.space!r}: {ALONE}", "dim"))
    with context.memory() as memory:
        serve(ToolHost(memory, now=context.clock), lists_all=arguments.tools == "all")


def _install(context: Context, arguments: Namespace) -> None:
    from simonides.mcp.clients import clients, named, written

    started = ["mcp", "--space", context.space, *_home(context), *_chosen(arguments)]
    command = [*found_program(sys.argv[0]), *started]
    url = (arguments.url or URL) + ("?tools=all" if arguments.tools == "all" else "")
    wanted = named(clients(command, url=url), arguments.client or "")

    def draw() -> None:
        for one in wanted:
            context.output.line((one.title, "bold"), f" ({one.name}): {one.file}")
            for way, told in (("started by the client", one.stdio), ("over HTTP", one.http)):
                if told:
                    context.output.line(f"{way}:")
                    for line in written(one.form, told).splitlines():
                        context.output.line(f"  {line}")
            context.output.line("")
            if one.told:
                context.output.note(f"{one.title}: {one.told}")

    context.output.answer({"clients": wanted}, draw=draw)


def _home(context: Context) -> list[str]:
    """Return how to name the home where it is not the usual one: clients start us anywhere."""
    home = context.home.absolute()
    return [] if home == Path(DEFAULT_HOME).expanduser() else ["--home", str(home)]


def _chosen(arguments: Namespace) -> list[str]:
    """Return the settings that were chosen by options: no file says them to who starts us."""
    chosen = (("--embedder", arguments.embedder), ("--timezone", arguments.timezone))
    words = [word for flag, value in chosen if value for word in (flag, value)]
    return [*words, *(("--tools", "all") if arguments.tools == "all" else ())]


def found_program(called: str) -> list[str]:
    """Return the command that starts this program from anywhere, its path absolute.

    That is the file by which it was called, else the one beside this Python, else the one that
    the shell finds, else this Python with the module.
    """
    beside = Path(sys.executable).with_name("simonides")
    for one in (called, str(beside), shutil.which("simonides") or ""):
        path = Path(one).absolute()
        if path.stem == "simonides" and path.is_file() and os.access(path, os.X_OK):
            return [str(path)]
    start = "from simonides.cli.main import main; main()"
    return [sys.executable, "-c", start]
