"""`simonides serve`: what its options become, and what it says once it answers."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.cli import serving
from simonides.cli.main import run
from simonides.cli.verbs import serve
from simonides.http.limits import Limits
from simonides.http.state import Server
from simonides.ports.models import Clock


class Stopped:
    """Stands for the server that runs: notes how, says that it is ready, and ends."""

    def __init__(self) -> None:
        self.limits = Limits()
        self.how: dict[str, Any] = {}
        self.space = ""

    def __call__(self, server: Server, *, on_ready: Any, **how: Any) -> None:
        self.limits, self.how, self.space = server.limits, how, server.space
        on_ready(how["port"] or 4321)
        server.close()


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Stopped:
    """Nothing listens: what would is in here."""
    made = Stopped()
    monkeypatch.setattr("simonides.http.server.serve", made)
    monkeypatch.setattr("simonides.cli.verbs.serve.log_to", lambda *_, **__: None)
    return made


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


def said(home: Path, *argv: str, out: io.StringIO | None = None) -> tuple[int, str, str]:
    out, err = out or io.StringIO(), io.StringIO()
    status = run(
        ["serve", *argv, "--home", str(home)], stdin=io.StringIO(), out=out, err=err,
        environment={"SIMONIDES_EMBEDDER": "none"}, open_memory=opened,
    )  # fmt: skip
    return status, out.getvalue(), err.getvalue()


def test_unless_told_it_answers_on_this_machine_and_with_its_usual_limits(
    tmp_path: Path, stopped: Stopped
) -> None:
    assert said(tmp_path) == (0, "serving on http://127.0.0.1:8321\n", "")
    assert stopped.limits == Limits()
    assert (stopped.how["host"], stopped.how["port"]) == ("127.0.0.1", 8321)
    assert [path for path, _ in stopped.how["mounts"]] == ["/mcp"]


def test_every_option_becomes_its_limit(tmp_path: Path, stopped: Stopped) -> None:
    said(
        tmp_path, "--space", "alice", "--threads", "3", "--waiting", "5", "--rate", "7",
        "--body-max", "1000", "--upload-max", "2000", "--allow-host", "a.example", "--allow-host",
        "b.example", "--allow-origin", "https://a.example", "--audit-reads",
    )  # fmt: skip

    assert stopped.space == "alice"
    assert stopped.limits == Limits(
        threads=3, waiting_max=5, rate_per_s=7, rate_burst=14, body_bytes_max=1000,
        upload_bytes_max=2000, hosts=("a.example", "b.example"), origins=("https://a.example",),
        audit_reads=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("host", "url"), [("::1", "http://[::1]:4321"), ("localhost", "http://localhost:4321")]
)
def test_where_it_answers_is_one_object_with_the_port_that_it_got(
    tmp_path: Path, stopped: Stopped, host: str, url: str
) -> None:
    status, out, _ = said(tmp_path, "--host", host, "--port", "0", "--json")

    assert (status, stopped.how["port"]) == (0, 0)
    assert json.loads(out) == {"url": url, "host": host, "port": 4321}


class Unread(io.StringIO):
    """A pipe whose reader has gone."""

    def flush(self) -> None:
        raise BrokenPipeError


def test_it_serves_though_nobody_reads_where(tmp_path: Path, stopped: Stopped) -> None:
    served: list[int] = []
    closing = Server.close

    def close(server: Server) -> None:
        served.append(1)
        closing(server)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Server, "close", close)
        status, _, err = said(tmp_path, out=Unread())

    assert (status, err) == (0, "")
    assert served == [1]
    assert stopped.how["port"] == 8321


@pytest.mark.parametrize(
    "argv",
    [("--port", "65536"), ("--port", "-1"), ("--port", "x"), ("--port", ""), ("--host", ""),
     ("--threads", "0"), ("--rate", "0"), ("--rate", "1.5"), ("--waiting", "-1"),
     ("--body-max", "8M"), ("--upload-max", ""), ("--allow-host", ""), ("--allow-origin", ""),
     ("--log", "debug"), ("more",)],
)  # fmt: skip
def test_an_option_that_does_not_fit_starts_nothing(
    tmp_path: Path, stopped: Stopped, argv: tuple[str, ...]
) -> None:
    status, out, err = said(tmp_path, *argv)

    assert (status, out, stopped.how) == (2, "", {})
    assert "[usage]" in err


@pytest.mark.parametrize(
    ("argv", "named"),
    [(("--allow-host", "*"), "hosts"), (("--allow-host", "https://a.example"), "hosts"),
     (("--allow-origin", "a.example"), "origins"), (("--allow-origin", "*"), "origins")],
)  # fmt: skip
def test_a_name_that_would_let_in_nobody_is_refused(
    tmp_path: Path, stopped: Stopped, argv: tuple[str, ...], named: str
) -> None:
    status, _, err = said(tmp_path, *argv)

    assert (status, stopped.how) == (4, {})
    assert f"serve: {named}: " in err


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "prometheus_client"])
def test_without_the_extra_the_program_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == missing else name)
    status, _, err = said(tmp_path)

    assert status == 4
    assert "pip install 'simonides[server]'" in err


def test_without_the_sdk_of_mcp_the_rest_is_served(
    tmp_path: Path, stopped: Stopped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "mcp" else name)
    said(tmp_path)

    assert stopped.how["mounts"] == ()
