"""Which formats there are, in which order they are asked, and what is said without some of them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from simonides.errors import ImportFailed, PluginWarning
from simonides.importers import formats, read
from simonides.importers.formats import detect
from simonides.plugins import Importer, InstalledPlugin, Plugin
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.plugin import PLUGIN

ASKED: Final = (
    "vcard msg pst tnef emlx pdf document spreadsheet notebook calendar jira jira-csv linear "
    "asana-csv linear-csv todoist github google-tasks todo-txt trello mem0 mcp-memory letta "
    "langgraph memory-list chatgpt chatgpt-page claude gemini slack slack-list whatsapp kakaotalk "
    "telegram discord google-chat google-chat-list messenger signal sms signal-page notion "
    "bookmarks day-one evernote keep keep-page kindle chat-unread transcript chat markdown "
    "saved-page mbox eml html archive table text"
).split()
LATE: Final = ("table", "text")
RARER: Final = (
    ".docx .doc .odt .rtf .epub .pptx .ppt .odp .pdf .xlsx .xlsb .xls .ods .ipynb .msg .pst .ost "
    ".emlx .vcf .enex .af .zip .tar .gz .tgz .bz2 .xz .json"
).split()


def nothing(_: SourceFile) -> Iterator[ImportEvent]:
    yield from ()


def importer(name: str, *, order: int | None = None, title: str = "") -> Importer:
    """Return a format that takes files with its name for a suffix."""

    def is_own(path: Path, _: bytes) -> bool:
        return path.suffix == f".{name}"

    if order is None:
        return Importer(name=name, title=title, detect=is_own, read=nothing)
    return Importer(name=name, title=title, detect=is_own, read=nothing, order=order)


def plugins(monkeypatch: pytest.MonkeyPatch, *importers: Importer) -> None:
    """Let these be the formats of plugins, and no others."""
    one = InstalledPlugin(
        name="acme", distribution="acme", version="1", plugin=Plugin(importers=importers)
    )
    monkeypatch.setattr("simonides.plugins.find_installed", lambda: (one,))


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no package but the core."""
    plugins(monkeypatch)
    monkeypatch.setattr(formats, "find_spec", lambda _: None)


def written(path: Path, content: bytes = b"\0\1\2") -> Path:
    path.write_bytes(content)
    return path


def test_the_formats_are_asked_in_this_order() -> None:
    own = {one.name for one in (*formats.FORMATS, *PLUGIN.importers)}

    assert [one.name for one in formats.formats() if one.name in own] == ASKED


def test_every_function_that_the_package_names_is_there(tmp_path: Path) -> None:
    path = written(tmp_path / "x.md")

    assert [one.name for one in PLUGIN.importers if one.detect(path, b"\0\1\2")] == []
    for one in PLUGIN.importers:
        file = SourceFile(path=path, where="x.md", size_bytes=3)
        try:
            for _ in one.read(file):
                break
        except ImportFailed:
            pass


def test_looking_for_plugins_loads_no_reader() -> None:
    program = (
        "import sys\n"
        "from simonides.plugins import find_installed\n"
        "assert 'formats' in [one.name for one in find_installed()]\n"
        "assert not [one for one in sys.modules if one.startswith(('simonides.importers', "
        "'simonides_formats.'))][1:], sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_a_plugin_is_asked_after_the_specific_formats_and_before_the_general_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plugins(monkeypatch, importer("zeta"), importer("alpha"), importer("first", order=0))
    names = [one.name for one in formats.formats()]

    assert names[0] == "first"
    assert names[-4:] == ["alpha", "zeta", *LATE]


def test_a_lower_order_takes_a_file_of_a_built_in_format(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.md", b"# Ferry")
    plugins(monkeypatch, importer("md", order=42))
    assert detect(path).name == "markdown"

    plugins(monkeypatch, importer("md", order=40))
    assert detect(path).name == "md"


def test_the_titles_of_plugins_stand_in_messages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plugins(monkeypatch, importer("dive", title="dives (.dive, .log5)"))

    with pytest.raises(ImportFailed, match=r"does not look like dives, though it is called \.log5"):
        detect(written(tmp_path / "a.log5"))


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("suffix", RARER)
def test_without_the_package_a_file_of_its_formats_says_what_to_do(
    tmp_path: Path, suffix: str
) -> None:
    said = rf"^\{suffix} files are read by the extra formats: pip install 'simonides\[formats\]'$"

    with pytest.raises(ImportFailed, match=said):
        detect(written(tmp_path / f"a{suffix}"))


@pytest.mark.usefixtures("core")
def test_without_the_package_other_files_are_what_they_were(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match=r"^\.jpg files are not read$"):
        detect(written(tmp_path / "a.jpg"))
    assert detect(written(tmp_path / "a.md", b"# Ferry")).name == "markdown"


@pytest.mark.parametrize("suffix", RARER)
def test_with_the_package_nothing_is_said_of_it(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ImportFailed, match=r"does not look like|files are not read|no whole JSON"):
        detect(written(tmp_path / f"a{suffix}"))


WRAPPED: Final = (
    b"From: mira@x.example\nSubject: Plan\nMIME-Version: 1.0\n"
    b'Content-Type: application/ms-tnef; name="winmail.dat"\nContent-Transfer-Encoding: base64\n\n'
)


@pytest.mark.usefixtures("core")
def test_without_the_package_a_wrapped_mail_is_an_attached_file(tmp_path: Path) -> None:
    events = list(read(written(tmp_path / "a.eml", WRAPPED + b"eJ8+Ig==\n")))

    assert [one.item and one.item.metadata["attachments"][0]["name"] for one in events] == [
        "winmail.dat"
    ]


def test_a_plugin_may_read_what_is_wrapped_and_its_failure_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(_: Path, __: bytes) -> bool:
        raise ValueError("no")

    plugins(monkeypatch, Importer(name="bad", detect=fails, read=nothing, wrapped=lambda *_: None))

    with pytest.warns(PluginWarning, match="'bad' failed to detect: ValueError: no"):
        events = list(read(written(tmp_path / "a.eml", WRAPPED + b"eJ8+Ig==\n")))
    assert [one.skipped for one in events] == [None]
