"""The file formats that can be imported: how each is recognised, and which module reads it.

This table is the one place that knows the order in which formats are tried. A module named here
is imported when the first file of its format is read, so that no import pays for libraries of
other formats. Must not know a format from inside, beyond
the marks at its beginning.
"""

import re
import stat
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

from simonides.errors import ImportFailed
from simonides.importers.charset import decode
from simonides.importers.chat_marks import (
    is_chatgpt,
    is_chatgpt_page,
    is_claude,
    is_discord,
    is_gemini,
    is_signal,
    is_signal_page,
    is_slack,
    is_slack_list,
    is_telegram,
    is_whatsapp,
)
from simonides.importers.csv_marks import is_jira_csv, is_linear_csv
from simonides.importers.document_marks import (
    document_kind,
    is_archive,
    is_enex,
    is_html,
    is_notion,
    is_text,
)
from simonides.importers.json_marks import (
    is_github,
    is_jira,
    is_langgraph_store,
    is_letta,
    is_linear,
    is_mcp_memory,
    is_mem0,
    is_todo_txt,
)
from simonides.plugins import Importer, plugin_records, warn
from simonides.ports.importer import ImportEvent, SourceFile

SAMPLE_BYTES = 8192
"""How much of a file is looked at."""

_MAIL_HEADER = re.compile(
    rb"^(?:From|To|Subject|Date|Message-ID|Received|Return-Path|Delivered-To|MIME-Version)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_HEADER = re.compile(rb"(?:From |[!-9;-~]{1,76}[ \t]*:)")
_EMLX = re.compile(rb"\s*\d{1,12}[ \t]*\r?\n(?:>?From |[!-9;-~]{1,76}[ \t]*:)")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def _start(sample: bytes) -> bytes:
    """Return the sample without a byte order mark and white space before it."""
    return sample.lstrip(b"\xef\xbb\xbf \t\r\n")


def _format(name: str, title: str, detect: Callable[[Path, bytes], bool], reader: str) -> Importer:
    """Return a format; `reader` is `MODULE:FUNCTION`, imported when it is first called."""
    module, _, function = reader.partition(":")

    def read(file: SourceFile) -> Iterable[ImportEvent]:
        found: Callable[[SourceFile], Iterable[ImportEvent]]
        found = getattr(import_module(f"simonides.importers.{module}"), function)
        return found(file)

    return Importer(name=name, title=title, detect=detect, read=read)


def _has_suffix(*suffixes: str) -> Callable[[Path, bytes], bool]:
    """Return a test for text files of these suffixes; whatever is binary is none."""

    def detect(path: Path, sample: bytes) -> bool:
        is_text = b"\0" not in sample or sample.startswith(_WIDE_MARKS)
        return is_text and path.suffix.lower() in suffixes

    return detect


def _is_document(*kinds: str) -> Callable[[Path, bytes], bool]:
    """Return a test for documents of these kinds."""
    return lambda path, sample: document_kind(path, sample) in kinds


def _is_notebook(path: Path, sample: bytes) -> bool:
    is_json = _start(sample).startswith(b"{")
    return is_json and (b'"cell_type"' in sample or path.suffix.lower() == ".ipynb")


def _is_html(path: Path, sample: bytes) -> bool:
    return is_html(sample) or _has_suffix(".html", ".htm", ".xhtml")(path, sample)


def _begins(mark: bytes) -> Callable[[Path, bytes], bool]:
    """Return a test for files that begin with these bytes."""
    return lambda _, sample: sample.startswith(mark)


def _is_msg(path: Path, sample: bytes) -> bool:
    """Return whether a compound file, as old Office files are too, is a mail of Outlook."""
    if not sample.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return False
    return path.suffix.lower() == ".msg" or "__properties_version1.0".encode("utf-16-le") in sample


def _is_emlx(_: Path, sample: bytes) -> bool:
    return _EMLX.match(sample) is not None


def _is_vcard(_: Path, sample: bytes) -> bool:
    return _start(sample)[:11].upper() == b"BEGIN:VCARD"


def _is_mbox(path: Path, sample: bytes) -> bool:
    start = _start(sample)
    return start.startswith(b"From ") or (not start and path.suffix.lower() == ".mbox")


def _is_eml(path: Path, sample: bytes) -> bool:
    start = _start(sample)
    if not start:
        return path.suffix.lower() == ".eml"
    return bool(_ANY_HEADER.match(start) and _MAIL_HEADER.search(sample))


def _is_calendar(_: Path, sample: bytes) -> bool:
    start = _start(decode(sample).encode("utf-8", "replace"))
    return start[:15].upper() in (b"BEGIN:VCALENDAR", b"BEGIN:VEVENT\r\n", b"BEGIN:VEVENT\n")


FORMATS: tuple[Importer, ...] = (
    _format("vcard", "contacts (.vcf)", _is_vcard, "vcard:read_vcards"),
    _format("msg", "mail (.msg)", _is_msg, "msg:read_msg"),
    _format("pst", "Outlook data files (.pst, .ost)", _begins(b"!BDN"), "pst:read_pst"),
    _format("tnef", "mail (winmail.dat)", _begins(b"\x78\x9f\x3e\x22"), "mailbox:read_winmail"),
    _format("emlx", "mail (.emlx)", _is_emlx, "emlx:read_emlx"),
    _format("pdf", "PDF (.pdf)", _is_document("pdf"), "documents:read_document"),
    _format(
        "document",
        "documents (.docx, .doc, .odt, .rtf, .epub, .pptx, .ppt, .odp)",
        _is_document("docx", "doc", "odt", "rtf", "epub", "pptx", "ppt", "odp", "encrypted"),
        "documents:read_document",
    ),
    _format(
        "spreadsheet",
        "spreadsheets (.xlsx, .xlsb, .xls, .ods)",
        _is_document("xlsx", "xlsb", "xls", "ods"),
        "documents:read_document",
    ),
    _format("notebook", "notebooks (.ipynb)", _is_notebook, "documents:read_notebook"),
    _format("calendar", "calendars (.ics)", _is_calendar, "calendar:read_calendar"),
    _format("jira", "tasks of Jira (JSON, CSV)", is_jira, "jira:read_jira"),
    _format("jira-csv", "tasks of Jira (JSON, CSV)", is_jira_csv, "task_csv:read_jira_csv"),
    _format("linear", "tasks of Linear (JSON, CSV)", is_linear, "linear:read_linear"),
    _format("linear-csv", "tasks of Linear (JSON, CSV)", is_linear_csv, "task_csv:read_linear_csv"),
    _format("github", "issues of GitHub (JSON)", is_github, "github:read_github"),
    _format("todo-txt", "todo.txt", is_todo_txt, "todo_txt:read_todo_txt"),
    _format("mem0", "memories of mem0 (JSON)", is_mem0, "mem0:read_mem0"),
    _format(
        "mcp-memory",
        "the graph of the MCP memory server",
        is_mcp_memory,
        "mcp_memory:read_mcp_memory",
    ),
    _format("letta", "agents of Letta (.af, JSON)", is_letta, "letta:read_letta"),
    _format(
        "langgraph",
        "items of a LangGraph store (JSON)",
        is_langgraph_store,
        "langgraph_store:read_langgraph_store",
    ),
    _format("chatgpt", "chats of ChatGPT (JSON)", is_chatgpt, "chatgpt:read_chatgpt"),
    _format("chatgpt-page", "", is_chatgpt_page, "chatgpt:read_page"),
    _format("claude", "chats of Claude (JSON)", is_claude, "claude:read_claude"),
    _format("gemini", "questions to Gemini (JSON, HTML)", is_gemini, "gemini:read_gemini"),
    _format("slack", "messages of Slack (JSON)", is_slack, "slack:read_slack"),
    _format("slack-list", "", is_slack_list, "slack:read_lists"),
    _format("whatsapp", "chats of WhatsApp", is_whatsapp, "whatsapp:read_whatsapp"),
    _format("telegram", "chats of Telegram (JSON)", is_telegram, "telegram:read_telegram"),
    _format("discord", "channels of Discord (JSON)", is_discord, "discord:read_discord"),
    _format("signal", "chats of Signal", is_signal, "signal_text:read_signal"),
    _format("signal-page", "", is_signal_page, "signal_text:read_page"),
    _format("notion", "pages of Notion (.md, .csv, .html)", is_notion, "notion:read_notion"),
    _format("evernote", "notes of Evernote (.enex)", is_enex, "evernote:read_enex"),
    _format("chat", "chats (.jsonl)", _has_suffix(".jsonl"), "chat:read_chat"),
    _format(
        "markdown",
        "notes (.md, .markdown, .txt)",
        _has_suffix(".md", ".markdown", ".txt"),
        "markdown:read_markdown",
    ),
    _format("mbox", "mail (.mbox)", _is_mbox, "mailbox:read_mbox"),
    _format("eml", "mail (.eml, Maildir)", _is_eml, "mailbox:read_eml"),
    _format("html", "web pages (.html, .htm, .xhtml)", _is_html, "html:read_html"),
    _format("table", "tables (.csv, .tsv)", _has_suffix(".csv", ".tsv"), "plain_text:read_table"),
    _format(
        "text",
        "other text (.rst, .org, .adoc, .tex, .log, or without a suffix)",
        is_text,
        "plain_text:read_text",
    ),
    _format(
        "archive",
        "archives (.zip, .tar, .gz, .tgz, .bz2, .xz)",
        is_archive,
        "archive:read_archive",
    ),
)
"""The built-in formats in the order in which they are tried: the most specific first."""

GENERAL = ("table", "text")
"""Formats that take any table or text: tried last, after those of plugins."""

_FORMATS = {one.name: one for one in FORMATS}


def looked_for() -> str:
    """Return what can be imported, in words for messages."""
    titles = dict.fromkeys(one.title for one in FORMATS if one.title)
    return ", ".join(titles) + ", or a folder of these"


def format_named(name: str) -> Importer:
    """Return a built-in format by its name."""
    return _FORMATS[name]


def detect(path: Path) -> Importer:
    """Return the first format that recognises the file at `path`, plugins before the general ones.

    Raises:
        ImportFailed: There is no regular file, or no format fits; says what was looked for.
    """
    sample = _sample(path)
    if _start(sample).startswith(b'{"simonides_export":'):
        raise ImportFailed("an export of a whole space; import that file by itself")
    for one in FORMATS:
        if one.name not in GENERAL and one.detect(path, sample):
            return one
    for one in plugin_records(lambda plugin: plugin.importers, built_in=_FORMATS).values():
        if _detects(one, path, sample):
            return one
    for name in GENERAL:
        if format_named(name).detect(path, sample):
            return format_named(name)
    raise ImportFailed(_why_unknown(path.suffix.lower()))


def _sample(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ImportFailed(f"{path.name} is not a regular file")
        with path.open("rb") as stream:
            return stream.read(SAMPLE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportFailed(f"can not be opened: {reason}") from error


def _detects(importer: Importer, path: Path, sample: bytes) -> bool:
    try:
        return importer.detect(path, sample)
    except Exception as error:  # noqa: BLE001  foreign code
        warn(f"the importer {importer.name!r} failed to detect: {type(error).__name__}: {error}")
        return False


_SUFFIX = re.compile(r"\.\w+")


def _why_unknown(suffix: str) -> str:
    general_first = reversed(FORMATS)
    named = next((one for one in general_first if suffix in _SUFFIX.findall(one.title)), None)
    if named and named.name in ("chat", "markdown", "table", "text"):
        return f"binary, though it is called {suffix}"
    if named:
        return f"does not look like {named.title.split(' (')[0]}, though it is called {suffix}"
    return f"{suffix} files are not read" if suffix else "not a format that is read"
