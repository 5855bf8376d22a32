"""Rounds of misbehaving clients on a server, and what is wrong during them and afterwards.

Knows what an honest client and an owner may expect meanwhile. Must not know how a server keeps it.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from simonides_bench.crash import words
from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.peers.clients import KINDS, Client, stuck_model
from simonides_bench.crash.peers.process import Held, ServerProcess, server_process
from simonides_bench.crash.peers.served import STREAMS, memory_of
from simonides_bench.crash.scratch import scratch
from simonides_bench.crash.tally import Tally
from simonides_bench.crash.whole.bytes_left import files_below, files_left

EXPORT_ITEMS = 24
"""Items of 400 KB: an export must be longer than what buffers on the way take in (some 4 MB)."""

HOLD_S = 3.0
"""How long clients misbehave: three times the pauses that the server of a trial allows."""

ANSWER_S = 15.0
"""How long an honest question may take meanwhile on a loaded machine; mostly it is milliseconds."""

ERASURE_S = 30.0
"""How long an erasure may wait for readers (docs/how-to/erase.md), with room for the machine."""

SETTLE_S = 60.0
"""How long after its clients have gone a server may still hold something of theirs."""

STOP_S = 12.0
"""What is added to the promise of ending: a loaded machine takes a while to close a space."""

EACH = 2
"""Clients of each kind in a round."""


FIRST_ROUND = Held(threads=4, files=8, sockets=2)
"""How much more a server may hold after the first round than before: threads that are made when
first needed (chats, the endpoint behind the proxy), and the files of as many connections of the
space, two each, as readers left open."""

LATER_ROUNDS = Held(threads=1, files=4, sockets=1)
"""How much more after each later round: nothing is needed for the first time any more."""


@dataclass(slots=True)
class PeerTrial:
    """One server and rounds of clients; `kinds` are the names of those that come."""

    root: Path
    server: ServerProcess
    kinds: Sequence[str]
    draw: random.Random
    hold_s: float = HOLD_S
    faults: list[Fault] = field(default_factory=list)
    _erased: int = 0

    def run(self, rounds: int) -> list[Fault]:
        """Play rounds, then end the server while clients misbehave; return what was wrong."""
        self._warm()
        before, most = self.server.read_load(), FIRST_ROUND
        for _ in range(rounds):
            before, most = self._round(before, most), LATER_ROUNDS
        self._stop()
        return self.faults

    def _warm(self) -> None:
        """Ask as much at once as the server takes on, so that its pools are as large as can be."""
        with ThreadPoolExecutor(STREAMS + 8) as pool:
            exports = [pool.submit(self.server.ask, "GET", "/v1/export") for _ in range(STREAMS)]
            asked = [pool.submit(self._search) for _ in range(64)]
            for one in (*exports, *asked):
                one.result()
        self._erase_meanwhile()

    def _search(self) -> tuple[int, bytes]:
        return self.server.ask("POST", "/v1/search", {"query": words.COMMON}, timeout_s=ANSWER_S)

    def _round(self, before: Held, most: Held) -> Held:
        """Play one round; return what the server holds after it."""
        clients = self._clients()
        until = time.monotonic() + self.hold_s
        self._erase_meanwhile()
        while time.monotonic() < until:
            self._ask_honestly()
            time.sleep(0.2)
        for one in clients:
            one.close()
        after = self._wait_for_rest(before, most)
        self._compare(before, after, most)
        self._probe_capacity()
        self._erase_from_elsewhere()
        return after

    def _clients(self) -> list[Client]:
        kinds = [KINDS[name] for name in self.kinds] * EACH
        self.draw.shuffle(kinds)
        clients = []
        for kind in kinds:
            with suppress(OSError):  # a server may refuse a connection more
                clients.append(kind(self.server.port))
        return clients

    def _ask_honestly(self) -> None:
        """Ask a question; a refusal that says to try again is an answer, none is not."""
        try:
            status, said = self._search()
        except OSError as error:
            self._note(Wrong.HUNG, f"a search got no answer while clients misbehaved: {error!r}")
            return
        if status not in (200, 429, 503):
            self._note(Wrong.UNCLEAR, f"a search got {status}: {said[:120]!r}")

    def _erase_meanwhile(self) -> None:
        """Have the server erase an item while readers are stuck: it ends, or says why not."""
        item_id = f"s-{self._erased}"
        self._erased += 1
        try:
            status, said = self.server.ask(
                "POST", "/v1/erase", {"ids": [item_id]}, timeout_s=ERASURE_S
            )
        except OSError as error:
            self._note(Wrong.HUNG, f"an erasure did not end while readers were stuck: {error!r}")
            return
        if status not in (200, 429, 503):
            self._note(Wrong.UNCLEAR, f"an erasure got {status}: {said[:120]!r}")

    def _wait_for_rest(self, before: Held, most: Held) -> Held:
        """Return what the server holds once that is as before, or at the last moment."""
        until = time.monotonic() + SETTLE_S
        while True:
            now = self.server.read_load()
            if not now.above(before, most) or time.monotonic() > until:
                return now
            time.sleep(0.1)

    def _compare(self, before: Held, after: Held, most: Held) -> None:
        for name in after.above(before, most):
            wrong = Wrong.LEAKED_THREADS if name == "threads" else Wrong.LEAKED_DESCRIPTORS
            self._note(wrong, f"{getattr(before, name)} {name}, then {getattr(after, name)}")
        for _name, path in files_below(self.root / "tmp"):
            self._note(Wrong.LEFT_FILES, f"temporary file {path.name} is still there")

    def _probe_capacity(self) -> None:
        """Ask for as many exports as there may be: a thread that is stuck answers none."""
        with ThreadPoolExecutor(STREAMS) as pool:
            asked = [pool.submit(self._export) for _ in range(STREAMS)]
            answers = [one.exception() or one.result() for one in asked]
        if answers != [200] * STREAMS:
            self._note(Wrong.LEAKED_THREADS, f"{STREAMS} exports at once afterwards: {answers}")

    def _export(self) -> int:
        """Return the status of an export, asked again while the server says to try later.

        Only half of the streams are for one caller; on a slow machine the others wait too long.
        """
        until = time.monotonic() + ANSWER_S
        while True:
            status, _ = self.server.ask("GET", "/v1/export", timeout_s=ANSWER_S)
            if status != HTTPStatus.SERVICE_UNAVAILABLE or time.monotonic() > until:
                return status
            time.sleep(0.2)

    def _erase_from_elsewhere(self) -> None:
        """Erase an item in this process: it is complete unless the server still reads."""
        item_id = f"e-{self._erased}"
        self._erased += 1
        with memory_of(self.root / "home") as memory:
            memory.add("to be erased at once", id=item_id)
            report = memory.erase(item_id)
        if not report.complete:
            self._note(Wrong.HELD_READS, f"an erasure afterwards: {'; '.join(report.notes)}")

    def _stop(self) -> None:
        """End the server while clients misbehave: it keeps its promise whatever they do."""
        clients = self._clients()
        most_s = self.server.drain_s + STOP_S
        if self.server.measure_stop_s(most_s) is None:
            self._note(Wrong.HUNG, f"it did not end within {most_s:.0f} s of SIGTERM")
            self.server.kill()
        for one in clients:
            one.close()
        self.faults += files_left(self.root, frozenset(), when="after the server ended")

    def _note(self, wrong: Wrong, seen: str) -> None:
        self.faults.append(Fault(wrong=wrong, seen=seen))


def fill(root: Path) -> None:
    """Make a home whose export is long."""
    with memory_of(root / "home") as memory:
        memory.add([words.item(f"b-{n}", words.word(12_000_000 + n, lead=words.BULKY))
                    for n in range(EXPORT_ITEMS)])  # fmt: skip
        memory.add([words.item(f"s-{n}", words.word(12_100_000 + n)) for n in range(50)])


def torment(
    count: int,
    *,
    seed: int = 1,
    rounds: int = 2,
    kinds: Sequence[str] = tuple(KINDS),
    hold_s: float = HOLD_S,
    on_done: Callable[[int], object] = lambda _count: None,
) -> Tally:
    """Try `count` servers, each with rounds of clients of all kinds; return what was wrong.

    Where the system tells nothing of processes in `/proc`, none is tried.
    """
    tally = Tally()
    for number in range(count if Path("/proc/self/fd").is_dir() else 0):
        with scratch() as root, _server(root) as server:
            draw = random.Random(f"peers {seed} {number}")  # noqa: S311  a trial, no secret
            trial = PeerTrial(root=root, server=server, kinds=kinds, draw=draw, hold_s=hold_s)
            tally.note(f"peers: server {number + 1} of seed {seed}", trial.run(rounds))
        on_done(tally.trials)
    return tally


@contextmanager
def _server(root: Path) -> Iterator[ServerProcess]:
    fill(root)
    with stuck_model() as model_port, server_process(
        root / "home", temporary=root / "tmp", model_port=model_port
    ) as server:  # fmt: skip
        yield server
