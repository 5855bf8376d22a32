"""What reaches a terminal, and what a pipe."""

import io
import sys
from collections.abc import Callable, Sequence
from threading import Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.cli.output import Meter, Output
from simonides.cli.terminal_text import (
    MARK,
    Span,
    clip,
    columns,
    fold_lines,
    one_line,
    question_words,
    safe,
    snippet,
)
from simonides.model.item import Item

Call = Callable[..., tuple[int, str, str]]

ATTACKS = [
    ("\x1b[31mred\x1b[0m", "[31mred[0m"),
    ("\x1b]0;new title\x07", "]0;new title"),
    ("\x9b2Jgone", "2Jgone"),
    ("over\rwritten\x08\x7f", "overwritten"),
    ("invoice\u202efdp.exe", "invoice<U+202E>fdp.exe"),
    ("\u2066isolated\u2069", "<U+2066>isolated<U+2069>"),
    ("windows\r\nlines\u2028here", "windows\nlines\nhere"),
]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _a_terminal_with_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.parametrize(("text", "shown"), ATTACKS)
def test_kept_text_cannot_steer_the_terminal(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(text=st.text())
def test_no_control_or_direction_mark_is_left(text: str) -> None:
    left = safe(text)

    assert all(c in "\n\t" or c >= " " for c in left)
    assert not any("\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e" for c in left)
    assert safe(left) == left


@given(text=st.text(), width=st.integers(min_value=1, max_value=40))
def test_clipped_text_is_one_line_that_fits(text: str, width: int) -> None:
    line = clip(text, width)

    assert len(line) <= width
    assert "\n" not in line
    assert one_line(line) == line


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
@pytest.mark.parametrize(("text", "shown"), ATTACKS[:5])
def test_every_way_to_print_makes_text_harmless(
    stream: type[io.StringIO], text: str, shown: str
) -> None:
    out, err = stream(), stream()
    output = Output(out, err)
    output.line(text, (text, "bold"))
    output.note(text)
    output.table(("a",), [(text,)])

    assert shown in out.getvalue()
    assert shown in err.getvalue()
    assert text not in out.getvalue() + err.getvalue()


@pytest.mark.parametrize("verb", ["search", "explain", "list", "get"])
def test_an_item_cannot_steer_the_terminal_through_any_verb(
    call: Call, memory: "object", verb: str
) -> None:
    evil = Item(id="e", title="\x1b]0;t\x07", content="x \x9b2J \u202e y", source="a\x1b[1m")
    memory.items = {"e": evil}  # type: ignore[attr-defined]
    argv = {"get": ("e",), "list": ()}.get(verb, ("x",))

    out = call(verb, *argv)[1]

    assert out
    assert not set(out) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_a_pipe_gets_no_colour_and_a_terminal_does() -> None:
    pipe, terminal = io.StringIO(), Terminal()
    Output(pipe, pipe).line(("title", "bold red"), " rest")
    Output(terminal, terminal).line(("title", "bold red"), " rest")

    assert pipe.getvalue() == "title rest\n"
    assert "\x1b[1;31mtitle\x1b[0m" in terminal.getvalue()


def test_bars_are_filled_by_share_and_plain_in_a_pipe() -> None:
    pipe, terminal = Output(io.StringIO(), io.StringIO()), Output(Terminal(), Terminal())

    assert [pipe.bar(share) for share in (0, 0.34, 1, 7, -1)] == [
        "----------",
        "###-------",
        "##########",
        "##########",
        "----------",
    ]
    assert terminal.bar(0.5, width=4) == "██░░"


def test_a_table_is_aligned_columns_in_a_pipe() -> None:
    out = io.StringIO()
    Output(out, out).table(("name", "n"), [("a\nb", "1,000"), ("long name", "7")])

    assert out.getvalue() == "name           n\na b        1,000\nlong name      7\n"


def test_square_brackets_in_a_table_are_no_markup() -> None:
    out = Terminal()
    Output(out, out).table(("name",), [("[bold]x[/bold]",)])

    assert "[bold]x[/bold]" in out.getvalue()


def test_an_id_is_never_folded_so_that_it_can_be_copied() -> None:
    out = Terminal()
    Output(out, out).table(("title", "id"), [("long words " * 20, "8ck4h2v0q1e7m3s5t6u9x0y1z2")])

    assert "8ck4h2v0q1e7m3s5t6u9x0y1z2" in out.getvalue()


def test_with_json_nothing_is_noted_on_stderr() -> None:
    err = io.StringIO()
    Output(io.StringIO(), err, as_json=True).note("by the way")

    assert err.getvalue() == ""


def _marked(passage: str, question: str, width: int = 80) -> tuple[str, list[str]]:
    spans = snippet(passage, question_words(question), width=width)
    text = "".join(s if isinstance(s, str) else s[0] for s in spans)
    return text, [s[0] for s in spans if not isinstance(s, str) and s[1] == MARK]


def test_a_short_passage_is_shown_whole_with_the_questions_words_marked() -> None:
    text, marks = _marked(
        "We decided on the\nHarbor prices.", "What did I decide on Harbor pricing?"
    )

    assert text == "We decided on the Harbor prices."
    assert marks == ["decided", "Harbor", "prices"]


def test_a_long_passage_is_cut_to_where_most_of_the_words_stand() -> None:
    passage = "Alpha. " + "filler words go on " * 20 + "the Alpha deadline is Friday " + "and " * 60

    text, marks = _marked(passage, "alpha deadline")

    assert "the Alpha deadline is Friday" in text
    assert marks == ["Alpha", "deadline"]
    assert text.startswith("…")
    assert text.endswith("…")


def test_a_passage_without_any_word_of_the_question_begins_at_its_beginning() -> None:
    text, marks = _marked("one two three " * 20, "alpha", width=20)

    assert (text, marks) == ("one two three one…", [])


def test_grammar_is_not_marked_but_numbers_and_short_cjk_words_are() -> None:
    assert question_words("What did they say about Q3 or 東京 last week?") == ("q3", "東京")


@given(passage=st.text(max_size=200), question=st.text(max_size=30), width=st.integers(31, 90))
def test_a_snippet_is_part_of_the_passage_and_not_much_longer_than_asked(
    passage: str, question: str, width: int
) -> None:
    text, _ = _marked(passage, question, width)

    assert text.strip("…").strip() in one_line(passage) + "…"
    assert len(text) <= width + 32


def test_a_paragraph_is_broken_between_words_and_indented() -> None:
    out = io.StringIO()
    Output(out, out).paragraph("a" * 50 + " ", ("marked", MARK), " " + "b" * 60, indent="    ")

    assert out.getvalue() == f"    {'a' * 50} marked\n    {'b' * 60}\n"


def _text(spans: Sequence[Span]) -> str:
    return "".join(span if isinstance(span, str) else span[0] for span in spans)


_SPANS = st.lists(st.one_of(st.text(), st.tuples(st.text(), st.sampled_from(["bold", MARK]))))


@given(spans=_SPANS, width=st.integers(1, 40))
def test_folding_loses_nothing_and_only_single_words_stick_out(
    spans: list[Span], width: int
) -> None:
    lines = list(fold_lines(spans, width=width))

    assert " ".join(map(_text, lines)).split() == _text(spans).split()
    assert all(columns(_text(one)) <= width for one in lines[1:] if len(_text(one).split()) > 1)


def test_a_table_with_wide_letters_is_aligned_by_columns() -> None:
    out = io.StringIO()
    Output(out, out).table(("t", "id"), [("日本", "a"), ("x\u0301y", "b"), ("wide", "c")])

    assert out.getvalue() == "t     id\n日本  a\nx\u0301y    b\nwide  c\n"


class Clock:
    """A monotonic clock that tests turn."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_work_that_ends_within_a_second_shows_no_progress() -> None:
    err, clock = io.StringIO(), Clock()
    with Meter(Output(io.StringIO(), err), label="import", monotonic=clock) as meter:
        clock.now = 0.9
        meter.update(500, share=0.9)

    assert err.getvalue() == ""


def test_a_log_gets_a_line_now_and_then_with_rate_and_time_left() -> None:
    err, clock = io.StringIO(), Clock()
    with Meter(Output(io.StringIO(), err), label="import x", monotonic=clock) as meter:
        for second in range(1, 13):
            clock.now = float(second)
            meter.update(second * 100, share=second / 20)

    assert err.getvalue().splitlines() == [
        "import x: 100 items, 100/s, 5%, 19 s left",
        "import x: 1,100 items, 100/s, 55%, 9 s left",
    ]


def test_a_log_gets_no_line_for_what_is_just_done() -> None:
    err, clock = io.StringIO(), Clock()
    with Meter(Output(io.StringIO(), err), label="import", monotonic=clock) as meter:
        clock.now = 5.0
        meter.update(500, share=1.0)

    assert err.getvalue() == ""


def test_a_log_does_not_guess_the_time_left_where_the_whole_is_unknown() -> None:
    err, clock = io.StringIO(), Clock()
    with Meter(Output(io.StringIO(), err), label="add", monotonic=clock) as meter:
        clock.now = 2.0
        meter.update(100)

    assert err.getvalue() == "add: 100 items, 50/s\n"


def test_a_terminal_gets_a_bar() -> None:
    err, clock = Terminal(), Clock()
    with Meter(Output(io.StringIO(), err), label="import x", monotonic=clock) as meter:
        clock.now = 2.0
        meter.update(100, share=0.5)
        meter.update(100)

    assert "import x" in err.getvalue()
    assert "50/s" in err.getvalue()


def test_a_terminal_gets_a_bar_before_the_work_says_how_far_it_is() -> None:
    err, waiting = Terminal(), []

    def after(delay_s: float, call: Callable[[], None]) -> Timer:
        waiting.append((delay_s, call))
        return Timer(3600.0, call)

    with Meter(Output(io.StringIO(), err), label="import x", after=after):
        [(delay_s, call)] = waiting
        assert err.getvalue() == ""
        call()

    assert delay_s == 1.0
    assert "import x" in err.getvalue()


def test_the_name_of_what_is_imported_cannot_steer_the_terminal() -> None:
    err, clock = Terminal(), Clock()
    with Meter(Output(io.StringIO(), err), label="a\x1b]0;owned\x07", monotonic=clock) as meter:
        clock.now = 2.0
        meter.update(100, share=0.5)

    assert "a]0;owned" in err.getvalue()
    assert "\x07" not in err.getvalue()


def test_with_json_no_progress_is_shown() -> None:
    err, clock = Terminal(), Clock()
    with Meter(Output(io.StringIO(), err, as_json=True), label="x", monotonic=clock) as meter:
        clock.now = 60.0
        meter.update(1, share=0.5)

    assert err.getvalue() == ""


def test_a_terminal_without_rich_gets_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    out, err, clock = Terminal(), Terminal(), iter(range(0, 100, 20))
    output = Output(out, err)

    output.line("A ", ("bold", "bold"), " line")
    output.table(["id", "n"], [["a", "1"]])
    with Meter(output, label="embedding", monotonic=lambda: float(next(clock))) as meter:
        meter.update(40, share=0.5)

    assert output.is_terminal
    assert output.width == 100
    assert out.getvalue() == "A bold line\nid  n\na   1\n"
    assert err.getvalue() == "embedding: 40 items, 2/s, 50%, 20 s left\n"
