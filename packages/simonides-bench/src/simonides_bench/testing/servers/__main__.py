"""One throwaway server until Ctrl-C: `python -m simonides_bench.testing.servers postgres|valkey`.

Prints one line, its address.
"""

import signal
import sys
from threading import Event

from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_bench.testing.servers.valkey import ValkeyServer


def main(kind: str) -> None:
    """Run a server until this process is told to stop."""
    told = Event()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, lambda *_: told.set())
    if kind == "postgres":
        with PostgresServer() as postgres:
            _show(postgres.dsn())
            told.wait()
    else:
        with ValkeyServer() as valkey:
            _show(valkey.url)
            told.wait()


def _show(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
