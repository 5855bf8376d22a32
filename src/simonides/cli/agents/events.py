"""The events that coding agents hand to a hook, read and answered.

Claude Code and Codex send JSON of one form; the files for OpenCode and Hermes that are written here
send the same. Must not know how a memory is asked.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.bounds import SESSION_ID, show_value

TAIL_BYTES = 1 << 20
"""How much of the end of a transcript is looked through for the last answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event: whose session it is, what the user asks, or what the agent said last.

    `transcript` is the file of the session, which is read only for an `answer` that is not given. A
    prompt that is not kept comes again with the answer.
    """

    session_id: str
    prompt: str
    stated_answer: str
    transcript: str
    folder: str
    is_kept: bool = True

    @property
    def is_asked(self) -> bool:
        """Whether there is a prompt, and it is no command of the agent itself."""
        return bool(self.prompt) and not self.prompt.startswith(("/", "!"))

    def answer(self) -> str:
        """Return the last words of the agent; empty if they are not known."""
        return (self.stated_answer or _last_answer(self.transcript)).strip()


def read_event(text: str) -> Event:
    """Return the event of a hook's standard input.

    Raises:
        InvalidInput: It is no JSON object.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("standard input", f"is no JSON of a hook: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInput("standard input", f"must be an object, got {show_value(found)}")
    return Event(
        session_id=_session_id(found),
        prompt=_text(found, "prompt").strip(),
        stated_answer=_text(found, "last_assistant_message"),
        transcript=_text(found, "transcript_path"),
        folder=_text(found, "cwd"),
        is_kept=found.get("keep") is not False,
    )


def context_of(brief: str) -> str:
    """Return the answer of a hook that adds a text to a prompt, in JSON."""
    said = {"hookEventName": "UserPromptSubmit", "additionalContext": brief}
    return json.dumps({"hookSpecificOutput": said}, ensure_ascii=False)


def _text(found: dict[str, Any], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def _session_id(found: dict[str, Any]) -> str:
    """Return the id of the session, or its digest where no session may be called so."""
    given = _text(found, "session_id").strip()
    if given.isprintable() and len(given) <= SESSION_ID.chars_max:
        return given
    return hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()


def _last_answer(transcript: str) -> str:
    """Return the last words of the agent since those of the user; empty if that fails.

    The transcript is JSON Lines. A turn of calls alone has no answer: the one before is not its.
    """
    if not transcript:
        return ""
    try:
        with Path(transcript).expanduser().open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - TAIL_BYTES))
            lines = file.read().splitlines()  # of bytes: a text may hold other ends of lines
    except OSError:
        return ""
    for line in reversed(lines):
        role, said = _read_message(line)
        if said and role in ("assistant", "user"):
            return said if role == "assistant" else ""
    return ""


def _read_message(line: bytes) -> tuple[Any, str]:
    """Return who speaks in a line of a transcript, and the words; both empty if it holds none."""
    try:
        message = json.loads(line)["message"]
        role, content = message["role"], message["content"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", ""
    if isinstance(content, str):
        return role, content.strip()
    parts = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    return role, "\n".join(_text(one, "text") for one in parts if one.get("type") == "text").strip()
