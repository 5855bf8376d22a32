"""The pages: what they show, what their forms do, and what they let through."""

import re
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest

from simonides import Memory, Person
from simonides.model.chat import ModelReply
from simonides.model.memories import ProposedMemory
from simonides_bench.testing.scripted import ScriptedChatModel

HOSTILE = "Alpha <script>alert(1)</script> & \"quotes\" 'too' <img src=x onerror=alert(2)>"
PATHS = (
    "/", "/story", "/chat", "/items", "/agenda", "/people", "/memories", "/inbox", "/receipts",
    "/status",
)  # fmt: skip


class Browser(Protocol):
    memory: Memory
    client: Any

    def open(self, address: str, **more: Any) -> httpx2.Response: ...

    def read(self, address: str) -> str: ...

    def send(self, address: str, fields: dict[str, str], *, at: str = "") -> httpx2.Response: ...

    def write_audit(self) -> None: ...


@pytest.mark.parametrize("path", PATHS)
def test_every_page_of_an_empty_memory_is_there(browser: Browser, path: str) -> None:
    html = browser.read(path)

    assert f'<a href="{path}" aria-current="page">' in html
    assert "<h1>" in html


@pytest.mark.parametrize("path", PATHS)
def test_every_page_has_a_json_twin(browser: Browser, path: str) -> None:
    browser.memory.add("Sarah moved the Alpha deadline to Friday")

    got = browser.open(path, params={"q": "Alpha", "format": "json"})

    assert got.headers["content-type"] == "application/json"
    assert isinstance(got.json(), dict)


def test_a_question_is_answered_without_scripts(browser: Browser) -> None:
    browser.memory.add("Sarah moved the Alpha deadline to Friday", source="mail")
    browser.memory.add("Tom likes tea")

    html = browser.read("/?q=when+is+the+Alpha+deadline")

    assert "<mark>Alpha</mark> <mark>deadline</mark> to Friday" in html
    assert "In the brief as [1]" in html
    assert "of 1500 tokens" in html
    assert '<option value="hybrid" selected>' in html


def test_a_smaller_budget_leaves_out_and_says_what_it_would_take(browser: Browser) -> None:
    browser.memory.add([f"The Alpha plan has part {n}, {'x ' * 40}" for n in range(9)])

    found = browser.open("/?q=Alpha+plan&budget=150&format=json").json()["explained"]
    html = browser.read("/?q=Alpha+plan&budget=150")

    assert found["brief"]["tokens"] <= 150
    assert found["brief"]["dropped"]
    assert "budget" in html
    assert f"{len(found['more_items'])} more would come in" in html


def test_every_way_to_search_that_is_offered_works(browser: Browser) -> None:
    browser.memory.add("Alpha is due on Friday")
    offered = re.findall(r'<option value="(\w+)"', browser.read("/"))

    assert len(offered) == 3
    for mode in offered:
        assert browser.open(f"/?q=Alpha&mode={mode}").status_code == 200 or mode == "vector"
    assert "no vectors" in browser.open("/?q=Alpha&mode=vector").text


def test_a_filter_narrows_what_is_found(browser: Browser) -> None:
    browser.memory.add("Alpha by mail", source="mail")
    browser.memory.add("Alpha in the chat", source="chat")

    assert "Alpha</mark> in the chat" not in browser.read("/?q=Alpha&source=mail")
    assert '<a href="/?q=Alpha&amp;budget=1500&amp;mode=hybrid&amp;source=chat">chat</a>' in (
        browser.read("/?q=Alpha")
    )


def test_months_are_counted_and_narrow_what_is_found(browser: Browser) -> None:
    for day in ("01-10", "02-10", "02-28"):
        browser.memory.add(f"Alpha on {day}", happened_at=f"2026-{day}T12:00:00Z")
    browser.memory.add("Alpha at the end", happened_at="2026-01-31T23:59:59Z")

    html = browser.read("/items?month=2026-02")
    assert '<p class="facts">2 items</p>' in html
    assert "Alpha at the end" not in html
    assert "Alpha at the end" in browser.read("/?q=Alpha&month=2026-01")
    assert browser.open("/items?month=2026-13").status_code == 422


def test_text_of_others_is_shown_as_text(browser: Browser) -> None:
    item = browser.memory.add(
        HOSTILE, title=HOSTILE, source='"><script>', people=[{"name": HOSTILE}], tags=["<b>"],
        metadata={"<i>": "<u>"},
    )  # fmt: skip
    browser.memory.remember(HOSTILE)
    reply = browser.memory.chat(HOSTILE)
    pages = [
        *PATHS, "/?q=Alpha+script", "/story?q=Alpha+script", f"/story?q={HOSTILE}",
        f"/item?id={item.id}&spans=0-5,6-14", f"/item?id={item.id}&q={HOSTILE}",
        "/people?name=alpha", f"/people?name={HOSTILE}", f"/?q={HOSTILE}",
        f"/chat?session={reply.session_id}",
    ]  # fmt: skip

    for page in pages:
        html = browser.read(page)
        assert "<script>" not in html
        assert "<img" not in html
        assert not {"<b>", "<i>", "<u>"} & set(html.split())


def test_nothing_inline_and_nothing_from_outside(browser: Browser) -> None:
    got = browser.open("/")

    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert got.headers["referrer-policy"] == "same-origin"
    for text in (' style="', "<style", "javascript:", "http://", "https://", " onclick"):
        assert text not in got.text
    for asset in ("/static/style.css", "/static/htmx-4.0.1.min.js", "/static/icon.svg"):
        assert browser.open(asset).status_code == 200
        assert asset in got.text


def test_spans_of_a_citation_are_marked(browser: Browser) -> None:
    item = browser.memory.add("Sarah moved the deadline to Friday")

    html = browser.read(f"/item?id={item.id}&spans=28-34,0-5")
    assert '<mark id="passage">Sarah</mark> moved the deadline to <mark>Friday</mark>' in html
    html = browser.read(f"/item?id={item.id}&q=deadlines")
    assert "moved the <mark>deadline</mark> to" in html
    assert browser.open(f"/item?id={item.id}&spans=a-b").status_code == 422
    assert "<mark>" in browser.read(f"/item?id={item.id}&spans=30-999,2-4")


def test_an_item_is_forgotten_and_brought_back(browser: Browser) -> None:
    item = browser.memory.add("The spare key is under the pot")
    page = f"/item?id={item.id}"

    gone = browser.send("/item", {"id": item.id, "action": "forget"}, at=page)
    assert "It was forgotten" in gone.text
    assert not browser.memory.search("spare key").hits

    back = browser.send("/item", {"id": item.id, "action": "restore"}, at=page)
    assert "It was forgotten" not in back.text
    assert browser.memory.search("spare key").hits
    assert browser.send("/item", {"id": item.id, "action": "burn"}, at=page).status_code == 422


def test_an_item_is_erased_with_its_proof_on_the_page(browser: Browser) -> None:
    kept, gone = browser.memory.add(["Tom likes tea", "The zanzibar password is 4711"])
    page = f"/item?id={gone.id}"

    form = {"id": gone.id, "action": "erase"}
    assert browser.send("/item", form, at=page).status_code == 422
    assert browser.memory.get(gone.id)
    html = browser.send("/item", {**form, "sure": "yes"}, at=page).text

    assert "No byte of it is left" in html
    assert browser.open(page).status_code == 404
    assert browser.memory.get(kept.id)


def test_the_audit_log_names_what_a_form_did(browser: Browser) -> None:
    item = browser.memory.add("Stays")
    page = f"/item?id={item.id}"
    for action in ("forget", "restore", "burn"):
        browser.send("/item", {"id": item.id, "action": action}, at=page)
    browser.write_audit()

    noted = [(one.verb, one.status) for one in browser.memory.keys.audit().entries]
    assert noted == [("get", 422), ("restore", 303), ("forget", 303)]


def test_a_statement_is_kept_and_a_proposal_decided(browser: Browser) -> None:
    item = browser.memory.add("I moved to Berlin last week")
    lives = ProposedMemory(text="Lives in Berlin", evidence=(item.id,))
    [proposal] = browser.memory.proposals.propose(lives, by="a model").proposed

    html = browser.send("/memories", {"action": "remember", "statement": "I eat no fish"}).text
    assert "I eat no fish" in html
    assert "Lives in Berlin" in browser.read("/inbox")
    browser.send("/inbox", {"action": "accept", "id": proposal.id})
    assert browser.memory.proposals.get(proposal.id).status == "accepted"
    browser.send("/inbox", {"action": "undo", "id": proposal.id})
    assert browser.memory.proposals.get(proposal.id).status == "undone"
    for page in ("/inbox", "/memories"):
        assert browser.send(page, {"action": "x"}, at="/memories").status_code == 422


def test_a_memory_is_edited_pinned_hidden_and_forgotten(browser: Browser) -> None:
    one = browser.memory.remember("I eat no fish")

    def send(action: str, **more: str) -> str:
        return browser.send("/memories", {"action": action, "id": one.id, **more}).text

    assert "I eat fish on Fridays" in send("edit", statement="I eat fish on Fridays")
    assert "<strong>Pinned.</strong>" in send("pin")
    assert browser.memory.brief("What is the weather?").items[0].id == one.id
    assert "Pinned, whatever is asked" in browser.read("/?q=What+is+the+weather")
    assert "<strong>Pinned.</strong>" not in send("unpin")
    assert "Never shown" in send("hide")
    assert not browser.memory.search("fish").hits
    assert "Never shown" not in send("show")
    assert browser.memory.search("fish").hits
    assert "No memories are kept yet" in send("forget")
    assert [version.version for version in browser.memory.history(one.id)] == [1, 2, 3, 4, 5, 6]


def test_a_brief_is_kept_replayed_and_compared(browser: Browser) -> None:
    browser.memory.add([f"The Alpha plan has part {n}" for n in range(5)])

    asked = {"q": "Alpha plan", "budget": "300", "mode": "text"}
    kept = browser.send("/receipts", asked, at="/?q=Alpha+plan")
    assert kept.url.path == "/receipts"
    assert "The same text, byte for byte" in kept.text
    first = kept.url.params["id"]
    browser.memory.add("The Alpha plan has part 9, and more")
    second = browser.send("/receipts", {**asked, "budget": "400"}, at="/?q=x").url.params["id"]

    listed = browser.read(f"/receipts?id={first}")
    assert listed.count("Alpha plan</a>") == 2
    html = browser.read(f"/receipts?id={first}&other={second}")
    assert html.count("The same text, byte for byte") == 2
    assert "300 → 400" in html
    assert "<ins>" in html
    assert "part 9" in html
    assert browser.open("/receipts?id=nope").status_code == 404


def test_an_entity_is_found_and_renamed(browser: Browser) -> None:
    browser.memory.add("Hello", people=[{"name": "Ann Lee", "address": "ann@lee.example"}])

    one = "person:ann@lee.example"

    assert "/people?id=person%3Aann%40lee.example" in browser.read("/people")
    assert "1 mentions" in browser.read("/people?name=Ann+Lee")
    assert "ann@lee.example</p>" in browser.read(f"/people?id={one}")
    renamed = browser.send("/people", {"id": one, "new": "Ann Berg"}, at=f"/people?id={one}")
    assert "<h2>Ann Berg</h2>" in renamed.text
    assert browser.open("/people?id=person:nobody").status_code == 404
    assert "Nobody and nothing has that name" in browser.read("/people?name=Zoe")


def test_an_entity_is_drawn_with_what_it_is_mentioned_with(browser: Browser) -> None:
    ann = Person(name="Ann Lee", address="ann@lee.example")
    for number in range(40):
        other = Person(name=f"Bo {number}", address=f"bo{number}@x.example", role="to")
        browser.memory.add(f"Mail {number}", kind="email", people=[ann, other])

    html = browser.read("/people?id=person:ann@lee.example")

    assert html.count("<circle") == 31
    assert html.count("<line") == 30
    assert 'role="img"' in html
    merged = browser.send(
        "/people", {"id": "person:ann@lee.example", "other": "bo3@x.example"},
        at="/people?id=person:ann@lee.example",
    )  # fmt: skip
    assert "bo3@x.example" in merged.text


def test_parts_of_the_reading_are_switched_off_and_on_again(browser: Browser) -> None:
    browser.memory.add("Quiet week", happened_at="2026-02-25T12:00:00Z")

    html = browser.read("/?q=what+was+last+week")
    assert 'aria-label="Do not read time"' in html
    off = re.search(r'href="([^"]+ignore=time[^"]*)"', html)
    assert off is not None
    without = browser.read(off[1].replace("&amp;", "&"))
    assert 'aria-label="Do not read time"' not in without
    assert '<input type="hidden" name="ignore" value="time">' in without
    assert "read it again" in without
    assert browser.open("/?q=x&ignore=nonsense").status_code == 422


def test_other_budgets_are_told_from_the_same_search(browser: Browser) -> None:
    browser.memory.add([f"The Alpha plan has part {n}, {'x ' * 40}" for n in range(30)])

    html = browser.read("/?q=Alpha+plan&compare=budgets")
    asked = "/?q=Alpha+plan&compare=budgets&format=json"
    response = browser.open(asked).json()["explained"]["briefs"]

    assert len(response) == 5
    assert "compare=budgets" in browser.read("/?q=Alpha+plan")
    for one in response:
        assert f"{one['budget']:,} tokens</a> hold {len(one['items'])} items" in html


def test_a_story_is_reported_with_what_changed(browser: Browser) -> None:
    browser.memory.add("The launch is on 3 May.", happened_at="2026-01-05T12:00:00Z")
    browser.memory.add("The launch was moved to 9 June.", happened_at="2026-02-05T12:00:00Z")

    html = browser.read("/story?q=When+is+the+launch")

    assert html.index("3 May") < html.index("9 June")
    assert "changes what stood" in html
    assert "Nothing is kept of it" in browser.read("/story?q=zanzibar")
    assert "/story?q=" in browser.read("/?q=launch")


def test_each_number_of_a_citation_of_several_opens_its_source(browser: Browser) -> None:
    browser.memory.add("The spare key is under the pot")
    browser.memory.add("The spare key was at the bakery")
    model = ScriptedChatModel([ModelReply(content="Under the pot [1, 2], not [3].")])
    reply = browser.memory.chat("Where is the spare key?", session_id="s", model=model)

    html = browser.read("/chat?session=s")
    for hit, text in zip(reply.items, ("[1", "2]"), strict=True):
        assert re.search(rf'<a href="/item\?id={hit.id}[^"]*">{re.escape(text)}</a>', html)
    assert "not [3]." in html


def test_a_chat_answers_and_its_citations_open_the_passage(browser: Browser) -> None:
    item = browser.memory.add("The spare key is under the pot")

    got = browser.send("/chat", {"message": "Where is the spare key?"})
    assert got.url.path == "/chat"
    assert "No language model is configured" in got.text
    cited = f"/item?id={item.id}&amp;spans=0-30#passage"
    assert f'<a href="{cited}">[1]</a>' in got.text
    assert '<mark id="passage">The spare key' in browser.read(cited.replace("&amp;", "&"))

    session = got.url.params["session"]
    again = browser.send("/chat", {"message": "And why?", "session": session}, at="/chat")
    assert again.url.params["session"] == session
    assert again.text.count('<article class="message"') == 4
    assert session in browser.read("/chat")
    assert browser.send("/chat", {"message": " "}).status_code == 422


def test_the_inbox_says_what_was_skipped_and_why(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# A note")
    (tmp_path / "odd.bin").write_bytes(b"\0")
    browser.memory.import_(tmp_path / "note.md", tmp_path / "odd.bin")

    html = browser.read("/inbox")

    assert "note.md, odd.bin" in html
    assert "1 added" in html
    assert ".bin files are not read" in html


def test_as_of_a_day_is_its_end(browser: Browser) -> None:
    item = browser.memory.add("Alpha was here")  # stored on 6 March, 15:30
    browser.memory.forget(item.id)

    assert "No item has it" in browser.read("/?q=Alpha&as_of=2026-03-05")
    assert "Alpha</mark> was here" in browser.read("/?q=Alpha&as_of=1")
    assert 'data-first-day="2026-03-06"' in browser.read("/")
    assert browser.open("/?q=x&as_of=2026-02-31").status_code == 422


def test_people_are_filtered_by(browser: Browser) -> None:
    for name in ("Ann Lee", "Bo Berg"):
        browser.memory.add(f"Alpha by {name}", people=[name])

    html = browser.read("/items?person=Ann+Lee")

    assert "Alpha by Ann Lee" in html
    assert "Alpha by Bo Berg" not in html


def test_the_status_page_checks_when_asked(browser: Browser) -> None:
    browser.memory.add("Alpha")

    assert "at revision 1" not in browser.read("/status")
    assert "1 items, 1 chunks at revision 1" in browser.read("/status?check=yes")


def test_the_status_page_has_keys_the_audit_log_and_the_last_backup(
    browser: Browser, tmp_path: Path
) -> None:
    browser.memory.add("Alpha")
    assert "never, from here" in browser.read("/status")
    browser.memory.backup(tmp_path / "copy.sqlite3")
    browser.send("/memories", {"action": "remember", "statement": "I eat no fish"})
    browser.write_audit()

    html = browser.read("/status")
    assert "<dt>last backup</dt><dd>6 Mar 2026 15:30 UTC</dd>" in html
    assert "<td>remember</td>" in html
    assert "No keys were made" in html


@pytest.mark.parametrize("browser", ["Asia/Tokyo"], indirect=True)
def test_times_are_those_of_the_users_zone(browser: Browser, tmp_path: Path) -> None:
    mail = browser.memory.add("Alpha", kind="email", happened_at="2026-03-05T22:15:00Z")
    browser.memory.sessions.add("s1", "user", "Hello")
    browser.memory.backup(tmp_path / "copy.sqlite3")

    assert ">6 Mar 2026</time>" in browser.read("/items")
    assert "<dt>when</dt><dd>6 Mar 2026 07:15 JST</dd>" in browser.read(f"/item?id={mail.id}")
    assert "<dt>last backup</dt><dd>7 Mar 2026 00:30 JST</dd>" in browser.read("/status")
    assert "7 Mar 2026 00:30 JST" in browser.read("/chat?session=s1")
    assert "6 Mar 2026 00:00 JST to 7 Mar 2026 00:00 JST" in browser.read("/?q=Alpha+yesterday")
    assert "/agenda?since=2026-03-21" in browser.read("/agenda")


def test_the_agenda_shows_the_days(browser: Browser) -> None:
    browser.memory.add(
        "Dentist", kind="event", title="Dentist", happened_at="2026-03-09T09:00:00Z",
        metadata={"ends_at": "2026-03-09T10:00:00Z"},
    )  # fmt: skip

    browser.memory.add("Pay Gus", kind="task", title="Pay Gus", metadata={"due": "2026-03-10"})
    for start in ("2026-03-11T19:00:00Z", "2026-03-11T18:30:00Z"):
        browser.memory.add("Choir", id="choir", kind="event", title="Choir", happened_at=start,
                           metadata={"starts_at": start})  # fmt: skip

    assert "Monday, 9 Mar 2026" in browser.read("/agenda")
    assert '<span class="clock">due</span>' in browser.read("/agenda")
    assert "moved from 11 Mar 2026 19:00 UTC" in browser.read("/agenda")
    assert "Nothing takes place" in browser.read("/agenda?since=2025-01-01")
    assert browser.open("/agenda?since=soon").status_code == 422


@pytest.mark.parametrize(
    "address",
    ["/?q=x&budget=1", "/?q=x&budget=many", "/?q=x&mode=magic", "/?q=x&as_of=never",
     "/items?cursor=nonsense", "/agenda?since=9999-12-20", "/agenda?since=0001-01-05",
     "/?q=x&as_of=9999-12-31", "/items?month=9999-12"],
)  # fmt: skip
def test_what_does_not_fit_is_said_on_a_page(browser: Browser, address: str) -> None:
    browser.memory.add("x")
    got = browser.open(address)

    assert got.status_code == 422
    assert "That did not work" in got.text
    assert 'class="nothing"' in got.text


def test_what_is_not_there_is_said_on_a_page(browser: Browser) -> None:
    got = browser.open("/item?id=nope")

    assert got.status_code == 404
    assert "nope" in got.text


def test_other_addresses_stay_those_of_the_interface(browser: Browser) -> None:
    assert browser.open("/nope").headers["content-type"] == "application/problem+json"
    assert browser.open("/items/x").headers["content-type"] == "application/problem+json"
    assert browser.client.put("/v1/search").status_code == 405
    assert browser.client.post("/status").status_code == 405


def test_metadata_is_shown_in_words(browser: Browser) -> None:
    made = {"files": [{"name": "a.pdf", "size": 3}], "aliases": ["x", "y"], "done": True}
    html = browser.read(f"/item?id={browser.memory.add('Alpha', metadata=made).id}")

    assert "<dd>name: a.pdf; size: 3</dd>" in html
    assert "<dd>x, y</dd>" in html
    assert "<dd>yes</dd>" in html


def test_an_unknown_address_is_a_page_for_a_browser(browser: Browser) -> None:
    got = browser.open("/nope/<x>", headers={"Accept": "text/html,*/*;q=0.8"})

    assert (got.status_code, got.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no page /nope/&lt;x&gt;" in got.text
    assert browser.client.put("/v1/search", headers={"Accept": "text/html"}).status_code == 405


@pytest.mark.parametrize("page", ["/memories", "/item"])
def test_what_is_not_there_is_not_forgotten(browser: Browser, page: str) -> None:
    got = browser.send(page, {"action": "forget", "id": "nope"}, at="/memories")

    assert got.status_code == 404
    assert "nope" in got.text


def test_a_form_of_another_page_does_nothing(browser: Browser) -> None:
    item = browser.memory.add("Stays")
    form = {"id": item.id, "action": "forget"}
    browser.open("/")

    assert browser.client.post("/item", data={**form, "token": "guessed"}).status_code == 403
    assert browser.client.post("/item", data=form).status_code == 403
    evil = {"Origin": "http://evil.example"}
    assert browser.client.post("/item", data=form, headers=evil).status_code == 403
    assert browser.memory.get(item.id).content == "Stays"


class TestWithKeys:
    """A server that has keys: a browser signs in."""

    @pytest.fixture
    def key(self, browser: Browser) -> str:
        browser.memory.in_space("alice").add("Alice has a secret")
        return browser.memory.keys.create(space="alice", permissions=["read", "write"]).key

    def test_those_without_one_are_sent_to_sign_in(self, browser: Browser, key: str) -> None:
        got = browser.open("/items?kind=memory")

        assert key
        assert got.url.path == "/sign-in"
        assert 'name="next" value="/items?kind=memory"' in got.text
        assert "Alice" not in got.text

    def test_a_key_opens_its_own_space(self, browser: Browser, key: str) -> None:
        browser.memory.add("of the default space")

        got = browser.send("/sign-in", {"key": key, "next": "/items"})

        assert got.url.path == "/items"
        assert "Alice has a secret" in got.text
        assert "of the default space" not in got.text
        cookie = got.history[0].headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie

    def test_signing_out_ends_it(self, browser: Browser, key: str) -> None:
        browser.send("/sign-in", {"key": key})
        out = browser.send("/sign-out", {}, at="/")

        assert out.url.path == "/sign-in"
        assert browser.open("/items").url.path == "/sign-in"

    def test_a_wrong_key_is_said_to_be(self, browser: Browser, key: str) -> None:
        assert key
        got = browser.send("/sign-in", {"key": "sim_wrong\r\nX-Evil: 1 ü"})

        assert "That key is not valid" in got.text
        assert "x-evil" not in got.headers

    @pytest.mark.parametrize("next_", ["//evil.example", "https://evil.example", "/v1/export", ""])
    def test_nobody_is_sent_elsewhere(self, browser: Browser, key: str, next_: str) -> None:
        got = browser.send("/sign-in", {"key": key, "next": next_})

        assert (got.url.host, got.url.path) == ("localhost", "/")

    def test_a_key_that_may_not_read_sees_nothing(self, browser: Browser) -> None:
        writer = browser.memory.keys.create(space="alice", permissions=["write"]).key
        browser.memory.in_space("alice").add("Alice has a secret")

        got = browser.send("/sign-in", {"key": writer, "next": "/items"})

        assert got.status_code == 403
        assert "secret" not in got.text

    def test_a_key_that_may_not_erase_does_not(self, browser: Browser, key: str) -> None:
        [item] = browser.memory.in_space("alice").list().items
        page = f"/item?id={item.id}"
        browser.send("/sign-in", {"key": key})

        assert "Erase it for good" not in browser.read(page)
        form = {"id": item.id, "action": "erase", "sure": "yes"}
        assert browser.send("/item", form, at=page).status_code == 403
        assert browser.memory.in_space("alice").get(item.id)

    def test_a_key_that_may_not_write_changes_nothing(self, browser: Browser) -> None:
        reader = browser.memory.keys.create(space="alice", permissions=["read"]).key
        item = browser.memory.in_space("alice").add("Stays")
        browser.send("/sign-in", {"key": reader})

        page = browser.read(f"/item?id={item.id}")
        assert "Forget it" not in page
        token = browser.client.cookies["simonides_form"]
        form = {"token": token, "id": item.id, "action": "forget"}
        assert browser.client.post("/item", data=form).status_code == 403
        assert browser.memory.in_space("alice").get(item.id).content == "Stays"
