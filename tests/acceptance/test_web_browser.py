"""The pages as people meet them: in a real browser, with and without scripts, narrow and wide."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
BINARY = Path(sys.executable).with_name("simonides")
HOSTILE = '<script>alert("in")</script><img src="http://evil.example/x.png" onerror=alert(1)>'
FIRST_VIEW_BYTES = 60_000
NARROW = 320
FIRST_DAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
"""When the memory was filled; the server's clock stands four days later."""

RECEIPTS: list[str] = []
"""The ids of two kept receipts."""

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server on a home with something of every kind in it."""
    home = tmp_path_factory.mktemp("home")
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(home, settings=settings, clock=lambda: FIRST_DAY) as memory:
        memory.add([f"The Alpha plan, part {n}: {'long ' * 60}" for n in range(12)], source="mail")
        memory.add(HOSTILE, title=HOSTILE, people=[{"name": "Ann Lee"}], source="chat")
        memory.add("Dentist", kind="event", title="Dentist", happened_at="2026-03-09T09:00:00Z")
        memory.remember("I am allergic to penicillin", tags=["pinned"])
        memory.remember("I like loud music")
        memory.add("The launch is on 3 May.", happened_at="2026-01-05T12:00:00Z")
        memory.add("The launch was moved to 9 June.", happened_at="2026-02-05T12:00:00Z",
                   people=[{"name": "Ann Lee"}, {"name": "Bo Berg"}])  # fmt: skip
        (home / "odd.bin").write_bytes(b"\0")
        (home / "note.md").write_text(f"# A note\n\n{HOSTILE}")
        memory.import_(home / "note.md", home / "odd.bin")
        memory.chat("When is the launch?", session_id="s1")
        for number in (300, 900):
            made = memory.brief("Alpha plan", budget_tokens=number, keep_receipt=True)
            RECEIPTS.append(made.receipt.id)
    own = {"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}
    with subprocess.Popen(
        [BINARY, "web", "--no-browser", "--port", "0", "--json", "--now", "2026-03-06T12:00:00Z"],
        env={**os.environ, **own}, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Seen:
    """A page of a browser, with all that went wrong in it."""

    def __init__(self, context: Any, url: str) -> None:
        self.page = context.new_page()
        self.url = url
        self.wrong: list[str] = []
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._check(request.url))

    def open(self, path: str) -> Any:
        self.page.goto(self.url + path)
        return self.page

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.wrong.append(text)

    def _check(self, address: str) -> None:
        if not address.startswith(self.url):
            self.wrong.append(f"asked elsewhere: {address}")


@pytest.fixture
def item(url: str) -> str:
    """The address of an item whose text is hostile."""
    html = read(f"{url}/items?source=chat")
    found = re.search(r'href="(/item\?id=[^"]+)"', html)
    assert found is not None
    return found[1]


def read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as got:  # noqa: S310  our own server
        return str(got.read().decode())


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_no_page_has_a_violation_or_an_error(
    chromium: Any, url: str, item: str, theme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = chromium.new_context(color_scheme=theme)
    seen = Seen(context, url)
    pages = ("/", "/?q=Alpha+plan&budget=300", f"/?q={HOSTILE}", "/?q=what+was+last+week",
             "/story?q=When+is+the+launch", "/chat", "/chat?session=s1", "/items", item,
             "/agenda?since=2026-03-06", "/people", "/people?name=Ann+Lee", "/memories", "/inbox",
             "/receipts", f"/receipts?id={RECEIPTS[0]}&other={RECEIPTS[1]}", "/status",
             "/status?check=yes", "/sign-in")  # fmt: skip

    for path in pages:
        page = seen.open(path)
        found = Axe().run(page)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        page.set_viewport_size({"width": NARROW, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW, path
        page.set_viewport_size({"width": 1280, "height": 800})
    context.close()

    assert seen.wrong == []


def test_the_brief_follows_what_is_typed_and_the_slider(chromium: Any, url: str) -> None:
    context = chromium.new_context()
    seen = Seen(context, url)
    page = seen.open("/")

    page.get_by_label("Question").press_sequentially("Alpha plan")
    page.get_by_text("of 1500 tokens").wait_for()
    page.get_by_label("Budget of the brief").fill("200")
    page.get_by_text("of 200 tokens").wait_for()

    assert "q=Alpha+plan" in page.url
    assert "budget=200" in page.url
    assert page.locator("pre.brief").inner_text().startswith("# As of")
    assert page.get_by_text("tokens it would take").is_visible()
    context.close()
    assert seen.wrong == []


def test_a_part_of_the_reading_is_switched_off(chromium: Any, url: str) -> None:
    context = chromium.new_context()
    seen = Seen(context, url)
    page = seen.open("/?q=what+was+said+last+week")

    page.get_by_label("Do not read time").click()
    page.get_by_text("read it again").wait_for()
    assert page.get_by_label("Do not read time").count() == 0
    page.get_by_role("link", name="time", exact=True).click()
    page.get_by_label("Do not read time").wait_for()
    context.close()
    assert seen.wrong == []


def test_the_slider_of_days_sets_the_past(chromium: Any, url: str) -> None:
    context = chromium.new_context()
    seen = Seen(context, url)
    page = seen.open("/?q=Alpha+plan")

    slider = page.get_by_label("As of, from")
    assert slider.is_visible()
    slider.fill("0")
    page.wait_for_url(re.compile("as_of=2026-03-02"))
    assert page.get_by_label("As of", exact=True).input_value() == "2026-03-02"
    slider.fill(slider.get_attribute("max"))
    page.wait_for_url(re.compile("as_of=(&|$)"))
    context.close()
    assert seen.wrong == []


def test_an_answer_cites_and_its_citation_opens_the_passage(chromium: Any, url: str) -> None:
    context = chromium.new_context()
    seen = Seen(context, url)
    page = seen.open("/?q=When+is+the+launch")

    page.get_by_role("button", name="Answer it in a chat").click()
    page.get_by_role("link", name="[1]", exact=True).first.click()
    assert "launch" in page.locator("mark#passage").inner_text()
    context.close()
    assert seen.wrong == []


def test_everything_works_without_scripts(chromium: Any, url: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    seen = Seen(context, url)
    page = seen.open("/")

    page.get_by_label("Question").fill("penicillin")
    page.get_by_role("button", name="Ask").click()
    assert "allergic" in page.locator("pre.brief").inner_text()

    page.get_by_role("link", name="Memories").click()
    page.get_by_label("Keep a statement").fill("My sister is called Lena")
    page.get_by_role("button", name="Remember").click()
    page.get_by_role("link", name="My sister is called Lena").click()
    page.get_by_role("button", name="Forget it").click()
    assert page.get_by_text("It was forgotten").is_visible()
    page.get_by_role("button", name="Bring it back").click()
    assert page.get_by_text("It was forgotten").count() == 0
    context.close()
    assert seen.wrong == []


def test_a_question_is_asked_by_keyboard_alone(chromium: Any, url: str) -> None:
    context = chromium.new_context()
    page = Seen(context, url).open("/")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("Dentist")
    page.keyboard.press("Enter")
    page.locator("pre.brief").wait_for()
    assert "Dentist" in page.locator("pre.brief").inner_text()
    context.close()


def test_the_first_view_is_small(url: str) -> None:
    html = read(f"{url}/")
    assets = re.findall(r'(?:src|href)="(/static/[^"]+)"', html)

    size = sum(
        len(gzip.compress(text.encode()))
        for text in (html, *map(read, (url + one for one in assets)))
    )
    assert len(assets) == 4
    assert size <= FIRST_VIEW_BYTES
