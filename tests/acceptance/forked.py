"""The command line in a process of its own that need not import everything again.

Most of what a short call costs is the start of Python and the imports. One server for each pytest
process imports them once, starts no thread and opens nothing. For each call it forks a child with
its own arguments, environment, folder, streams and process group, and the child runs
`simonides.cli.main.main()` until the interpreter ends. What depends on a fresh interpreter (hash
seeds, locales, threads of libraries) goes to the real binary, and everything does where forking is
not safe.
"""

import gc
import os
import pickle
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from signal import SIGKILL
from typing import Final

BINARY: Final = Path(sys.executable).with_name("simonides")
MAY_DIFFER: Final = ("SIMONIDES_", "PYTEST_", "ORT_DISABLE_TELEMETRY")
"""Variables that are read only after the start; the others must be those of the server.

The last one the embedder sets, in the process of the tests, too; the server always has it.
"""

_HEAVY: Final = ("apsw", "numpy", "onnxruntime", "simsimd", "Stemmer", "toktok", "simonides_minilm")
_NUMBER: Final = struct.Struct("!q")
_TIMEOUT_S: Final = 60.0


def run(
    *argv: str, stdin: bytes = b"", environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line to its end, with exactly this environment, and return what it wrote."""
    if sys.platform == "linux" and (server := started()).fits(environment):
        return server.run(argv, stdin, environment)
    return subprocess.run(
        [BINARY, *argv], input=stdin, env=environment, capture_output=True, timeout=_TIMEOUT_S,
        check=False,
    )  # fmt: skip


@cache
def started() -> "ForkServer":
    """Return the server of this process; the first call starts it."""
    return ForkServer()


def close() -> None:
    """End the server of this process, if there is one."""
    if started.cache_info().currsize:
        started().close()
        started.cache_clear()


class ForkServer:
    """The near end: hands over calls, one at a time, and collects what comes of them."""

    def __init__(self) -> None:
        self._control, far = socket.socketpair()
        self._environment = _fixed(os.environ)
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(far.fileno())], pass_fds=[far.fileno()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        far.close()

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Return whether an interpreter started with this environment would be like the server."""
        return _fixed(environment) == self._environment

    def run(
        self,
        argv: tuple[str, ...],
        stdin: bytes,
        environment: Mapping[str, str],
        timeout_s: float = _TIMEOUT_S,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run one call in a child of the server; one that takes longer is killed."""
        call = ([os.fsencode(one) for one in argv], dict(environment), str(Path.cwd()))
        with ThreadPoolExecutor(3) as pool:
            far, ends = zip(*(_pipe(writes=n == 0) for n in range(3)), strict=True)
            child = self._hand_over(pickle.dumps(call), far)
            pool.submit(_feed, ends[0], stdin)
            out, err = (pool.submit(_drain, end) for end in ends[1:])
            try:
                status = self._answer(timeout_s)
            except TimeoutError:
                os.kill(child, SIGKILL)
                self._answer(_TIMEOUT_S)
                raise subprocess.TimeoutExpired(argv, timeout_s) from None
        return subprocess.CompletedProcess(argv, status, out.result(), err.result())

    def close(self) -> None:
        """End the server; it has no child between two calls."""
        self._control.close()
        self.process.communicate()

    def _hand_over(self, call: bytes, streams: tuple[int, ...]) -> int:
        """Send a call with its streams, which are ours no longer; return the child's number."""
        socket.send_fds(self._control, [_NUMBER.pack(len(call))], streams)
        for stream in streams:
            os.close(stream)
        self._control.sendall(call)
        return self._answer(_TIMEOUT_S)

    def _answer(self, timeout: float) -> int:
        self._control.settimeout(timeout)
        return int(_NUMBER.unpack(_exactly(self._control, _NUMBER.size))[0])


def is_like_ours(environment: Mapping[str, str]) -> bool:
    """Return whether an interpreter started with this environment would be like this one."""
    return _fixed(environment) == _fixed(os.environ)


def _fixed(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith(MAY_DIFFER)}


def _pipe(*, writes: bool) -> tuple[int, int]:
    """Return the far and the near end of a pipe into which the near end writes or not."""
    reading, writing = os.pipe()
    return (reading, writing) if writes else (writing, reading)


def _feed(stream: int, data: bytes) -> None:
    with suppress(BrokenPipeError), open(stream, "wb") as pipe:
        pipe.write(data)


def _drain(stream: int) -> bytes:
    with open(stream, "rb") as pipe:
        return pipe.read()


def _exactly(control: socket.socket, size: int) -> bytes:
    """Return so many bytes of the other side, which must not have left."""
    data = b""
    while len(data) < size:
        more = control.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


# ── the far end ───────────────────────────────────────────────────────────────────────────────


def preload() -> None:
    """Import whatever the verbs import, but for the servers, which no call here starts."""
    import simonides
    from simonides.text.analyse import pieces
    from simonides.text.tokens import count

    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # as the embedder does, before its import
    for name in _HEAVY:
        with suppress(ImportError):
            import_module(name)
    for module in walk_packages(simonides.__path__, "simonides."):
        if not module.name.startswith(("simonides.http", "simonides.mcp", "simonides.__main__")):
            with suppress(ImportError):  # what an extra brings
                import_module(module.name)
    count("tables of text that are made once")
    pieces("größer")
    gc.freeze()


def serve(control: socket.socket) -> None:
    """Fork a child for each call, and return in the child; the server itself never returns."""
    while True:
        try:
            head, streams, *_ = socket.recv_fds(control, _NUMBER.size, 3)
            call = _exactly(control, _NUMBER.unpack(head)[0])
        except (EOFError, OSError, struct.error):  # who calls has left
            os._exit(0)
        child = os.fork()
        if child == 0:
            control.close()
            _become(call, streams)
            return
        for stream in streams:
            os.close(stream)
        with suppress(OSError):
            control.sendall(_NUMBER.pack(child))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            control.sendall(_NUMBER.pack(status))


def _become(call: bytes, streams: list[int]) -> None:
    """Make this process what a shell would have started."""
    argv, environment, folder = pickle.loads(call)  # noqa: S301  from the test that started us
    os.setpgid(0, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [str(BINARY), *map(os.fsdecode, argv)]


if __name__ == "__main__":
    from simonides.cli.main import main

    preload()
    serve(socket.socket(fileno=int(sys.argv[1])))
    main()
