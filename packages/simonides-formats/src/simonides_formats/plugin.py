"""The formats of this package as the plugin of simonides that they are.

What recognises a format, and what reads it, is imported when it is first asked, so that looking for
plugins costs nothing. Must not know a format.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simonides.plugins import Importer, JsonReader, Plugin, call_target, read_by

if TYPE_CHECKING:
    from simonides.ports.importer import SourceFile


def _format(
    order: int, name: str, title: str, detector: str, reader: str, *, wrapped: str = ""
) -> Importer:
    """Return a format; functions are given as `MODULE:FUNCTION`, by their place in this package."""

    def detect(path: Path, sample: bytes) -> bool:
        return bool(call_target(f"simonides_formats.{detector}", path, sample))

    def read_wrapped(raw: bytes, budget: Any, depth: int) -> Any:
        return call_target(f"simonides_formats.{wrapped}", raw, budget, depth)

    return Importer(
        name=name,
        title=title,
        detect=detect,
        read=read_by(f"simonides_formats.{reader}"),
        order=order,
        wrapped=read_wrapped if wrapped else None,
    )


_FORMATS = (
    _format(1, "vcard", "contacts (.vcf)", "mail.mail_marks:is_vcard", "mail.vcard:read_vcards"),
    _format(2, "msg", "mail (.msg)", "mail.mail_marks:is_msg", "mail.msg:read_msg"),
    _format(
        3, "pst", "Outlook data files (.pst, .ost)", "mail.mail_marks:is_pst", "mail.pst:read_pst"
    ),
    _format(
        4,
        "tnef",
        "mail (winmail.dat)",
        "mail.mail_marks:is_tnef",
        "mail.outlook_mail:read_winmail",
        wrapped="mail.outlook_mail:read_wrapped_body",
    ),
    _format(5, "emlx", "mail (.emlx)", "mail.mail_marks:is_emlx", "mail.emlx:read_emlx"),
    _format(
        6,
        "pdf",
        "PDF (.pdf)",
        "documents.document_marks:is_pdf",
        "documents.documents:read_document",
    ),
    _format(
        7,
        "document",
        "documents (.docx, .doc, .odt, .rtf, .epub, .pptx, .ppt, .odp)",
        "documents.document_marks:is_text_document",
        "documents.documents:read_document",
    ),
    _format(
        8,
        "spreadsheet",
        "spreadsheets (.xlsx, .xlsb, .xls, .ods)",
        "documents.document_marks:is_spreadsheet",
        "documents.documents:read_document",
    ),
    _format(
        9,
        "notebook",
        "notebooks (.ipynb)",
        "documents.document_marks:is_notebook",
        "documents.documents:read_notebook",
    ),
    _format(
        11,
        "jira",
        "tasks of Jira (JSON, CSV)",
        "trackers.tracker_marks:is_jira",
        "trackers.jira:read_jira",
    ),
    _format(
        12,
        "jira-csv",
        "tasks of Jira (JSON, CSV)",
        "trackers.csv_marks:is_jira_csv",
        "trackers.task_csv:read_jira_csv",
    ),
    _format(
        13,
        "linear",
        "tasks of Linear (JSON, CSV)",
        "trackers.tracker_marks:is_linear",
        "trackers.linear:read_linear",
    ),
    _format(
        14,
        "linear-csv",
        "tasks of Linear (JSON, CSV)",
        "trackers.csv_marks:is_linear_csv",
        "trackers.task_csv:read_linear_csv",
    ),
    _format(
        14,
        "asana-csv",
        "tasks of Asana (CSV)",
        "trackers.csv_marks:is_asana_csv",
        "trackers.task_csv:read_asana_csv",
    ),
    _format(
        14,
        "todoist",
        "tasks of Todoist (CSV)",
        "trackers.csv_marks:is_todoist",
        "trackers.todoist:read_todoist",
    ),
    _format(
        15,
        "github",
        "issues of GitHub (JSON)",
        "trackers.tracker_marks:is_github",
        "trackers.github:read_github",
    ),
    _format(
        16,
        "todo-txt",
        "todo.txt",
        "trackers.tracker_marks:is_todo_txt",
        "trackers.todo_txt:read_todo_txt",
    ),
    _format(
        16,
        "google-tasks",
        "Google Tasks (JSON)",
        "trackers.tracker_marks:is_google_tasks",
        "trackers.google_tasks:read_google_tasks",
    ),
    _format(
        16,
        "trello",
        "boards of Trello (JSON)",
        "trackers.tracker_marks:is_trello",
        "trackers.trello:read_trello",
    ),
    _format(
        17,
        "mem0",
        "memories of mem0 (JSON)",
        "memories.memory_marks:is_mem0",
        "memories.mem0:read_mem0",
    ),
    _format(
        18,
        "mcp-memory",
        "the graph of the MCP memory server",
        "memories.memory_marks:is_mcp_memory",
        "memories.mcp_memory:read_mcp_memory",
    ),
    _format(
        19,
        "letta",
        "agents of Letta (.af, JSON)",
        "memories.memory_marks:is_letta",
        "memories.letta:read_letta",
    ),
    _format(
        20,
        "langgraph",
        "items of a LangGraph store (JSON)",
        "memories.memory_marks:is_langgraph_store",
        "memories.langgraph_store:read_langgraph_store",
    ),
    _format(
        20,
        "memory-list",
        "lists of memories (JSON)",
        "memories.memory_marks:is_memory_list",
        "memories.memory_list:read_memory_list",
    ),
    _format(
        21,
        "chatgpt",
        "chats of ChatGPT (JSON)",
        "chats.chat_marks:is_chatgpt",
        "chats.chatgpt:read_chatgpt",
    ),
    _format(22, "chatgpt-page", "", "chats.chat_marks:is_chatgpt_page", "chats.chatgpt:read_page"),
    _format(
        23,
        "claude",
        "chats of Claude (JSON)",
        "chats.chat_marks:is_claude",
        "chats.claude:read_claude",
    ),
    _format(
        24,
        "gemini",
        "questions to Gemini (JSON, HTML)",
        "chats.chat_marks:is_gemini",
        "chats.gemini:read_gemini",
    ),
    _format(
        25,
        "slack",
        "messages of Slack (JSON)",
        "chats.chat_marks:is_slack",
        "chats.slack:read_slack",
    ),
    _format(26, "slack-list", "", "chats.chat_marks:is_slack_list", "chats.slack:read_lists"),
    _format(
        27,
        "whatsapp",
        "chats of WhatsApp",
        "chats.chat_marks:is_whatsapp",
        "chats.whatsapp:read_whatsapp",
    ),
    _format(
        28,
        "kakaotalk",
        "chats of KakaoTalk",
        "chats.chat_marks:is_kakaotalk",
        "chats.kakaotalk:read_kakaotalk",
    ),
    _format(
        28,
        "telegram",
        "chats of Telegram (JSON)",
        "chats.chat_marks:is_telegram",
        "chats.telegram:read_telegram",
    ),
    _format(
        29,
        "discord",
        "channels of Discord (JSON)",
        "chats.chat_marks:is_discord",
        "chats.discord:read_discord",
    ),
    _format(
        29,
        "messenger",
        "chats of Messenger and Instagram (JSON)",
        "chats.chat_marks:is_messenger",
        "chats.messenger:read_messenger",
    ),
    _format(
        29,
        "google-chat",
        "messages of Google Chat (JSON)",
        "chats.chat_marks:is_google_chat",
        "chats.google_chat:read_google_chat",
    ),
    _format(
        29,
        "google-chat-list",
        "",
        "chats.chat_marks:is_google_chat_list",
        "chats.google_chat:read_list",
    ),
    _format(
        30,
        "sms",
        "text messages of Android (.xml)",
        "chats.chat_marks:is_sms",
        "chats.sms_backup:read_sms",
    ),
    _format(
        30,
        "signal",
        "chats of Signal",
        "chats.chat_marks:is_signal",
        "chats.signal_text:read_signal",
    ),
    _format(
        31, "signal-page", "", "chats.chat_marks:is_signal_page", "chats.signal_text:read_page"
    ),
    _format(
        32,
        "notion",
        "pages of Notion (.md, .csv, .html)",
        "notes.note_marks:is_notion",
        "notes.notion:read_notion",
    ),
    _format(
        33,
        "evernote",
        "notes of Evernote (.enex)",
        "notes.note_marks:is_enex",
        "notes.evernote:read_enex",
    ),
    _format(
        33,
        "keep",
        "notes of Google Keep (JSON)",
        "notes.note_marks:is_keep",
        "notes.keep:read_keep",
    ),
    _format(
        33,
        "bookmarks",
        "bookmarks of browsers (.html)",
        "notes.note_marks:is_bookmarks",
        "notes.bookmarks:read_bookmarks",
    ),
    _format(
        33,
        "day-one",
        "journals of Day One (JSON)",
        "notes.note_marks:is_day_one",
        "notes.day_one:read_day_one",
    ),
    _format(
        33,
        "kindle",
        "highlights of Kindle (My Clippings.txt)",
        "notes.note_marks:is_kindle",
        "notes.kindle:read_kindle",
    ),
    _format(33, "keep-page", "", "notes.note_marks:is_keep_page", "notes.keep:read_page"),
    _format(
        34,
        "transcript",
        "transcripts and subtitles (.vtt, .srt)",
        "chats.chat_marks:is_transcript",
        "chats.transcript:read_transcript",
    ),
    _format(
        34,
        "chat-unread",
        "",
        "chats.chat_marks:is_unread_chat",
        "chats.whatsapp:read_unread",
    ),
    _format(
        45,
        "archive",
        "archives (.zip, .tar, .gz, .tgz, .bz2, .xz)",
        "documents.document_marks:is_archive",
        "archives.archive:read_archive",
    ),
)
"""The formats, each with its number in the order in which those of simonides are tried."""


def _json_values(file: "SourceFile", encoding: str, containers: tuple[str, ...]) -> Iterator[Any]:
    target = "simonides_formats.json_stream:stream"
    found: Iterator[Any] = call_target(target, file, encoding, containers)
    return found


_IS_STREAMED = find_spec("ijson") is not None
"""Whether the library of the extra `exports` is installed."""

_JSON_READERS = (JsonReader(name="stream", values=_json_values),) if _IS_STREAMED else ()

PLUGIN = Plugin(importers=_FORMATS, json_readers=_JSON_READERS)
"""What the entry point names."""
