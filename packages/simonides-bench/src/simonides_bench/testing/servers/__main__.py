"""One throwaway server until Ctrl-C: `python -m simonides_bench.testing.servers postgres|valkey`.

Prints one line, its address.
"""

import signal
import sys
from threading import Event

from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_bench.testing.servers.valkey import ValkeyServer


def main(kind: str) -> None:
    """Run a server until a signal stops this process."""
    stopped = Event()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, lambda *_: stopped.set())
    if kind == "postgres":
        with PostgresServer() as postgres:
            _show(postgres.dsn())
            stopped.wait()
    else:
        with ValkeyServer() as valkey:
            _show(valkey.url)
            stopped.wait()


def _show(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
