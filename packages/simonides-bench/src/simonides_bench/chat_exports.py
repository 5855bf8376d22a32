"""Exports of chats as their programs write them, made of given words.

Must not know what is measured with them.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from simonides_bench.testing.documents import make_zip

_BEGIN = datetime(2026, 3, 4, 8, tzinfo=UTC)
_PEOPLE = {"U0000001": "Mira Holm", "U0000002": "Jon Vik", "U0000003": "Lin Wei"}


def _seconds(number: int) -> float:
    return (_BEGIN + timedelta(minutes=number)).timestamp()


def chatgpt(days: Sequence[Sequence[str]]) -> bytes:
    """Return `conversations.json`: a conversation for each day, question and answer in turn."""
    return json.dumps([_conversation(f"c{n}", said) for n, said in enumerate(days)]).encode()


def _conversation(key: str, said: Sequence[str]) -> dict[str, object]:
    nodes: dict[str, dict[str, object]] = {
        f"{key}-{number}": {
            "id": f"{key}-{number}",
            "parent": f"{key}-{number - 1}" if number else None,
            "children": [],
            "message": {
                "id": f"{key}-{number}-aaaaaaaa-bbbb",
                "author": {"role": "assistant" if number % 2 else "user"},
                "create_time": _seconds(number),
                "content": {"content_type": "text", "parts": [text]},
                "metadata": {"model_slug": "m-1"} if number % 2 else {},
            },
        }
        for number, text in enumerate(said)
    }
    for before, after in pairwise(nodes):
        nodes[before]["children"] = [after]
    return {
        "title": said[0],
        "conversation_id": key,
        "create_time": _seconds(0),
        "current_node": [*nodes][-1],
        "mapping": nodes,
    }


def slack(days: Sequence[Sequence[str]]) -> bytes:
    """Return the archive of a workspace: its people, one channel, and a file for each day."""
    people = [{"id": key, "profile": {"real_name": name}} for key, name in _PEOPLE.items()]
    channels = [{"id": "C0000001", "name": "yard", "members": [*_PEOPLE]}]
    files = {"users.json": json.dumps(people), "channels.json": json.dumps(channels)}
    for day, said in enumerate(days):
        name = (_BEGIN + timedelta(days=day)).date().isoformat()
        files[f"yard/{name}.json"] = json.dumps(
            [
                {
                    "type": "message",
                    "user": [*_PEOPLE][number % len(_PEOPLE)],
                    "text": f"<@U0000002> {text}",
                    "ts": f"{_seconds(1440 * day + number):.6f}",
                }
                for number, text in enumerate(said)
            ]
        )
    return make_zip(files)


def whatsapp(days: Sequence[Sequence[str]]) -> bytes:
    """Return the text of one chat, as an iPhone writes it."""
    names = [*_PEOPLE.values()]
    lines = [
        f"[{_BEGIN + timedelta(days=day, minutes=number):%d.%m.%y, %H:%M:%S}]"
        f" {names[number % len(names)]}: {text}"
        for day, said in enumerate(days)
        for number, text in enumerate(said)
    ]
    return "\n".join(lines).encode()
