"""A forked command line says and does what the real binary does; each verb is started for real."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance import forked

from simonides import Memory, Settings
from simonides.cli.verbs import VERBS

pytestmark = pytest.mark.slow

SERVERS = {"mcp", "serve", "web"}
"""They have files of their own, which start nothing but the real binary."""

OF_A_DATABASE = {"db"}
"""It answers nothing without a server: tests/unit/cli/test_cli_db.py."""

CALLS: dict[str, tuple[str, ...]] = {
    "init": (), "add": ("hello",), "remember": ("Tom likes tea.",), "import": ("notes.md",),
    "search": ("Alpha",), "retrieve": ("Alpha",), "brief": ("Alpha",), "explain": ("Alpha",),
    "chat": ("Alpha",), "sessions": ("list",), "preferences": ("list",), "proposals": ("list",),
    "background": ("put", "It is spring."), "surrogates": ("build",), "list": (),
    "get": ("alpha",), "history": ("alpha",), "update": ("alpha", "--title", "Alpha"),
    "forget": ("alpha",), "restore": ("alpha", "--version", "1"), "record-usage": ("alpha",),
    "erase": ("alpha", "--yes"), "move": ("--to", "other"),
    "entities": (), "stats": (), "spaces": (), "doctor": (),
    "verify": (), "repair": (), "embed": (), "compact": ("--before", "2026-01-01"), "reembed": (),
    "backup": ("copy.sqlite3",), "export": ("all.jsonl",), "replay": ("brief.json",),
    "diff": ("brief.json", "brief.json"), "keys": ("list",), "audit": (), "config": (),
    "demo": (), "engagement": ("alpha",), "agenda": (), "preview-erase": ("--tag", "a"),
    "import-log": (), "receipts": (), "counts": (), "story": ("Where is Alpha?",),
    "integrate": ("claude-code", "--print"), "hook": ("prompt",),
}  # fmt: skip

STDIN = {"hook": b'{"session_id": "s", "prompt": "Where is Alpha?"}'}


def environment(home: Path) -> dict[str, str]:
    own = {"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}
    return {**os.environ, **own}


def real(*argv: str, stdin: bytes = b"", home: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [forked.BINARY, *argv], input=stdin, env=environment(home), capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip


def shape(value: Any) -> Any:
    """Return the keys and the sorts of an answer: ids and times differ from call to call."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    return [shape(value[0])] if isinstance(value, list) and value else type(value).__name__


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a home of one note, and what the calls name."""
    folder = tmp_path_factory.mktemp("filled")
    with Memory(folder / "home", settings=Settings(embedder="none", timezone="UTC")) as memory:
        memory.add("Sarah moved the Alpha deadline to Friday.", id="alpha", tags=["a"])
        memory.record_usage("alpha")
        made = memory.brief("Alpha").to_dict()
    (folder / "brief.json").write_text(json.dumps(made), "utf-8")
    (folder / "notes.md").write_text("# Oars\n\nThe oars are here.\n", "utf-8")
    return folder


@pytest.fixture
def copied(filled: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Return a maker of copies of that folder."""
    return lambda name: Path(shutil.copytree(filled, tmp_path / name))


@pytest.fixture(scope="module")
def server() -> Iterator[forked.ForkServer]:
    """A server of this file alone."""
    made = forked.ForkServer()
    yield made
    made.close()
    assert made.process.returncode == 0


def test_every_verb_is_started() -> None:
    assert set(CALLS) == set(VERBS) - SERVERS - OF_A_DATABASE


@pytest.mark.parametrize("verb", CALLS)
def test_a_verb_answers_alike_from_a_fresh_start(
    copied: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    reported = []
    for name in ("real", "forked"):
        monkeypatch.chdir(copied(name))
        home = Path("home").resolve()
        argv = (verb, *CALLS[verb], "--json")
        if name == "real":
            reported.append(real(*argv, stdin=STDIN.get(verb, b""), home=home))
        else:
            stdin = STDIN.get(verb, b"")
            reported.append(forked.run(*argv, stdin=stdin, environment=environment(home)))
    first, second = reported

    assert (first.returncode, first.stderr) == (second.returncode, second.stderr) == (0, b"")
    assert shape(json.loads(first.stdout)) == shape(json.loads(second.stdout))


@pytest.mark.parametrize(
    ("argv", "stdin"),
    [
        (("--help",), b""),
        (("--version",), b""),
        (("nonsense",), b""),
        (("search", "x", "--limit", "0", "--json"), b""),
        (("search", "caf\udce9 \U0001f600"), b""),
        (("add", "-"), b"caf\xe9"),
        (("add", "--jsonl", "-"), b'\xef\xbb\xbf{"content": 5}\n'),
        (("get", "zz"), b"nobody reads this" * 10_000),
    ],
)
def test_streams_and_status_are_those_of_the_binary(
    filled: Path, argv: tuple[str, ...], stdin: bytes
) -> None:
    home = filled / "home"
    first = real(*argv, stdin=stdin, home=home)
    second = forked.run(*argv, stdin=stdin, environment=environment(home))

    for stream in ("returncode", "stdout", "stderr"):
        assert getattr(first, stream) == getattr(second, stream)


def test_a_call_may_read_and_write_more_than_a_pipe_holds(filled: Path) -> None:
    reported = environment(filled / "home")
    text = b"every oar of the harbor " * 20_000
    made = forked.run("add", "-", "--id", "long", stdin=text, environment=reported)
    read = forked.run("get", "long", environment=reported)

    assert (made.returncode, made.stderr) == (0, b"")
    assert text.strip() in read.stdout


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads can not be counted here")
def test_the_server_has_one_thread_and_keeps_no_stream(
    server: forked.ForkServer, filled: Path
) -> None:
    place = Path(f"/proc/{server.process.pid}")
    counted = set()
    for _ in range(3):
        server.run(("list",), b"", environment(filled / "home"))
        counted.add((len(list((place / "task").iterdir())), len(list((place / "fd").iterdir()))))

    assert counted == {(1, 4)}  # three streams and the control socket


def test_what_needs_a_fresh_interpreter_goes_to_the_binary(server: forked.ForkServer) -> None:
    assert server.fits({**os.environ, "SIMONIDES_TIMEZONE": "Asia/Tokyo"})
    assert server.fits({**os.environ, "ORT_DISABLE_TELEMETRY": "1"})
    for name in ("PYTHONHASHSEED", "LC_ALL", "TZ", "OMP_NUM_THREADS"):
        assert not server.fits({**os.environ, name: "1"})


def test_a_call_that_does_not_end_is_killed_and_the_next_one_is_answered(
    server: forked.ForkServer, filled: Path
) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        server.run(("serve", "--port", "0"), b"", environment(filled / "home"), timeout_s=0.05)

    assert server.run(("--version",), b"", environment(filled / "home")).returncode == 0


def test_a_server_ends_with_whoever_started_it(server: forked.ForkServer) -> None:
    server.run(("--version",), b"", dict(os.environ))
    server._control.close()

    assert server.process.wait(60) == 0
