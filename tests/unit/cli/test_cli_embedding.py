"""The second part of an import at the command line: what is said, and what Ctrl-C leaves."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from simonides.cli import embedding
from simonides.cli.embedding import _Phase
from simonides.cli.output import Meter, Output
from simonides.model.answer import EmbedReport
from simonides.model.import_report import ImportReport

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def leaving(memory: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A memory whose imports leave 1,200 chunks without vectors, and that embeds them all."""
    plain = memory.import_

    def import_(*paths: Any, **how: Any) -> ImportReport:
        report: ImportReport = plain(*paths, **how)
        return replace(report, waiting=1200)

    def embed(**how: Any) -> EmbedReport:
        memory.calls.append(("embed", how))
        if memory.fails_to_embed:
            raise memory.fails_to_embed
        how["on_progress"](1200, 1200)
        return EmbedReport(embedded=1200, waiting=0, took_s=2.0)

    memory.fails_to_embed = None
    monkeypatch.setattr(memory, "import_", import_)
    monkeypatch.setattr(memory, "embed", embed, raising=False)
    return memory


def verbs(memory: Any) -> list[str]:
    return [name for name, _ in memory.calls]


def test_an_import_ends_with_its_vectors(call: Call, leaving: Any) -> None:
    status, out, err = call("import", "x", "--json")

    assert (status, err) == (0, "")
    assert json.loads(out)["waiting"] == 0
    assert json.loads(out)["took_s"] == 2.5
    assert verbs(leaving)[:2] == ["import", "embed"]


def test_no_wait_leaves_them_and_says_so(call: Call, leaving: Any) -> None:
    status, out, err = call("import", "x", "--no-wait")

    assert status == 0
    assert out.startswith("3 read")
    assert err == (
        "1,200 chunks wait for their vectors and are found by words; `simonides embed` goes on\n"
    )
    assert "embed" not in verbs(leaving)


def test_ctrl_c_leaves_the_rest_after_the_report(call: Call, leaving: Any) -> None:
    leaving.fails_to_embed = KeyboardInterrupt()
    status, out, err = call("import", "x")

    assert status == 130
    assert out.startswith("3 read")
    assert "1,200 chunks wait for their vectors and are found by words" in err
    assert "importing again" not in err


def test_a_dry_run_embeds_nothing(call: Call, memory: Any) -> None:
    status, _out, _err = call("import", "x", "--dry-run")

    assert status == 0
    assert "embed" not in verbs(memory)


@pytest.fixture
def said() -> tuple[Any, io.StringIO]:
    """A context that only has an output, and what goes to its stderr."""

    class Context:
        def __init__(self, err: io.StringIO) -> None:
            self.output = Output(io.StringIO(), err)

    err = io.StringIO()
    return Context(err), err


def test_a_long_phase_says_once_that_words_find_everything(said: tuple[Any, io.StringIO]) -> None:
    context, err = said
    clock = iter([0.0, 0.5, 2.0, 4.0])
    meter = Meter(context.output, label="embed", monotonic=lambda: 0.0)
    phase = _Phase(context, meter, monotonic=lambda: next(clock))
    for done in (64, 128, 192):
        phase.update(done, 12_800)

    assert err.getvalue() == (
        "everything read is found by its words now; making 12,672 vectors, about 198 s; "
        "Ctrl-C leaves them to `simonides embed`\n"
    )
    assert phase.left == 12_608


def test_a_short_phase_says_nothing(said: tuple[Any, io.StringIO]) -> None:
    context, err = said
    clock = iter([0.0, 2.0, 4.0])
    meter = Meter(context.output, label="embed", monotonic=lambda: 0.0)
    phase = _Phase(context, meter, monotonic=lambda: next(clock))
    phase.update(64, 200)
    phase.update(128, 200)

    assert err.getvalue() == ""
    assert embedding.LONG_S == 10.0


def test_embed_is_a_command(call: Call, leaving: Any) -> None:
    status, out, _err = call("embed", "--max", "50", "--seconds", "3")

    assert (status, out) == (0, "1,200 chunks embedded in 2.0 s, none waits\n")
    how = dict(leaving.calls)["embed"]
    assert (how["chunks_max"], how["time_max_s"]) == (50, 3.0)
