"""`simonides web`: show the memory in the browser, until the process is stopped."""

import webbrowser
from argparse import ArgumentParser, Namespace
from threading import Thread

from simonides.cli.context import Context
from simonides.cli.verbs import serve

HELP = "Open the memory in the browser: ask, see what is found and why, and what is kept."
EXAMPLE = "simonides web"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the port, and whether the browser is opened."""
    parser.add_argument(
        "--port",
        default=8321,
        type=serve.port,
        metavar="N",
        help="the port (8321); 0 takes a free one",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(context: Context, arguments: Namespace) -> None:
    """Serve on this machine as `serve` does, and open the browser once pages are answered."""
    parser = ArgumentParser()
    serve.add_arguments(parser)
    given = parser.parse_args(["--port", str(arguments.port)])
    serve.run(context, given, on_address=None if arguments.no_browser else _open)


def _open(url: str) -> None:
    """Open the browser aside: one that runs in the terminal would hold the server."""
    Thread(target=webbrowser.open, args=(url,), daemon=True).start()
