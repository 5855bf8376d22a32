"""`simonides chat`: one message, and a conversation on a terminal, with a scripted model."""

import io
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.cli.output import Output
from simonides.cli.verbs.chat import PROMPT, Teller, interruptible, line_reader
from simonides.errors import ModelError
from simonides.model.chat import ChatEvent, ChatEventKind, ModelReply, ToolCall, Usage
from simonides.ports.models import Clock
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.scripted import ScriptedChatModel

NINE = "2026-03-12T09:00:00Z"
ALPHA = "When is Alpha due?"


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        return True


def said(content: str = "", *calls: ToolCall) -> ModelReply:
    usage = Usage(prompt_tokens=900, completion_tokens=100)
    return ModelReply(content=content, tool_calls=calls, usage=usage)


class Door:
    """The command line of one home; the model says what it is given."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.model: ScriptedChatModel | None = None

    def open(self, home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
        return Memory(home, space=space, settings=settings, clock=clock,
                      embedder=HashingEmbedder(), chat_model=self.model)  # fmt: skip

    def memory(self) -> Memory:
        settings = Settings(timezone="UTC", durability="relaxed")
        return Memory(self.home, settings=settings, embedder=HashingEmbedder())

    def __call__(
        self, *argv: str, says: Iterable[Any] | None = None, stdin: str = "", terminal: bool = False
    ) -> tuple[int, str, str]:
        """Return status, stdout and stderr of one run; no model where nothing is said."""
        self.model = None if says is None else ScriptedChatModel(
            said(one) if isinstance(one, str) else one for one in says
        )  # fmt: skip
        stream = Terminal if terminal else io.StringIO
        out, err = stream(), stream()
        status = run(
            ["chat", *argv, "--now", NINE], stdin=stream(stdin), out=out, err=err,
            environment={"SIMONIDES_HOME": str(self.home), "SIMONIDES_TIMEZONE": "UTC",
                         "SIMONIDES_DURABILITY": "relaxed"},
            open_memory=self.open,
        )  # fmt: skip
        return status, out.getvalue(), err.getvalue()

    def kept(self, session_id: str) -> list[str]:
        with self.memory() as memory:
            return [one.content for one in memory.sessions.messages(session_id, limit=100).items]

    @property
    def asked(self) -> list[str]:
        """Return the last message of each request of the model."""
        assert self.model is not None
        return [one.messages[-1].content for one in self.model.requests]


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """A home with two mails."""
    made = Door(tmp_path / "home")
    with made.memory() as memory:
        memory.add("The Alpha deadline moved to Friday.", kind="email", source="gmail",
                   title="Re: Alpha", people=["Sarah Johnson <sarah@example.com>"],
                   happened_at="2026-03-06T10:00:00Z")  # fmt: skip
        memory.add("Alpha has two cranes.", kind="document", source="gdrive", title="Plan",
                   happened_at="2025-02-01T10:00:00Z")  # fmt: skip
    return made


# ── one message ──────────────────────────────────────────────────────────────────────────────────


def test_one_message_is_answered_with_its_sources_below(door: Door) -> None:
    status, out, err = door(ALPHA, says=["On Friday."])

    assert status == 0
    lines = out.splitlines()
    assert lines[:3] == [
        "On Friday.", "",
        "[1] 2026-03-06  gmail · Sarah Johnson at sarah@example.com  unknown sender  Re: Alpha",
    ]  # fmt: skip
    assert err.startswith("1 call of scripted, 1,000 tokens; session ")


def test_words_of_a_message_need_no_quotes(door: Door) -> None:
    door("When", "is", "Alpha", "due?", says=["Friday."])

    assert door.asked[0].endswith(f"## User Request:\n{ALPHA}")


def test_a_message_comes_from_standard_input(door: Door) -> None:
    door("-", says=["Friday."], stdin=f"{ALPHA}\n")

    assert door.asked[0].endswith(f"## User Request:\n{ALPHA}")


def test_the_answer_as_json_is_one_object_on_one_line(door: Door) -> None:
    look = said(
        "", ToolCall(id="c", name="retrieve_context", arguments='{"query": "Alpha deadline"}')
    )
    status, out, err = door(ALPHA, "--json", says=[look, "On Friday."])
    answer = json.loads(out)

    assert (status, err, out.count("\n")) == (0, "", 1)
    assert (answer["message"], answer["stop"], answer["calls"]) == ("On Friday.", "answered", 2)
    assert (answer["tokens_used"], answer["model"]) == (2000, "scripted")
    assert answer["items"][0]["item"]["title"] == "Re: Alpha"
    assert answer["receipt"]["query"] == ALPHA
    assert (answer["needs_clarification"], answer["clarification_question"]) == (False, "")
    assert door.kept(answer["session_id"]) == [ALPHA, "On Friday."]


def test_a_session_goes_on(door: Door) -> None:
    door("Hello.", "--session", "s1", says=["Hello!"])
    door(ALPHA, "--session", "s1", says=["Friday."])

    assert door.kept("s1") == ["Hello.", "Hello!", ALPHA, "Friday."]
    assert door.model is not None
    assert [one.content for one in door.model.requests[0].messages[1:-1]] == ["Hello.", "Hello!"]


def test_sources_time_and_mode_reach_the_turn(door: Door) -> None:
    _, out, _ = door(ALPHA, "--source", "gdrive", "--source", "jira", "--mode", "prefetch",
                     says=["Two cranes."])  # fmt: skip
    assert "gdrive" in out
    assert "gmail" not in out
    assert door.model is not None
    assert door.model.requests[0].tools == ()

    _, out, _ = door(ALPHA, "--time", "last_week", says=["Friday."])
    assert "Plan" not in out


def test_without_a_model_the_lines_cite_and_no_sources_are_repeated(door: Door) -> None:
    status, out, err = door(ALPHA)
    first, line, *rest = out.splitlines()

    assert status == 0
    assert first == "No language model is configured; this is what was found:"
    assert line.startswith("[1] GMAIL · 2026-03-06 · Sarah Johnson at sarah@example.com · unknown")
    assert [one[:4] for one in rest] == ["[2] "]
    assert err.startswith("session ")


@pytest.mark.parametrize("argv", [(), ("",), (" ",), ("--json",)])
def test_no_message_is_refused_where_nobody_types(door: Door, argv: tuple[str, ...]) -> None:
    status, out, err = door(*argv)

    assert (status, out) == (4, "")
    assert "MESSAGE: is empty" in err


def test_an_empty_standard_input_is_refused_on_a_terminal_too(door: Door) -> None:
    assert door("-", terminal=True)[0] == 4
    assert door("--json", terminal=True)[0] == 4


def test_a_model_that_fails_has_its_own_status(door: Door) -> None:
    status, out, err = door(ALPHA, "--session", "s1", says=[ModelError("the endpoint is down")])

    assert (status, out) == (11, "")
    assert "the endpoint is down [model_error]" in err
    assert door.kept("s1") == [ALPHA]


@pytest.mark.parametrize("argv", [("--session", ""), ("--source", ""), ("--time", "soon"),
                                  ("--mode", "psychic")])  # fmt: skip
def test_an_option_that_does_not_fit_is_refused(door: Door, argv: tuple[str, ...]) -> None:
    assert door(ALPHA, *argv)[0] == 2


def test_notes_are_reported_on_stderr(door: Door) -> None:
    _, out, err = door(ALPHA, says=[ModelReply(content="Friday.")])

    assert "note: the endpoint counts no tokens: they were estimated" in err
    assert "estimated" not in out


# ── a conversation ───────────────────────────────────────────────────────────────────────────────


def test_a_conversation_goes_on_in_one_session_until_the_user_leaves(door: Door) -> None:
    typed = f"Hello.\n\n{ALPHA}\n/quit\nNever said.\n"
    status, out, err = door("--session", "s1", says=["Hello!", "Friday."], stdin=typed,
                            terminal=True)  # fmt: skip

    assert status == 0
    assert door.kept("s1") == ["Hello.", "Hello!", ALPHA, "Friday."]
    assert out.count(PROMPT) == 4
    assert out.count("Friday.") == 1
    assert "/quit leaves" in err


def test_the_end_of_the_input_ends_a_conversation(door: Door) -> None:
    status, out, _ = door(says=["Hello!"], stdin="Hello.", terminal=True)

    assert status == 0
    assert "Hello!\n" in out


def test_a_new_session_knows_nothing_of_the_old_ones_history(door: Door) -> None:
    door(says=["Hello!", "Friday."], stdin=f"Hello.\n/new\n{ALPHA}\n", terminal=True)
    assert door.model is not None

    assert [len(one.messages) for one in door.model.requests] == [2, 2]


def test_sources_of_the_last_answer_are_shown_when_asked_for(door: Door) -> None:
    _, out, err = door(says=["Friday."], stdin=f"/sources\n{ALPHA}\n/sources\n/sing\n",
                       terminal=True)  # fmt: skip

    assert "no sources" in err
    assert out.count("Re: Alpha") == 2
    assert "there is no /sing" in err


def test_words_before_a_call_are_taken_back_and_the_call_is_told(door: Door) -> None:
    look = said("Let me look.", ToolCall(id="c", name="retrieve_context",
                                         arguments='{"query": "Alpha"}'))  # fmt: skip
    _, out, err = door(ALPHA, says=[look, "Friday."], terminal=True)

    assert "Let me look.\nFriday.\n" in out
    assert "(not the answer yet)" in err
    assert "retrieve_context: found 2" in err


def test_a_failed_turn_does_not_end_the_conversation(door: Door) -> None:
    status, out, err = door("--session", "s1", says=[ModelError("down"), "Friday."],
                            stdin=f"Hello.\n{ALPHA}\n", terminal=True)  # fmt: skip

    assert status == 0
    assert "down [model_error]" in err
    assert "Friday." in out
    assert door.kept("s1") == ["Hello.", ALPHA, "Friday."]


def test_a_conversation_whose_first_turn_failed_goes_on_in_its_session(door: Door) -> None:
    _, _, err = door(
        says=[ModelError("down"), "Friday."], stdin=f"Hello.\n{ALPHA}\n", terminal=True
    )

    assert door.kept(err.split("; session ")[1][:32]) == ["Hello.", ALPHA, "Friday."]


def test_ctrl_c_takes_one_turn_back_and_the_conversation_goes_on(door: Door) -> None:
    def interrupted(_: object) -> ModelReply:
        signal.raise_signal(signal.SIGINT)
        return said("Never to be kept.")

    before = signal.getsignal(signal.SIGINT)
    status, _, err = door("--session", "s1", says=[interrupted, "Friday."],
                          stdin=f"Hello.\n{ALPHA}\n", terminal=True)  # fmt: skip

    assert status == 0
    assert "cancelling; once more to leave" in err
    assert "cancelled; no answer was kept" in err
    assert door.kept("s1") == ["Hello.", ALPHA, "Friday."]
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_twice_leaves(door: Door) -> None:
    def interrupted(_: object) -> ModelReply:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return said("Never said.")

    status, _, _ = door(says=[interrupted], stdin="Hello.\n", terminal=True)

    assert status == 130


def test_ctrl_c_is_heard_by_the_main_thread_alone() -> None:
    before, seen = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with interruptible(Output(io.StringIO(), io.StringIO())) as is_cancelled:
            seen.append((is_cancelled(), signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=20)

    assert seen == [(False, before)]


def test_what_is_reported_can_not_steer_the_terminal(door: Door) -> None:
    _, out, _ = door(ALPHA, says=["Friday \x1b[31mred\x07 \u202eback"], terminal=True)

    assert "\x1b[31mred" not in out
    assert "<U+202E>back" in out


def test_events_end_the_line_that_words_stand_on() -> None:
    out = io.StringIO()
    teller = Teller(Output(out, io.StringIO()))
    for kind, text in (("text", "a"), ("tool", ""), ("text", "b\n"), ("tool", ""), ("text", "c")):
        teller.tell(ChatEvent(kind=ChatEventKind(kind), text=text))
    teller.end()
    teller.end()

    assert out.getvalue() == "a\nb\nc\n"


def test_where_the_terminal_is_our_own_lines_can_be_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter([ALPHA])

    def typing(prompt: str) -> str:
        assert prompt == PROMPT
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    class Context:
        stdin = sys.stdin
        output = Output(io.StringIO(), io.StringIO())

    monkeypatch.setattr("builtins.input", typing)
    context: Any = Context()
    read: Callable[[], str | None] = line_reader(context)

    assert (read(), read()) == (ALPHA, None)


def test_a_conversation_that_is_left_ends_its_line(door: Door) -> None:
    _, left, _ = door(stdin="", terminal=True)
    _, quit_, _ = door(stdin="/quit\n", terminal=True)

    assert left == f"{PROMPT}\n"
    assert quit_ == PROMPT


class Undecodable(Terminal):
    """Somebody types what is no UTF-8."""

    def readline(self, *_: object) -> str:  # type: ignore[override]  # as its name says
        return b"caf\xe9".decode()


def test_what_is_typed_in_another_encoding_is_refused_in_words(door: Door) -> None:
    out, err = Terminal(), Terminal()
    status = run(
        ["chat"], stdin=Undecodable(), out=out, err=err,
        environment={"SIMONIDES_HOME": str(door.home)}, open_memory=door.open,
    )  # fmt: skip

    assert status == 4
    assert "standard input: is not UTF-8" in err.getvalue()
    assert "[invalid_input]" in err.getvalue()
