"""The command line on one fresh home, for the tests that throw bad things at it."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance import called, forked
from tests.acceptance.forked import BINARY

from simonides import Memory, Settings

NO_MODEL = Settings(embedder="none", timezone="UTC")


class Home:
    """One home and the command line that works on it; vectors do not matter here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.space = path / "spaces" / "default.sqlite3"

    def start(
        self,
        *argv: str,
        before: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start the real binary, perhaps by way of another program."""
        return subprocess.Popen(
            [*before, BINARY, *argv], env=self._environment(environment),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(
        self,
        *argv: str,
        stdin: bytes = b"",
        before: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        apart: bool = False,
    ) -> tuple[int, str, str]:
        """Return status, stdout and stderr; no command may ever print a traceback.

        It is called in this process, but for what depends on one of its own: `apart`.
        """
        if before:
            with self.start(*argv, before=before, environment=environment) as process:
                out, err = process.communicate(stdin, timeout=60)
            status = process.returncode
        else:
            call = forked.run if apart else called.run
            ran = call(*argv, stdin=stdin, environment=self._environment(environment))
            status, out, err = ran.returncode, ran.stdout, ran.stderr
        said = out.decode(), err.decode()

        assert not any(word in text for text in said for word in ("Traceback", "[unexpected]"))
        return status, *said

    def answer(self, *argv: str, stdin: bytes = b"") -> Any:
        """Return the JSON that a verb answers with; it must succeed."""
        status, out, err = self.run(*argv, "--json", stdin=stdin)

        assert (status, err) == (0, "")
        return json.loads(out)

    def refuses(
        self,
        *argv: str,
        code: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Return the text of the one error, which must have this code."""
        status, out, err = self.run(*argv, stdin=stdin, environment=environment)

        assert status != 0
        assert out == ""
        assert f"[{code}]\n" in err
        return err

    def is_sound(self) -> bool:
        """Return what `simonides doctor` finds."""
        ran = called.run("doctor", "--json", environment=self._environment(None))
        is_sound = bool(json.loads(ran.stdout)["sound"])

        assert ran.returncode == (0 if is_sound else 8)
        return is_sound

    def _environment(self, further: Mapping[str, str] | None) -> dict[str, str]:
        own = {"SIMONIDES_HOME": str(self.path), "SIMONIDES_TIMEZONE": "UTC"}
        return {**os.environ, **own, "SIMONIDES_EMBEDDER": "none", **(further or {})}

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """Open the space in this process."""
        with Memory(self.path, settings=NO_MODEL) as memory:
            yield memory


@pytest.fixture(scope="session", autouse=True)
def _no_fork_server_is_left() -> Iterator[None]:
    yield
    forked.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home that holds nothing; whatever a test does there, it is sound afterwards."""
    made = Home(tmp_path / "home")
    yield made

    assert made.is_sound()


@pytest.fixture
def damaged(tmp_path: Path) -> Home:
    """A home with 120 notes whose file a test is going to damage."""
    made = Home(tmp_path / "home")
    with made.memory() as memory:
        memory.add([f"note {n} about the harbor, number {n}; " + "words " * 60 for n in range(120)])
    return made


def mail(n: int, body: bytes, *headers: bytes) -> bytes:
    """Return one message of an mbox, its subject `mail n`."""
    return b"\n".join(
        [
            b"From sarah@example.com Thu Mar  5 10:00:00 2026",
            b"From: Sarah <sarah@example.com>",
            b"Subject: mail %d" % n,
            b"Message-ID: <m%d@example.com>" % n,
            b"Date: Thu, 5 Mar 2026 10:00:00 +0000",
            *headers,
            b"",
            body,
            b"",
            b"",
        ]
    )


class Post:
    """Writes mailboxes into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    mail = staticmethod(mail)

    def box(self, name: str, *mails: bytes) -> str:
        """Write these messages and return the path."""
        (self.folder / name).write_bytes(b"".join(mails))
        return str(self.folder / name)

    def large(self, name: str, numbers: range) -> str:
        """Write so many mails that an import of them can be met half-way; return the path."""
        line = b"about the %d. crane in the harbor\n"
        return self.box(name, *(mail(n, line % n * 20) for n in numbers))


@pytest.fixture
def post(tmp_path: Path) -> Post:
    """Mailboxes beside the home."""
    return Post(tmp_path)
