"""A server program at work: when it is ready, how it is stopped, and what it said last.

Knows processes, pipes and folders. Must not know which program it runs.
"""

import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
from collections import deque
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import Any

HOST = "127.0.0.1"
START_S = 60.0
STOP_S = 20.0
"""How long a machine under load may take to start a server, and to stop it in order."""

_LINES_MAX = 50


class ServerFailed(RuntimeError):
    """A server that did not start; with its last lines."""


class ServerProcess:
    """A server that runs from `start` to `stop` or `kill`; after those it may be started again.

    It is ready once it writes a line that holds `ready`. It stays in the group of processes of
    whoever starts it, so that what ends the group ends the server.
    """

    def __init__(self, command: Sequence[str], *, ready: str, user: str | None = None) -> None:
        self._command = list(command)
        self._ready = ready
        self._user = user
        self._process: subprocess.Popen[str] | None = None
        self._lines: deque[str] = deque(maxlen=_LINES_MAX)

    @property
    def pid(self) -> int:
        """The process id; 0 if it does not run."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start the program and return once it is ready.

        Raises:
            ServerFailed: It ended instead, or took too long.
        """
        process = subprocess.Popen(  # noqa: S603  programs of packages that are pinned
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd="/",
            **as_user(self._user),
        )
        said = Event()
        reader = Thread(target=self._read, args=(process, said), daemon=True)
        reader.start()
        self._process, self._reader = process, reader
        if not said.wait(START_S) or self._has_ended(process):
            self.kill()
            raise ServerFailed("\n".join([" ".join(self._command), *self._lines]))

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the program in order, and by force if that takes too long."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._note_end(self._process)

    def kill(self) -> None:
        """End the program at once, as a lost machine would."""
        if self._process is not None:
            self._process.kill()
            self._note_end(self._process)

    def pause(self) -> None:
        """Let the program hang: it accepts connections and answers nothing."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let a paused program go on."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def _note_end(self, process: "subprocess.Popen[str]") -> None:
        process.wait()
        self._reader.join(STOP_S)  # until its children have closed the pipe as well
        self._process = None

    def _has_ended(self, process: "subprocess.Popen[str]") -> bool:
        return not self._reader.is_alive() or process.poll() is not None

    def _read(self, process: "subprocess.Popen[str]", said: Event) -> None:
        if process.stdout is None:
            return
        with process.stdout as lines:
            for line in lines:
                self._lines.append(line.rstrip())
                if self._ready in line:
                    said.set()
        said.set()


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def server_user() -> str | None:
    """Return whom servers run as that refuse to run as root; None where we are not root."""
    return "nobody" if os.geteuid() == 0 else None


def as_user(user: str | None) -> dict[str, Any]:
    """Return the arguments of a new process that runs as a user."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": ()}


def make_folder(name: str, *, user: str | None) -> Path:
    """Return a new private folder of a server, owned by its user."""
    within = tempfile.gettempdir()
    if user is not None and not is_open_to_all(Path(within)):
        within = "/tmp"  # noqa: S108  a private folder is made in it
    folder = Path(tempfile.mkdtemp(prefix=f"simonides-{name}-", dir=within))
    if user is not None:
        shutil.chown(folder, user)
    return folder


def is_open_to_all(folder: Path) -> bool:
    """Return whether every user may enter a folder."""
    return all(one.stat().st_mode & stat.S_IXOTH for one in (folder, *folder.parents))


def package_folder(package: str) -> Path:
    """Return the folder of an installed package, without running its code.

    Raises:
        ServerFailed: It is not installed.
    """
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ServerFailed(f"{package} is not installed; requirements/dev.txt pins it")
    return Path(found.submodule_search_locations[0])
