"""Slow, stuck and vanishing clients of a real server (a slice), and what the trial sees of them."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides.http.limits import Limits
from simonides_bench.crash.judge import Wrong
from simonides_bench.crash.peers import trial
from simonides_bench.crash.peers.clients import KINDS, stuck_model
from simonides_bench.crash.peers.process import Held, ServerProcess, server_process
from simonides_bench.crash.peers.served import memory_of, shorten
from simonides_bench.crash.peers.trial import PeerTrial, torment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/fd").is_dir(), reason="what a process holds is told by /proc"
    ),
]

HARMLESS = ("idle", "half_body", "dribbled_head", "vanishing_upload")
HOLD_S = 1.2


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peers")
    trial.fill(folder)
    return folder


@pytest.fixture
def server(root: Path) -> Iterator[ServerProcess]:
    with (
        stuck_model() as model_port,
        server_process(root / "home", temporary=root / "tmp", model_port=model_port) as one,
    ):
        yield one


def played(root: Path, server: ServerProcess, *kinds: str) -> list[str]:
    one = PeerTrial(root=root, server=server, kinds=kinds, draw=random.Random(1), hold_s=HOLD_S)
    return [f"{fault.wrong}: {fault.seen}" for fault in one.run(1)]


def test_clients_that_send_slowly_or_not_at_all_take_nothing(
    root: Path, server: ServerProcess
) -> None:
    assert played(root, server, *HARMLESS) == []


def test_clients_that_read_slowly_or_not_at_all_take_nothing(
    root: Path, server: ServerProcess
) -> None:
    assert played(root, server, "stuck_reader", "slow_reader", "vanishing_reader") == []


def test_the_trial_sees_who_still_reads(
    root: Path, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PeerTrial, "_probe_capacity", lambda _self: None)
    one = PeerTrial(root=root, server=server, kinds=(), draw=random.Random(1), hold_s=0.0)
    with memory_of(root / "home") as memory:
        space = memory._runtime.store.open_any(memory.space)
        with space.read():
            one._erase_from_elsewhere()

    assert [fault.wrong for fault in one.faults] == [Wrong.HELD_READS]


def test_growth_is_named_by_what_has_grown() -> None:
    before = Held(threads=3, files=4, sockets=5)
    most = Held(threads=1, files=0, sockets=0)

    assert before.above(before, most) == []
    assert Held(threads=4, files=5, sockets=5).above(before, most) == ["files"]
    assert Held(threads=5, files=4, sockets=6).above(before, most) == ["threads", "sockets"]


def test_every_patience_is_shortened_and_nothing_else() -> None:
    usual = Limits(threads=2)
    short = shorten(usual)

    assert short.pause_s == pytest.approx(0.03 * usual.pause_s)
    assert short.drain_s == pytest.approx(0.03 * usual.drain_s)
    assert (short.rate_per_s, short.streams_max) == (usual.rate_per_s, usual.streams_max)


def test_every_kind_of_client_is_played() -> None:
    assert {"stuck_reader", "slow_reader", "half_body", "dribbled_head", "stalled_upload",
            "vanishing_reader", "waiting_chat", "waiting_proxy", "idle"} <= set(KINDS)  # fmt: skip
    assert torment(0).trials == 0
