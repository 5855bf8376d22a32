"""The marks by which exports of chats are distinguished in the first bytes.

Imports no library. Must not know a format beyond its marks.
"""

import re
from pathlib import Path

from simonides.importers.charset import decode, is_binary
from simonides_formats.chats.whatsapp_stamps import MARKS, STAMP
from simonides_formats.json_head import head

_MAPPING = re.compile(rb'"mapping"\s*:\s*\{')
_NODE = re.compile(rb'"(?:current_node|message|parent|children)"\s*:')
_PROJECT = re.compile(rb'"(?:prompt_template|is_starter_project)"\s*:')
_SLACK = re.compile(rb'"ts"\s*:\s*"\d{9,11}\.\d{1,6}"')
_SLACK_LISTS = {
    "users.json": rb'"profile"\s*:',
    "channels.json": rb'"members"\s*:',
    "groups.json": rb'"members"\s*:',
    "dms.json": rb'"members"\s*:',
    "mpims.json": rb'"members"\s*:',
    "integration_logs.json": rb'"(?:service_type|app_type|change_type)"\s*:',
    "canvases.json": rb'"filetype"\s*:',
}
"""The lists beside the channels of an export, and what tells each from a file called the same."""
_SLACK_ID = re.compile(rb'"(?:id|user_id)"\s*:\s*"[UWCGDBF][A-Z0-9]{6,}"')
_TELEGRAM = re.compile(
    rb'"type"\s*:\s*"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_'
    rb'(?:group|supergroup|channel))"|"about"\s*:\s*"[^"]{0,200}Telegram'
)
_DISCORD = re.compile(rb'"channel"\s*:\s*\{')
_ACTIVITY = re.compile(
    rb'"products"\s*:\s*\[\s*"(?:Gemini Apps|Bard)"|"header"\s*:\s*"(?:Gemini|Bard)'
)
_ACTIVITY_PAGE = re.compile(rb"(?:Gemini Apps|Bard)<br")
_PAGE_BYTES = 1 << 20
"""Where the first entry of a page of Google's is looked for: styles of some 150 KB come before."""

_SAID = re.compile(
    rf"[{MARKS}]*+\[?(?P<stamp>[^\n\[\]]{{6,50}}?)(?:\]|\s[-\u2013]|:)\s(?P<name>[^\n:\[\]]{{1,60}}):\s"
)
"""The beginning of a message in the text of any chat: `Mar 4, 10:00 - Name: `."""
_NAME = re.compile(r"[^:\n]{1,100}:\s")
_ANY_CLOCK = re.compile(r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?!\d|\.\d)")
_LEVELS = frozenset("critical debug error fatal info notice trace warn warning".split())
_CHAT_LINES_MIN = 3

SIGNAL_STAMP = re.compile(r"^\[(\d{4}-\d{2}-\d{2},? \d{2}:\d{2}(?::\d{2})?)\] ([^\n]{0,200}?): ?")
"""The date and name before each message, as signal-export writes them in chat.md."""


def is_chatgpt(_path: Path, sample: bytes) -> bool:
    """Return whether these are conversations of ChatGPT."""
    start = head(sample)
    return _MAPPING.search(start) is not None and _NODE.search(start) is not None


def is_chatgpt_page(path: Path, sample: bytes) -> bool:
    """Return whether this is the page in which ChatGPT shows the conversations of its export."""
    return path.suffix.lower() == ".html" and b"ChatGPT Data Export" in sample


def is_claude(_path: Path, sample: bytes) -> bool:
    """Return whether these are conversations, projects or memories of Claude."""
    start = head(sample)
    if b'"uuid"' not in start:
        return b'"conversations_memory"' in start
    return b'"chat_messages"' in start or _PROJECT.search(start) is not None


def is_gemini(path: Path, sample: bytes) -> bool:
    """Return whether this is what was asked of Gemini, as Google's Takeout writes it."""
    if path.suffix.lower() not in (".html", ".htm"):
        return _ACTIVITY.search(head(sample)) is not None
    if b"mdl-" not in sample and b"My Activity" not in sample:
        return False
    with path.open("rb") as stream:
        return _ACTIVITY_PAGE.search(stream.read(_PAGE_BYTES)) is not None


def is_slack(_path: Path, sample: bytes) -> bool:
    """Return whether these are the messages of a channel of Slack."""
    start = head(sample)
    return _SLACK.search(start) is not None and b'"type"' in start


def is_slack_list(path: Path, sample: bytes) -> bool:
    """Return whether this is a list of people or channels of a Slack export."""
    start, mark = head(sample), _SLACK_LISTS.get(path.name.lower())
    if mark is None or not start.startswith(b"["):
        return False
    is_empty = not start[1:].strip(b"] \r\n\t")
    return is_empty or bool(_SLACK_ID.search(start) and re.search(mark, start))


def is_telegram(_path: Path, sample: bytes) -> bool:
    """Return whether this is `result.json` of Telegram."""
    return _TELEGRAM.search(head(sample)) is not None


_META = re.compile(rb'"sender_?[nN]ame"\s*:')


def is_messenger(_path: Path, sample: bytes) -> bool:
    """Return whether this is a chat of Messenger or Instagram."""
    start = head(sample)
    return b'"participants"' in start and _META.search(start) is not None


def is_google_chat(path: Path, sample: bytes) -> bool:
    """Return whether these are the messages of a group of Google Chat."""
    start = head(sample)
    return path.suffix.lower() == ".json" and b'"creator"' in start and b'"created_date"' in start


def is_google_chat_list(path: Path, sample: bytes) -> bool:
    """Return whether these are the members of a group of Google Chat."""
    is_named = path.name.lower() in ("group_info.json", "user_info.json")
    return is_named and b'"email"' in head(sample)


def is_discord(_path: Path, sample: bytes) -> bool:
    """Return whether this is a channel as DiscordChatExporter writes it."""
    start = head(sample)
    return start.startswith(b"{") and b'"guild"' in start and _DISCORD.search(start) is not None


def first_line(sample: bytes) -> str:
    """Return the first line of a text that is not blank; empty where it is no text."""
    if is_binary(sample):
        return ""
    return next((line for line in decode(sample).splitlines() if line.strip()), "")


def is_whatsapp(path: Path, sample: bytes) -> bool:
    """Return whether a text file is a chat of WhatsApp."""
    if path.suffix.lower() != ".txt" or not (match := STAMP.match(first_line(sample))):
        return False
    if match.lastgroup != "colon":
        return True
    begun = ((line, STAMP.match(line)) for line in decode(sample).splitlines())
    return any(one and _NAME.match(line, one.end()) for line, one in begun)  # else a diary


_KAKAOTALK = re.compile(
    r"\s*(?:(?P<name>[^\n]{1,100}?)(?:\s\d+)?\s?님과\s카카오톡\s대화"
    r"|KakaoTalk\sChats?\swith\s(?P<with>[^\n]{1,100}))"
)


def is_kakaotalk(path: Path, sample: bytes) -> bool:
    """Return whether a text file is a chat of KakaoTalk."""
    return path.suffix.lower() == ".txt" and bool(kakaotalk_title(sample))


def kakaotalk_title(sample: bytes) -> str:
    """Return with whom a chat of KakaoTalk was, by the first line of a file; empty for others."""
    match = _KAKAOTALK.match(first_line(sample).lstrip("\ufeff"))
    return "" if match is None else " ".join((match["name"] or match["with"]).split())


CUE = re.compile(r"(?P<at>(?:\d{1,3}:)?\d{2}:\d{2})[.,]\d{1,3}[ \t]+-->[ \t]+\d[^\n]*\n?")
"""The line of times that each stretch of a transcript begins with."""

_SUBRIP = re.compile(rf"\A\s*(?:\d{{1,9}}\s+)?{CUE.pattern}")


def is_transcript(path: Path, sample: bytes) -> bool:
    """Return whether this is a transcript or subtitles: WebVTT, or SubRip by its name."""
    if is_binary(sample):
        return False
    if path.suffix.lower() == ".srt":
        return _SUBRIP.match(decode(sample).lstrip("\ufeff")) is not None
    return first_line(sample).lstrip("\ufeff").startswith("WEBVTT")


def is_unread_chat(path: Path, sample: bytes) -> bool:
    """Return whether most lines of a text file begin with a date and a name, as chats do."""
    if path.suffix.lower() != ".txt" or not first_line(sample):
        return False
    written = [line for line in decode(sample).splitlines() if line.strip()]
    names = [match["name"] for line in written if (match := _SAID.match(line)) and _is_dated(match)]
    is_log = all(name.strip().lower() in _LEVELS for name in names)
    return len(names) >= max(_CHAT_LINES_MIN, len(written) / 2) and not is_log


def _is_dated(match: re.Match[str]) -> bool:
    """Return whether a clock stands in what precedes a name, and a number beside it."""
    beside, count = _ANY_CLOCK.subn("", match["stamp"])
    return count == 1 and any(map(str.isdigit, beside))


def is_signal(path: Path, sample: bytes) -> bool:
    """Return whether this is a chat of Signal, as signal-export writes it."""
    is_text = path.suffix.lower() == ".md"
    return is_text and SIGNAL_STAMP.match(first_line(sample)) is not None


def is_signal_page(_path: Path, sample: bytes) -> bool:
    """Return whether this is a page of signal-export."""
    return b"<span class=sender>" in sample and b"../style.css" in sample


def is_sms(_path: Path, sample: bytes) -> bool:
    """Return whether these are text messages of the app SMS Backup & Restore."""
    return b"<smses" in sample[:4_000]
