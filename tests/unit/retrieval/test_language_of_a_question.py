"""The language in which a question is read: its colloquial words count, too."""

from datetime import datetime, timedelta

import pytest

from simonides import Item, Memory

GERMAN = "Die Lackierung der alten Kommode ist noch nicht bezahlt, und das Geld ist knapp."
DUTCH = "De boete is nog niet betaald, en het geld is deze maand krap voor ons allemaal."


@pytest.mark.parametrize(
    ("content", "question"),
    [
        (GERMAN, "was is alles überfällig?"),
        (DUTCH, "welke taken zijn te laat?"),
        (GERMAN, "what is overdue?"),
        (DUTCH, "was ist alles überfällig?"),
    ],
)
def test_overdue_tasks_are_listed(
    memory: Memory, now: datetime, content: str, question: str
) -> None:
    due = (now - timedelta(days=3)).isoformat()
    memory.add(
        [
            Item(id="note", content=content),
            Item(id="late", kind="task", content=content, metadata={"due": due}),
        ]
    )

    found = memory.search(question, now=now)
    assert (found.plan.searched, found.plan.task_state) == ("", "overdue")
    assert found.hits[0].id == "late"
