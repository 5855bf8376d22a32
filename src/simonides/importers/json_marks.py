"""The marks by which exports in JSON are told apart, in the first bytes of a file.

Imports no library. Must not know a format beyond its marks.
"""

import codecs
import re
from pathlib import Path

_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def head(sample: bytes) -> bytes:
    """Return the beginning of a JSON file as UTF-8; empty where it can be no JSON."""
    for mark, name in _WIDE:
        if sample.startswith(mark):
            sample = sample.decode(name, "ignore").encode(errors="ignore")
            break
    start = sample.removeprefix(codecs.BOM_UTF8).lstrip()
    return start if start[:1] in (b"{", b"[") else b""


_JIRA_API = re.compile(rb"/rest/(?:api|agile)/(?:[123](?:\.0)?|latest)/")
_JIRA_KEY = re.compile(rb'"key"\s*:\s*"[A-Za-z][A-Za-z0-9_]*-\d+"')
_JIRA_PAGE = re.compile(rb'^\{.{0,400}"(?:startAt|maxResults|isLast|nextPageToken)"', re.DOTALL)

_JIRA_EXPAND = re.compile(rb'^\{\s*"expand"\s*:\s*"(?:names|schema)\b')


def is_jira(_path: Path, sample: bytes) -> bool:
    """Return whether these are Jira issues: searches, lists, or one issue."""
    start = head(sample)
    if _JIRA_EXPAND.match(start):
        return True
    holds_issues = b'"issues"' in start or b'"fields"' in start
    marked = _JIRA_API.search(start) or _JIRA_KEY.search(start) or _JIRA_PAGE.match(start)
    return holds_issues and marked is not None
