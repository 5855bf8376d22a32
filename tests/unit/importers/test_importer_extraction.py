"""The process that takes documents apart: its bounds, and what is left when it ends."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simonides.importers import read
from simonides_bench.testing import documents as make
from simonides_formats.documents import child_process
from simonides_formats.documents.child_process import CRASHED, TOO_LONG, Extractor

ANSWERS = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps({"text": str(os.getpid())}))
    print(json.dumps({"end": ""}), flush=True)
"""
"""A process that answers each file with its own number."""


class Bell:
    """A timer that rings as soon as it is started."""

    def __init__(self, after_s: float, call: Callable[[], None]) -> None:
        self.after_s, self._call = after_s, call

    def start(self) -> None:
        self._call()

    def cancel(self) -> None:
        pass


@pytest.fixture
def extractor() -> Iterator[Extractor]:
    made = Extractor(program=("-c", ANSWERS))
    yield made
    made.close()


def number_of(extractor: Extractor) -> str:
    [part] = extractor.extract(Path("a.pdf"), "pdf").parts
    return str(part["text"])


def test_one_process_serves_several_files(extractor: Extractor) -> None:
    assert number_of(extractor) == number_of(extractor)


def test_a_process_that_ended_while_it_was_idle_is_replaced(extractor: Extractor) -> None:
    first = number_of(extractor)
    [idle] = extractor._idle
    idle.kill()
    idle.wait()

    assert number_of(extractor) != first


@pytest.mark.parametrize("program", ["raise SystemExit(3)", "import os; os.abort()"])
def test_a_process_that_dies_is_reported(program: str) -> None:
    found = Extractor(program=("-c", program)).extract(Path("a.pdf"), "pdf")

    assert (found.end, found.parts, found.is_whole) == (CRASHED, [], False)


@pytest.mark.parametrize("rest", ["", "print('{\"te', end='')"])
def test_what_was_read_before_a_process_died_is_kept(rest: str) -> None:
    program = f'print(\'{{"text": "one", "page": 1}}\')\n{rest}'
    found = Extractor(program=("-c", program)).extract(Path("a.pdf"), "pdf")

    assert found.end == CRASHED
    assert found.parts == [{"text": "one", "page": 1}]


def test_a_process_that_takes_too_long_is_killed() -> None:
    extractor = Extractor(timer=Bell, program=("-c", "import sys; sys.stdin.read()"))

    assert extractor.extract(Path("a.pdf"), "pdf").end == TOO_LONG


def test_the_time_of_a_file_is_bounded() -> None:
    bells: list[Bell] = []

    def bell(after_s: float, _: Callable[[], None]) -> Bell:
        bells.append(Bell(after_s, lambda: None))
        return bells[-1]

    extractor = Extractor(timer=bell, program=("-c", ANSWERS))
    extractor.extract(Path("a.pdf"), "pdf")
    extractor.close()

    assert [one.after_s for one in bells] == [child_process.ANSWER_S]


def test_a_forked_process_leaves_the_ones_of_its_parent_alone(extractor: Extractor) -> None:
    number_of(extractor)
    [idle] = extractor._idle
    extractor.leave_to_parent()

    assert extractor._idle == []
    assert idle.poll() is None
    child_process._end(idle)


def answers_of(orders: list[dict[str, str]], *, before: str = "") -> list[dict[str, object]]:
    """Return what the process itself says to these orders."""
    program = f"from simonides_formats.documents import child\n{before}\nchild.main()"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True,
        input="".join(f"{json.dumps(one)}\n" for one in orders),
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_process_answers_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make.pdf(["one"]))
    order = {"path": str(path), "kind": "pdf"}
    answers = answers_of([order, {"path": str(tmp_path / "none"), "kind": "pdf"}, order])

    assert [one.get("text") for one in answers] == [None, "one", None, None, None, "one", None]
    assert [one["end"] for one in answers if "end" in one][::2] == ["", ""]
    assert "No such file" in str(answers[3]["end"])


def test_what_is_longer_than_the_bound_is_cut_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make.pdf(["12345678", "12345678", "never"]))
    order = {"path": str(path), "kind": "pdf"}
    answers = answers_of([order], before="child.OUTPUT_CHARS_MAX = 12")

    assert [one["text"] for one in answers if "text" in one] == ["12345678", "1234"]
    assert "longer than" in str(answers[-2]["problem"])


def ended_with(program: str) -> str:
    """Return the last line of what a program of the process's own parts says as it fails."""
    before = "from simonides_formats.documents import child\nchild._limit_process()\n"
    done = subprocess.run(
        [sys.executable, "-c", before + program], check=False, capture_output=True, text=True
    )
    assert done.returncode != 0
    return (done.stderr.splitlines() or [str(done.returncode)])[-1]


def test_no_socket_is_made_in_the_process() -> None:
    assert "opens no connection" in ended_with("import socket; socket.socket()")


@pytest.mark.skipif(sys.platform == "win32", reason="bounds of the system")
def test_nothing_is_opened_while_a_file_is_read() -> None:
    assert "Too many open files" in ended_with("child._limit_file(); open('/etc/hostname')")


@pytest.mark.skipif(sys.platform != "linux", reason="bounds of the system")
def test_the_memory_of_the_process_is_bounded() -> None:
    assert ended_with(f"bytearray({2 << 30})") == "MemoryError"


@pytest.mark.skipif(sys.platform == "win32", reason="bounds of the system")
def test_the_processor_time_of_a_file_is_bounded() -> None:
    program = "child.CPU_S = 0\nchild._limit_file()\nwhile True: pass"

    assert ended_with(program) == "-24"  # SIGXCPU


@pytest.mark.skipif(sys.platform == "win32", reason="bounds of the system")
def test_narrower_bounds_of_the_importing_process_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make.pdf(["one"]))
    order = {"path": str(path), "kind": "pdf"}
    narrow = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (9, 9))"

    assert answers_of([order, order], before=narrow)[-1] == {"end": ""}


def test_a_file_that_ends_its_process_costs_no_other(tmp_path: Path) -> None:
    deep = "<text:list><text:list-item>" * 100_000
    (tmp_path / "a.odt").write_bytes(make.odt(deep))
    (tmp_path / "b.odt").write_bytes(make.odt("<text:p>walnut</text:p>"))
    first, second = read(tmp_path)

    assert first.skipped is not None
    assert first.skipped.reason == CRASHED
    assert second.item is not None
    assert second.item.content == "walnut"
