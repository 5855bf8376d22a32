"""`simonides integrate` and `simonides hook`: coding agents ask before a prompt and keep a turn."""

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.ports.models import Clock
from simonides_bench.testing.hashing import HashingEmbedder

Call = Callable[..., tuple[int, str, str]]

DEEP = "[" * 100_000

FILES = {
    "claude-code": [".claude/settings.json"],
    "codex": [".codex/hooks.json"],
    "cursor": [".cursor/mcp.json"],
    "hermes": [".hermes/plugins/simonides/__init__.py", ".hermes/plugins/simonides/plugin.yaml"],
    "opencode": [".config/opencode/plugins/simonides.js"],
}


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock, embedder=HashingEmbedder())


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run `simonides …` in this process, with a home directory of the user's own."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "user")
    monkeypatch.delenv("HERMES_HOME", raising=False)

    def called(*argv: str, stdin: str = "") -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        environment = {"SIMONIDES_HOME": str(tmp_path / "home"), "SIMONIDES_TIMEZONE": "UTC"}
        status = run(
            argv, stdin=io.StringIO(stdin), out=out, err=err, environment=environment,
            open_memory=opened,
        )  # fmt: skip
        return status, out.getvalue(), err.getvalue()

    return called


def hook(call: Call, task: str, **event: Any) -> str:
    """Return what a hook adds to the prompt; it must succeed."""
    status, out, err = call("hook", task, stdin=json.dumps(event))

    assert (status, err) == (0, "")
    if not out:
        return ""
    said = json.loads(out)["hookSpecificOutput"]
    assert said["hookEventName"] == "UserPromptSubmit"
    return str(said["additionalContext"])


def messages(call: Call, session: str) -> list[tuple[str, str]]:
    found = json.loads(call("sessions", "messages", session, "--json")[1])["items"]
    return [(one["people"][0]["name"], one["content"]) for one in found]


# ── integrate ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("agent", FILES)
def test_files_are_written_once_and_undone(call: Call, tmp_path: Path, agent: str) -> None:
    def changes(*options: str) -> list[tuple[str, str]]:
        status, out, err = call("integrate", agent, *options, "--json")
        assert (status, err) == (0, "")
        user = tmp_path / "user"
        return [
            (Path(one["file"]).relative_to(user).as_posix(), one["change"])
            for one in json.loads(out)["files"]
        ]

    assert changes("--print") == [(one, "written") for one in FILES[agent]]
    assert not (tmp_path / "user").exists()
    assert changes() == [(one, "written") for one in FILES[agent]]
    assert changes() == [(one, "unchanged") for one in FILES[agent]]
    assert changes("--undo") == [(one, "removed") for one in FILES[agent]]
    assert changes("--undo") == [(one, "unchanged") for one in FILES[agent]]
    assert [one for one in (tmp_path / "user").rglob("*") if one.is_file()] == []


def test_what_others_wrote_is_kept_and_the_command_names_space_and_home(
    call: Call, tmp_path: Path
) -> None:
    path = tmp_path / "user" / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    theirs = {"hooks": [{"type": "command", "command": "say 'ü done'"}]}
    before = json.dumps({"model": "x", "hooks": {"Stop": [theirs]}}, indent=4)
    path.write_text(before, "utf-8")
    path.chmod(0o640)

    call("--space", "it's mine", "integrate", "claude-code")

    settings = json.loads(path.read_text("utf-8"))
    [kept, own] = settings["hooks"]["Stop"]
    [asked] = settings["hooks"]["UserPromptSubmit"]
    assert (settings["model"], kept) == ("x", theirs)
    command = own["hooks"][0]["command"]
    assert command.endswith(f"""--space 'it'"'"'s mine' --home {tmp_path / "home"} hook stop""")
    assert asked["hooks"][0]["command"].endswith(" hook prompt")
    assert path.stat().st_mode & 0o777 == 0o640
    call("integrate", "claude-code", "--undo")
    assert json.loads(path.read_text("utf-8")) == json.loads(before)


def test_a_hook_that_somebody_put_beside_ours_stays(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "user" / ".claude" / "settings.json"
    call("integrate", "claude-code")
    settings = json.loads(path.read_text("utf-8"))
    theirs = {"type": "command", "command": "say simonides"}
    settings["hooks"]["Stop"][0]["hooks"].append(theirs)
    path.write_text(json.dumps(settings))

    call("integrate", "claude-code", "--undo")

    assert json.loads(path.read_text("utf-8")) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


@pytest.mark.parametrize(
    "content",
    ["{not json", "[1]", '{"hooks": 3}', '{"hooks": {"Stop": {}}}', DEEP, r'{"a": "\ud83c"}',
     '{"a": 1e400}', '{"hooks": {}, "a": [NaN]}'],
)  # fmt: skip
def test_a_file_that_is_not_understood_is_named_and_left(
    call: Call, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "user" / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(content)

    status, out, err = call("integrate", "claude-code")

    assert (status, out) == (4, "")
    assert str(path) in err
    assert path.read_text() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_project_has_files_of_its_own(call: Call, tmp_path: Path) -> None:
    call("integrate", "claude-code", "--project", str(tmp_path / "yard"))

    assert (tmp_path / "yard" / ".claude" / "settings.json").is_file()
    assert not (tmp_path / "user").exists()


# ── hook ──────────────────────────────────────────────────────────────────────────────────────


def test_a_prompt_gets_a_brief_and_the_turn_is_kept_once(call: Call) -> None:
    call("add", "The Alpha deadline moved to 12 June.")

    brief = hook(call, "prompt", session_id="s", prompt="when is the Alpha deadline?", cwd="/yard")
    for _ in range(2):
        hook(call, "stop", session_id="s", last_assistant_message="It is on 12 June.")

    assert "The Alpha deadline moved to 12 June." in brief
    assert messages(call, "s") == [
        ("user", "when is the Alpha deadline?"), ("assistant", "It is on 12 June."),
    ]  # fmt: skip


def test_what_a_session_said_itself_is_not_handed_to_it_again(call: Call) -> None:
    hook(call, "prompt", session_id="s", prompt="The boat is called Alma.")

    assert hook(call, "prompt", session_id="s", prompt="what is the boat called?") == ""
    assert "Alma" in hook(call, "prompt", session_id="t", prompt="what is the boat called?")


def test_what_answers_nothing_and_commands_add_nothing(call: Call) -> None:
    call("add", "The Alpha deadline moved to 12 June.")

    assert hook(call, "prompt", session_id="s", prompt="rename the variable in parser.py") == ""
    assert hook(call, "prompt", session_id="s", prompt="/compact the Alpha deadline") == ""
    assert hook(call, "prompt", session_id="s", prompt="  ") == hook(call, "prompt") == ""
    assert [text for _, text in messages(call, "s")] == ["rename the variable in parser.py"]


def test_the_last_answer_is_read_from_the_transcript_if_it_is_not_reported(
    call: Call, tmp_path: Path
) -> None:
    lines = [
        {"type": "assistant", "message": {"role": "assistant", "content": "First."}},
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Done:\u2028 Alma."},
        ]}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result"}]}},
        {"type": "summary"},
    ]  # fmt: skip
    path = tmp_path / "transcript.jsonl"
    written = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)
    path.write_text(f"{written}\n{{broken\n{DEEP}\n", "utf-8")

    hook(call, "stop", session_id="s", transcript_path=str(path))
    hook(call, "stop", session_id="s", transcript_path=str(tmp_path / "gone.jsonl"))

    assert messages(call, "s") == [("assistant", "Done:\u2028 Alma.")]


def test_a_turn_without_words_has_not_the_answer_of_the_turn_before(
    call: Call, tmp_path: Path
) -> None:
    tool = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
    said = [("user", "Who?"), ("assistant", "Alma."), ("user", "Run it"), ("assistant", tool)]
    path = tmp_path / "transcript.jsonl"
    path.write_text("\n".join(
        json.dumps({"message": {"role": role, "content": content}}) for role, content in said
    ))  # fmt: skip

    hook(call, "stop", session_id="s", prompt="Run it", transcript_path=str(path))

    assert messages(call, "s") == [("user", "Run it")]


def test_what_is_said_again_in_a_later_turn_is_kept_again(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text(json.dumps({"message": {"role": "assistant", "content": "/srv is full."}}))

    for _ in range(2):
        hook(call, "prompt", session_id="s", prompt="go on", transcript_path=str(path))
        hook(call, "stop", session_id="s", transcript_path=str(path))

    assert messages(call, "s") == 2 * [("user", "go on"), ("assistant", "/srv is full.")]


@pytest.mark.parametrize("stdin", ["", "not json", "[1]", DEEP])
def test_what_is_no_event_is_an_error_that_blocks_no_prompt(call: Call, stdin: str) -> None:
    status, out, err = call("hook", "prompt", stdin=stdin)

    assert (status, out) == (4, "")  # an agent takes 2 for a refusal, and goes on after any other
    assert "standard input" in err


@pytest.mark.parametrize("given", [" \t", "x" * 129, "two\nlines", "\ud83c", " s "])
def test_a_turn_is_kept_whatever_its_session_is_called(call: Call, given: str) -> None:
    hook(call, "prompt", session_id=given, prompt="The Alpha deadline moved to Friday.")
    hook(call, "prompt", session_id=given + "2", prompt="Which deadline is on Friday?")
    found = json.loads(call("sessions", "list", "--json")[1])["sessions"]

    assert len(found) == 2
    assert [len(messages(call, one["id"])) for one in found] == [1, 1]


@pytest.mark.parametrize(
    "words",
    [["NOPE"], [], ["prompt", "--nope"], ["stop", "--space"], ["prompt", "--budget-tokens"]],
)
def test_wrong_arguments_of_a_hook_block_no_prompt(call: Call, words: list[str]) -> None:
    for before in ([], ["--space", "work"]):
        assert call(*before, "hook", *words, stdin="{}")[0] == 1
    assert call("search", "hook", "--nope")[0] == 2


# ── the files that are programs ───────────────────────────────────────────────────────────────


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that answers as `simonides hook` does and keeps what it is handed."""
    path = tmp_path / "bin" / "simonides"
    path.parent.mkdir()
    path.write_text(
        f"#!{sys.executable}\nimport json, sys\nevent = json.load(sys.stdin)\n"
        f"with open({str(tmp_path / 'seen')!r}, 'a') as seen:\n"
        "    print(json.dumps([sys.argv[-1], event], sort_keys=True), file=seen)\n"
        "if sys.argv[-1] == 'prompt':\n"
        "    print(json.dumps({'hookSpecificOutput': {'additionalContext': 'a brief'}}))\n"
    )
    path.chmod(0o700)
    monkeypatch.setattr(sys, "argv", [str(path)])
    return path


def seen(tmp_path: Path) -> list[Any]:
    return [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]


@pytest.mark.usefixtures("program")
@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js")
def test_the_plugin_of_opencode_adds_the_brief_and_keeps_the_answer(
    call: Call, tmp_path: Path
) -> None:
    call("integrate", "opencode")
    plugin = tmp_path / "plugin.mjs"
    shutil.copy(tmp_path / "user" / FILES["opencode"][0], plugin)
    script = """
      import { Simonides } from "./plugin.mjs";
      const messages = async () => ({ data: [
        { info: { role: "assistant" }, parts: [{ type: "text", text: "Alma." }] },
        { info: { role: "user" }, parts: [] },
      ] });
      const hooks = await Simonides({ client: { session: { messages } }, directory: "/yard" });
      const output = { message: { id: "m" }, parts: [{ type: "text", text: "the boat?" }] };
      await hooks["chat.message"]({ sessionID: "s" }, output);
      await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
      await hooks.event({ event: { type: "file.edited", properties: {} } });
      console.log(output.parts.length, output.parts[1].text, output.parts[1].synthetic);
    """
    (tmp_path / "script.mjs").write_text(script)

    ran = subprocess.run(
        ["node", "script.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert ran.stdout == "2 a brief true\n"
    assert seen(tmp_path) == [
        ["prompt", {"cwd": "/yard", "prompt": "the boat?", "session_id": "s"}],
        ["stop", {"cwd": "/yard", "last_assistant_message": "Alma.", "session_id": "s"}],
    ]


@pytest.mark.usefixtures("program")
def test_the_provider_of_hermes_adds_the_brief_and_keeps_the_turn(
    call: Call, tmp_path: Path
) -> None:
    call("integrate", "hermes")
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "memory_provider.py").write_text("class MemoryProvider: pass\n")
    shutil.copy(tmp_path / "user" / FILES["hermes"][0], tmp_path / "provider.py")
    script = """
from provider import register
class Context:
    def register_memory_provider(self, provider):
        self.provider = provider
context = Context()
register(context)
provider = context.provider
provider.initialize("s", platform="cli")
print(provider.name, provider.is_available(), provider.prefetch("the boat?"))
provider.sync_turn("the boat?", "Alma.")
"""

    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert ran.stdout == "simonides True a brief\n"
    assert seen(tmp_path) == [
        ["prompt", {"keep": False, "prompt": "the boat?", "session_id": "s"}],
        ["stop", {"last_assistant_message": "Alma.", "prompt": "the boat?", "session_id": "s"}],
    ]
