"""`/v1/items`, `/v1/memories`, `/v1/background` and the rest of what is kept, through the door."""

import re
from typing import Any

import pytest


def test_an_item_is_kept_looked_at_changed_forgotten_and_brought_back(site: Any) -> None:
    made = site.ask("POST", "/v1/items", {"content": "Alpha is due on Monday", "tags": ["alpha"]})
    path = f"/v1/items/{made.json()['outcomes'][0]['id']}"

    got = site.ask("GET", path)
    changed = site.answer("PATCH", path, {"content": "Alpha is due on Friday"})
    gone = site.answer("DELETE", path)
    missing = site.problem("GET", path)
    back = site.answer("POST", f"{path}/restore", {})
    versions = site.answer("GET", f"{path}/history")["versions"]

    assert made.status_code == 201
    assert re.fullmatch('"[0-9a-v]{26}"', got.headers["etag"])  # no number to be read in it
    assert got.json()["tags"] == ["alpha"]
    assert (changed["version"], changed["content"]) == (2, "Alpha is due on Friday")
    assert gone == {"forgotten": [got.json()["id"]]}
    assert missing["status"] == 404
    assert back["version"] == 3
    assert [one["version"] for one in versions] == [1, 2, 3]


def test_the_same_item_twice_is_one(site: Any) -> None:
    sent = {"content": "Alpha is due", "source": "gmail", "source_id": "m1"}

    assert site.ask("POST", "/v1/items", sent).status_code == 201
    again = site.ask("POST", "/v1/items", sent)

    assert (again.status_code, again.json()["unchanged"]) == (200, 1)


def test_several_items_are_kept_together_or_not_at_all(site: Any) -> None:
    kept = site.answer("POST", "/v1/items", {"items": [{"content": "one"}, {"content": "two"}]})
    refused = site.problem("POST", "/v1/items", {"items": [{"content": "three"}, {"content": " "}]})

    assert [one["change"] for one in kept["outcomes"]] == ["added", "added"]
    assert refused["status"] == 422
    assert site.answer("GET", "/v1/stats")["items"] == 2


def test_items_beside_the_fields_of_one_are_refused(site: Any) -> None:
    refusal = site.problem("POST", "/v1/items", {"items": [{"content": "a"}], "content": "b"})

    assert refusal["errors"][0]["field"] == "items"


def test_an_id_may_hold_slashes_and_spaces(site: Any) -> None:
    site.memory.add("mail", id="<a/b c@example.com>")

    got = site.answer("GET", "/v1/items/%3Ca%2Fb%20c%40example.com%3E")
    past = site.answer("GET", "/v1/items/%3Ca%2Fb%20c%40example.com%3E/history")

    assert got["content"] == "mail"
    assert len(past["versions"]) == 1


def test_a_list_goes_on_where_its_cursor_says(site: Any) -> None:
    site.add(*(f"note {n}" for n in range(5)))

    seen, cursor = [], ""
    while True:
        page = site.answer("GET", "/v1/items", params={"limit": 2, "cursor": cursor})
        seen += [one["content"] for one in page["items"]]
        cursor = page["cursor"]
        if not cursor:
            break

    assert sorted(seen) == [f"note {n}" for n in range(5)]


def test_a_list_is_filtered_by_parameters_that_may_be_repeated(site: Any) -> None:
    for source in ("gmail", "jira", "note"):
        site.memory.add(f"from {source}", source=source)

    page = site.answer("GET", "/v1/items?source=gmail&source=jira")

    assert {one["source"] for one in page["items"]} == {"gmail", "jira"}


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "colour=red", "cursor=!", "as_of=soon"])
def test_a_parameter_that_does_not_fit_is_refused(site: Any, query: str) -> None:
    site.add("x")

    assert site.problem("GET", f"/v1/items?{query}")["status"] == 422


def test_a_change_is_made_only_on_the_version_that_was_read(site: Any) -> None:
    [item_id] = site.add("first")
    path = f"/v1/items/{item_id}"

    first = {"If-Match": site.ask("GET", path).headers["etag"]}
    done = site.ask("PATCH", path, {"title": "a"}, headers=first)
    late = site.problem("PATCH", path, {"title": "b"}, headers=first)
    forget = site.problem("DELETE", path, headers=first)
    none = site.problem("PATCH", path, {"title": "b"}, headers={"If-Match": '"x"'})

    second = {"If-Match": done.headers["etag"]}
    assert (done.status_code, done.json()["version"]) == (200, 2)
    assert {one["status"] for one in (late, forget, none)} == {412}
    assert site.memory.get(item_id).title == "a"
    assert site.answer("DELETE", path, headers=second)["forgotten"] == [item_id]


def test_who_has_the_present_version_is_not_sent_it_again(site: Any) -> None:
    [item_id] = site.add("first")

    tag = site.ask("GET", f"/v1/items/{item_id}").headers["etag"]
    got = site.ask("GET", f"/v1/items/{item_id}", headers={"If-None-Match": f'"9", {tag}'})

    assert (got.status_code, got.content) == (304, b"")


def test_a_change_that_names_nothing_is_refused(site: Any) -> None:
    [item_id] = site.add("first")

    assert site.problem("PATCH", f"/v1/items/{item_id}", {})["status"] == 422
    assert site.problem("PATCH", "/v1/items/nope", {"title": "x"})["status"] == 404
    assert site.problem("DELETE", "/v1/items/nope")["status"] == 404


@pytest.mark.parametrize("metadata", ['{"a": NaN}', '{"a": 1e999}', '{"a":' * 40 + "1" + "}" * 40])
def test_metadata_that_no_json_can_say_again_is_refused(site: Any, metadata: str) -> None:
    body = f'{{"content": "x", "metadata": {metadata}}}'.encode()

    assert site.problem("POST", "/v1/items", body)["status"] in (400, 422)


def test_a_memory_supersedes_and_shows_its_history(site: Any) -> None:
    traits = {"entity": "sarah", "type": "profile", "confidence": 0.9}
    site.answer("POST", "/v1/memories", {"text": "Sarah lives in Vienna", "traits": traits})
    done = site.answer("POST", "/v1/memories", {"text": "Sarah lives in Graz", "traits": traits})
    tried = site.ask("POST", "/v1/memories", {"text": "Sarah lives in Linz", "dry_run": True})

    memories = site.answer("GET", "/v1/memories")["items"]
    versions = site.answer("GET", f"/v1/memories/{done['id']}/history")["versions"]

    assert tried.status_code == 200
    assert "Sarah lives in Linz" not in {one["content"] for one in memories}
    assert "Sarah lives in Graz" in {one["content"] for one in memories}
    assert versions[-1]["item"]["content"] == "Sarah lives in Graz"


def test_what_is_no_memory_is_not_found_as_one(site: Any) -> None:
    item = site.memory.add("a page", kind="document")

    for method, rest in (("GET", ""), ("GET", "/history"), ("POST", "/restore")):
        body: Any = {} if method == "POST" else None
        assert site.problem(method, f"/v1/memories/{item.id}{rest}", body)["status"] == 404


def test_a_background_is_put_read_listed_compared_and_hidden(site: Any) -> None:
    missing = site.problem("GET", "/v1/background")
    first = site.answer("POST", "/v1/background", {"text": "Working on Alpha."})
    site.answer("POST", "/v1/background", {"text": "Working on Beta."})

    latest = site.answer("GET", "/v1/background")
    listed = site.answer("GET", "/v1/background/history")["snapshots"]
    best = site.answer("POST", "/v1/background/best", {"query": "Alpha", "limit": 1})
    found = site.answer("POST", "/v1/search", {"query": "anything"})

    assert missing["status"] == 404
    assert latest["text"] in {"Working on Beta.", "Working on Alpha."}
    assert {one["text"] for one in listed} == {"Working on Alpha.", "Working on Beta."}
    assert best["snapshots"][0]["background"]["id"] == first["id"]
    assert found["latestContext"] == latest["text"]
    assert site.answer("DELETE", f"/v1/background/{first['id']}") == {"deleted": [first["id"]]}
    assert site.problem("DELETE", f"/v1/background/{first['id']}")["status"] == 404


def test_a_session_is_made_of_its_messages(site: Any) -> None:
    made = site.ask("POST", "/v1/sessions", {"session_id": "s1", "title": "Alpha"})
    path = "/v1/sessions/s1/messages"
    for role, text in (("user", "When is Alpha due?"), ("assistant", "On Friday.")):
        site.answer("POST", path, {"role": role, "content": text})

    said = site.answer("GET", path)["items"]
    one = site.answer("GET", "/v1/sessions/s1")

    assert made.status_code == 201
    assert [each["content"] for each in said] == ["When is Alpha due?", "On Friday."]
    assert one["messages"] == 2
    assert [each["id"] for each in site.answer("GET", "/v1/sessions")["sessions"]] == ["s1"]
    assert len(site.answer("DELETE", "/v1/sessions/s1")["forgotten"]) == 2
    assert site.problem("GET", "/v1/sessions/s1")["status"] == 404


def test_a_preference_is_said_inferred_and_forgotten(site: Any) -> None:
    said = site.answer("PUT", "/v1/preferences/tone", {"value": "short"})
    guessed = site.answer("POST", "/v1/preferences/tone/infer", {"value": "long"})

    assert (said["value"], said["origin"]) == ("short", "explicit")
    assert (guessed["value"], guessed["confidence"] < said["confidence"]) == ("short", True)
    assert len(site.answer("GET", "/v1/preferences")["preferences"]) == 1
    assert site.answer("DELETE", "/v1/preferences/tone") == {"forgotten": ["tone"]}
    assert site.problem("GET", "/v1/preferences/tone")["status"] == 404


def test_engagement_entities_and_counts_are_reported(site: Any) -> None:
    [item_id] = site.add("Sarah Johnson moved ALPHA-7 to Friday.")

    engaged = site.answer("POST", "/v1/record-usage", {"ids": [item_id, "nope"], "how": "cited"})
    entities = site.answer("GET", "/v1/entities")["entities"]

    assert engaged == {"engaged": [item_id]}
    assert "issue:alpha-7" in {one["id"] for one in entities}
    assert site.answer("GET", "/v1/stats")["items"] == 1


def test_an_agenda_is_reported_a_page_at_a_time(site: Any) -> None:
    for day in (9, 10):
        site.memory.add(f"Review {day}", kind="event", happened_at=f"2026-03-{day:02}T10:00:00Z")
    asked = "/v1/agenda?since=2026-03-09&until=2026-03-16&limit=1&timezone=Asia/Tokyo"

    first = site.answer("GET", asked)
    second = site.answer("GET", f"{asked}&cursor={first['cursor']}")

    reported = [
        (one["title"], one["starts_at"]) for page in (first, second) for one in page["entries"]
    ]
    assert reported == [
        ("Review 9", "2026-03-09T19:00:00+09:00"),
        ("Review 10", "2026-03-10T19:00:00+09:00"),
    ]
    assert second["cursor"] == ""
    refused = site.problem("GET", "/v1/agenda?since=2026-03-09&until=2026-03-01")
    assert refused["status"] == 422


def test_items_are_erased_by_id_by_filter_or_all_together(site: Any) -> None:
    first, second = site.add("one", "two")
    site.memory.add("three", source="gmail")

    by_id = site.answer("POST", "/v1/erase", {"ids": [first, "nope"]})
    by_filter = site.answer("POST", "/v1/erase", {"filter": {"sources": ["gmail"]}})
    unclear = site.problem("POST", "/v1/erase", {"ids": [second], "everything": True})
    rest = site.answer("GET", "/v1/items")["items"]
    site.answer("POST", "/v1/erase", {"everything": True})

    assert (by_id["items"], by_id["missing"]) == ([first], ["nope"])
    assert len(by_filter["items"]) == 1
    assert unclear["status"] == 422
    assert [one["content"] for one in rest] == ["two"]
    assert site.memory.spaces() == ()
