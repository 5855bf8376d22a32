"""Asking, as a user writes it: filters as dictionaries, times as texts, names as texts."""

from datetime import UTC, date, datetime
from typing import assert_type

from simonides import Brief, Explained, Filter, Hit, Item, Memory, Page, SearchResult

with Memory("~/.simonides", space="desk") as memory:
    found = memory.search(
        "when is Alpha due?",
        limit=5,
        mode="text",
        now="2026-03-03",
        filter={
            "sources": ["gmail", "note"],
            "kinds": ["email"],
            "since": "2026-03-01",
            "until": date(2026, 4, 1),
            "where": {"priority": {"gte": 3}},
            "viewer": {"user_id": "tom"},
        },
    )
    assert_type(found, SearchResult)
    for hit in found:
        assert_type(hit, Hit)
        assert_type(hit.text, str)
        assert_type(hit.title, str)

    mails = Filter(kinds=["email"], since=datetime(2026, 3, 1, tzinfo=UTC), where={"team": "red"})
    assert_type(memory.search("Alpha", filter=mails, as_of=12), SearchResult)
    assert_type(memory.list(filter={"collections": ["main"]}, as_of="2026-03-03"), Page)
    assert_type(memory.get("a"), Item)

    brief = memory.brief(
        "when is Alpha due?", budget_tokens=400, layout="brief", max_items=5, scorer="rrf"
    )
    assert_type(brief, Brief)
    assert_type(str(brief), str)
    assert_type(memory.explain("Alpha", filter=mails, trust_min="known"), Explained)
    found.to_dict()
    brief.to_dict()
