"""Questions of people in many languages, on mails, calendars, chats, notes and tables of theirs.

The people are invented. What a brief does not hold that the answer needs, and what a list holds too
much, stands in `newcomers-de.txt` and its like; a change of them is read line by line, as for the
other golden files. Meaning is left out, so that no model is needed.
"""

import json
import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
from tests.golden.test_golden import HERE, check

from simonides import Memory, Settings
from simonides.retrieval.nearest import NOTHING_CLEAR

PEOPLE: Final = {
    "de": ("Europe/Berlin", "Jonas Brandt", "jonas.brandt@gmx.example"),
    "de-at": ("Europe/Vienna", "Barbara Lechner", "barbara@polsterei-lechner.example"),
    "de-en": ("Europe/Berlin", "Tobias Rehwald", "tobias@rehwald.example"),
    "en": ("Europe/Dublin", "Fintan Hennelly", "fintan@hennellypianos.example"),
    "en-au": ("Australia/Hobart", "Tessa Marlowe", "tessa@marloweupholstery.example"),
    "en-ca": ("America/Toronto", "Maren Oakes", "maren.oakes@haldengrinders.example"),
    "en-gb": ("Europe/London", "Rhona Petrie", "rhona.petrie@fernmail.example"),
    "es": ("Europe/Madrid", "Lucía Navarro", "lucia.navarro@correo.example"),
    "fr": ("Europe/Paris", "Élodie Marchand", "elodie.marchand@laposte.example"),
    "it": ("Europe/Rome", "Davide Ferri", "davide.ferri@libero.example"),
    "ja": ("Asia/Tokyo", "佐藤美咲", "misaki.sato@nifty.example"),
    "ko": ("Asia/Seoul", "윤서영", "seoyoung.yun@hanmail.example"),
    "nl": ("Europe/Amsterdam", "Sanne de Vries", "sanne.devries@ziggo.example"),
    "pl": ("Europe/Warsaw", "Katarzyna Wójcik", "katarzyna.wojcik@poczta.example"),
    "ru": ("Europe/Moscow", "Ольга Смирнова", "olga.smirnova@pochta.example"),
    "tr": ("Europe/Istanbul", "Selim Aydoğdu", "selim.aydogdu@posta.example"),
    "pt": ("America/Sao_Paulo", "Mariana Souza", "mariana.souza@uol.example"),
    "zh": ("Asia/Shanghai", "李晓雯", "xiaowen.li@163.example"),
}
BUDGET_TOKENS: Final = 700
LISTS: Final = ("agenda", "tasks", "time", "unanswered")
"""Kinds of questions of which what must not be there is wrong wherever it stands."""


def outcomes(language: str, home: Path) -> Iterator[str]:
    """Yield a line for each question whose brief lacks something or holds too much."""
    timezone, name, address = PEOPLE[language]
    now = datetime(2026, 3, 12, 10, tzinfo=ZoneInfo(timezone))
    folder = HERE / "newcomers" / language
    settings = Settings(timezone=timezone, embedder="none", durability="relaxed")
    with Memory(home / "kept", settings=settings, clock=lambda: now) as memory:
        memory.set_owner(name, address)
        memory.import_(_copied(folder / "data", home / "read", at=now))
        for line in (folder / "questions.jsonl").read_text("utf-8").splitlines():
            asked = json.loads(line)
            shown = memory.brief(asked["q"], now=now, budget_tokens=BUDGET_TOKENS).text
            if said := ", ".join(faults(asked, shown)):
                yield f"{asked['kind']}: {asked['q']}\n    {said}"


def _copied(data: Path, to: Path, *, at: datetime) -> Path:
    """Return a copy whose files were all changed at one time: it is among what is searched."""
    shutil.copytree(data, to)
    for path in to.rglob("*"):
        os.utime(path, (at.timestamp(), at.timestamp()))
    return to


def faults(asked: dict[str, Any], shown: str) -> Iterator[str]:
    plain = " ".join(shown.split())
    yield from (f"lacks {one!r}" for one in asked["expect"] if " ".join(one.split()) not in plain)
    if asked["kind"] in LISTS:
        yield from (f"holds {one!r}" for one in asked["must_not"] if one in plain)
    is_denied = NOTHING_CLEAR in shown
    if is_denied != (asked["kind"] == "none"):
        yield "is denied" if is_denied else "is not denied"


@pytest.mark.parametrize("language", PEOPLE)
def test_what_newcomers_are_told_is_what_is_stored(language: str, tmp_path: Path) -> None:
    asked = (HERE / "newcomers" / language / "questions.jsonl").read_text("utf-8").count("\n")
    found = list(outcomes(language, tmp_path))

    check(
        f"newcomers-{language}.txt",
        "\n".join([f"# {asked - len(found)} of {asked} without fault", *found, ""]),
    )
