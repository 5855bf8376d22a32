"""The list of the receipts that a space keeps."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from simonides import InvalidInput, Memory, ReceiptSummary, Settings

START = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    at = iter(START + timedelta(minutes=n) for n in range(10_000))
    with Memory(tmp_path, settings=SETTINGS, clock=lambda: next(at)) as made:
        yield made


def test_a_space_that_is_not_there_yet_has_none(memory: Memory) -> None:
    assert memory.receipts().receipts == ()


def test_kept_receipts_are_listed_with_what_was_asked(memory: Memory) -> None:
    memory.add("Alpha is due on Friday")
    made = memory.brief("When is Alpha due?", budget_tokens=200, keep_receipt=True)
    memory.brief("not kept")

    [one] = memory.receipts().receipts

    assert one == ReceiptSummary(
        id=made.receipt.id, kept_at=one.kept_at, query="When is Alpha due?", budget=200,
        unit="tokens", items=1,
    )  # fmt: skip
    assert memory.replay(one.id).exact


def test_pages_follow_each_other_last_kept_first(memory: Memory) -> None:
    for number in range(5):
        memory.brief(f"question {number}", keep_receipt=True)

    asked, cursor = [], ""
    while True:
        page = memory.receipts(limit=2, cursor=cursor)
        asked += [one.query[-1] for one in page.receipts]
        cursor = page.cursor
        if not cursor:
            break

    assert "".join(asked) == "43210"


def test_bounds_are_checked(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        memory.receipts(limit=0)
    with pytest.raises(InvalidInput, match="cursor"):
        memory.receipts(cursor="nonsense")
