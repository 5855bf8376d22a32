"""`simonides mcp`: serve one space over MCP, or print the configuration of clients."""

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
from simonides.model.access import DEFAULT_PERMISSIONS, Permission

HELP = "Serve one space over MCP on standard input and output, or print clients' settings."
EXAMPLE = "simonides mcp install --client cursor"

URL = "http://127.0.0.1:8321/mcp"
"""Where `simonides serve` answers MCP unless set otherwise."""

SHORT = "short"
"""The set of tools that is listed unless another is asked for."""

ALONE = (
    "a client starts this and speaks to it over standard input (`simonides mcp install` says how"
    " each is explained); Ctrl-C ends it"
)
"""What is shown to who starts it on a terminal, where nothing else would be seen."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the task, and the options of a client."""
    add = parser.add_argument
    add("task", nargs="?", choices=("stdio", "install"), default="stdio",
        help="serve (the default), or print the configuration for clients")  # fmt: skip
    add("--tools", "--dialect", choices=(SHORT, "all", "reference"), default=SHORT,
        help="list ten short tools (the default), also those of all operations, or in their place"
        " those of the reference MCP memory server")  # fmt: skip
    add("--allow", action="append", choices=(Permission.ERASE, Permission.ADMIN), default=[],
        help="let the model erase, or administer the space as well; may be repeated")  # fmt: skip
    group = parser.add_argument_group("what install prints")
    group.add_argument("--client", metavar="NAME", type=not_empty,
        help="only for this client: claude-desktop, claude-code, cursor, vscode, …")  # fmt: skip
    group.add_argument("--url", metavar="URL", type=_whole_url,
        help=f"where a server over HTTP answers ({URL})")  # fmt: skip


def _whole_url(text: str) -> str:
    """Return `text` if it is a complete URL, which clients need."""
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.path
    except ValueError:
        is_whole = False
    if not (is_whole and text.isprintable() and " " not in text):
        raise ArgumentTypeError(f"must be a whole URL such as {URL}, got {text!r}")
    return text


def run(context: Context, arguments: Namespace) -> None:
    """Serve until the client disconnects, or print the configuration."""
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
        allowed = (*DEFAULT_PERMISSIONS, *map(Permission, arguments.allow))
        host = ToolHost(memory, now=context.clock, permissions=allowed)
        serve(host, tools=arguments.tools)


def _install(context: Context, arguments: Namespace) -> None:
    from simonides.mcp.clients import clients, find_clients, write_configuration

    started = ["mcp", "--space", context.space, *home_option(context), *_read_settings(arguments)]
    command = [*find_program(sys.argv[0]), *started]
    url = (arguments.url or URL) + ("" if arguments.tools == SHORT else f"?tools={arguments.tools}")
    wanted = find_clients(clients(command, url=url), arguments.client or "")

    def draw() -> None:
        for one in wanted:
            context.output.line((one.title, "bold"), f" ({one.name}): {one.file}")
            for way, content in (
                ("started by the client", one.stdio),
                ("over HTTP", one.http),
            ):
                if content:
                    context.output.line(f"{way}:")
                    for line in write_configuration(one.form, content).splitlines():
                        context.output.line(f"  {line}")
            context.output.line("")
            if one.note:
                context.output.note(f"{one.title}: {one.note}")

    context.output.answer({"clients": wanted}, draw=draw)


def home_option(context: Context) -> list[str]:
    """Return the option for the home unless it is the default: clients start us in any folder."""
    home = context.home.absolute()
    return [] if home == Path(DEFAULT_HOME).expanduser() else ["--home", str(home)]


def _read_settings(arguments: Namespace) -> list[str]:
    """Return the settings chosen by options, which no file holds for a client."""
    chosen = (("--embedder", arguments.embedder), ("--timezone", arguments.timezone))
    words = [word for flag, value in chosen if value for word in (flag, value)]
    allowed = [word for one in arguments.allow for word in ("--allow", str(one))]
    return [*words, *allowed, *(() if arguments.tools == SHORT else ("--tools", arguments.tools))]


def find_program(called: str) -> list[str]:
    """Return the command that starts this program from anywhere, with an absolute path.

    That is the file by which it was called, else the one beside this Python, else the one that
    the shell finds, else this Python with the module.
    """
    sibling = Path(sys.executable).with_name("simonides")
    for one in (called, str(sibling), shutil.which("simonides") or ""):
        path = Path(one).absolute()
        if path.stem == "simonides" and path.is_file() and os.access(path, os.X_OK):
            return [str(path)]
    start = "from simonides.cli.main import main; main()"
    return [sys.executable, "-c", start]
