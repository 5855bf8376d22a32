"""The question whose memory it is, and the option that answers it."""

import io
import json
from pathlib import Path

import pytest

from simonides.api.memory import Memory
from simonides.cli.main import run
from simonides.config import Settings, load
from simonides.ports.models import Clock

SENT = (
    "From - Fri Mar 06 09:00:00 2026\nMessage-ID: <{n}@x.example>\nSubject: Mail {n}\n"
    "Date: Fri, 06 Mar 2026 09:00:00 +0000\nFrom: {author}\nTo: {to}\n\nHarbour.\n\n"
)
MIRA = "Mira Okafor <mira@post.example>"


class Terminal(io.StringIO):
    """A stream that somebody sits at."""

    def isatty(self) -> bool:
        return True


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


@pytest.fixture
def box(tmp_path: Path) -> str:
    """A mailbox of Mira's."""
    pairs = [(f"p{n}@x.example", MIRA) if n % 2 else (MIRA, f"p{n}@x.example") for n in range(12)]
    path = tmp_path / "in.mbox"
    path.write_text("".join(SENT.format(n=n, author=a, to=b) for n, (a, b) in enumerate(pairs)))
    return str(path)


def call(home: Path, *argv: str, typed: str | None = None) -> tuple[str, str]:
    """Run a verb, at a terminal where something is `typed`; return stdout and stderr."""
    out, err = io.StringIO(), io.StringIO() if typed is None else Terminal()
    stdin = io.StringIO() if typed is None else Terminal(typed)
    environment = {"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none"}
    status = run(argv, stdin=stdin, out=out, err=err, environment=environment, open_memory=opened)
    assert status == 0
    return out.getvalue(), err.getvalue()


def test_an_import_keeps_the_owner_found(tmp_path: Path, box: str) -> None:
    out, err = call(tmp_path / "h", "import", box)

    assert "owner found: Mira Okafor, mira@post.example" in out
    assert "owner: Mira Okafor, mira@post.example" in err
    assert load(tmp_path / "h").owner == ("Mira Okafor", "mira@post.example")


@pytest.mark.parametrize(
    ("typed", "owner"),
    [
        ("\n", ("Mira Okafor", "mira@post.example")),
        ("Ana, ana@x.example\n", ("Ana", "ana@x.example")),
        ("-\n", ()),
        ("", ()),
    ],
)
def test_an_import_asks_at_a_terminal(
    tmp_path: Path, box: str, typed: str, owner: tuple[str, ...]
) -> None:
    _, err = call(tmp_path / "h", "import", box, typed=typed)

    assert "Whose memory is this?" in err
    assert load(tmp_path / "h").owner == owner


def test_it_is_asked_once(tmp_path: Path, box: str) -> None:
    call(tmp_path / "h", "import", box, typed="-\n")
    _, err = call(tmp_path / "h", "import", box, typed="\n")

    assert "Whose" not in err


def test_without_an_owner_found_it_is_noted_how_to_name_one(tmp_path: Path) -> None:
    few = tmp_path / "few.mbox"
    few.write_text(SENT.format(n=1, author="p1@x.example", to=MIRA))
    _, err = call(tmp_path / "h", "import", str(few))
    call(tmp_path / "h", "init", "--owner", "Mira Okafor, mira@post.example")
    _, again = call(tmp_path / "h", "import", str(few))

    assert "every sender counts as unknown" in err
    assert "simonides init --owner" in err
    assert "unknown" not in again


def test_json_is_never_asked(tmp_path: Path, box: str) -> None:
    out, err = call(tmp_path / "h", "import", box, "--json", typed="")

    assert json.loads(out)["owner"] == ["Mira Okafor", "mira@post.example"]
    assert "Whose" not in err


@pytest.mark.parametrize(
    "argv", [("--owner", "Ana", "--owner", "ana@x.example"), ("--owner", "Ana, ana@x.example")]
)
def test_init_takes_the_owner(tmp_path: Path, argv: tuple[str, ...]) -> None:
    out, _ = call(tmp_path / "h", "init", *argv)
    shown, _ = call(tmp_path / "h", "config")

    assert "owner: Ana, ana@x.example" in out
    assert "Ana, ana@x.example" in shown
    assert load(tmp_path / "h").owner == ("Ana", "ana@x.example")


def test_init_asks_at_a_terminal(tmp_path: Path) -> None:
    _, err = call(tmp_path / "h", "init", typed="Ana\n")

    assert "Whose memory is this?" in err
    assert load(tmp_path / "h").owner == ("Ana",)


def test_a_hit_says_what_its_kind_has(tmp_path: Path) -> None:
    with Memory(tmp_path / "h", settings=Settings(embedder="none")) as memory:
        memory.add(
            "Move the piles.",
            kind="task",
            title="Piles",
            metadata={"key": "A-1", "due": "2026-03-20"},
        )
    out, _ = call(tmp_path / "h", "search", "piles")

    assert "Piles  A-1 · due 2026-03-20" in out
