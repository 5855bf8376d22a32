"""The marks by which exports of tasks, and lists of tasks, are distinguished in the first bytes.

Must not know a format beyond its marks.
"""

import codecs
import re
from pathlib import Path

from simonides_formats.json_head import head

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


_GOOGLE_TASKS = re.compile(rb'"kind"\s*:\s*"tasks#taskLists"')


def is_google_tasks(_path: Path, sample: bytes) -> bool:
    """Return whether these are lists of Google Tasks."""
    return _GOOGLE_TASKS.search(head(sample)) is not None


_TRELLO = re.compile(rb'"(?:short)?[uU]rl"\s*:\s*"https://trello\.com/b/')


def is_trello(_path: Path, sample: bytes) -> bool:
    """Return whether this is a board of Trello."""
    return _TRELLO.search(head(sample)) is not None


_LINEAR = re.compile(rb'"identifier"\s*:\s*"[A-Z][A-Z0-9_]*-\d+"|"https://linear\.app/')
_GITHUB_API = re.compile(rb"//api\.github\.com/repos/|/api/v3/repos/")
_GITHUB_PLACE = re.compile(
    rb'"https://github\.com/[^/"\s]{1,100}/[^/"\s]{1,100}/(?:issues|pull)/\d'
)
_GITHUB_USER = re.compile(rb'"(?:author|user|assignees)"\s*:\s*\[?\s*\{[^{}]{0,2000}"login"\s*:')
_GITHUB_FIELD = re.compile(rb'"(?:number|title|body|issue_url)"\s*:')
_GITHUB_LIST = re.compile(
    rb'"number"\s*:\s*\d+.{0,4000}"state"\s*:\s*"(?:OPEN|CLOSED|MERGED)"', re.DOTALL
)


def is_linear(_path: Path, sample: bytes) -> bool:
    """Return whether these are Linear issues."""
    start = head(sample)
    return b'"title"' in start and _LINEAR.search(start) is not None


def is_github(_path: Path, sample: bytes) -> bool:
    """Return whether these are issues, pull requests or comments of GitHub."""
    start = head(sample)
    if not _GITHUB_FIELD.search(start):
        return False
    marks = (_GITHUB_API, _GITHUB_PLACE, _GITHUB_USER, _GITHUB_LIST)
    return any(mark.search(start) for mark in marks)


_TODO_LINE = re.compile(
    rb"^(?:x \d{4}-\d{2}-\d{2} |\([A-Z]\) |\d{4}-\d{2}-\d{2} \S)|(?:^|\s)[+@][A-Za-z]|\bdue:\d{4}-"
)
_TODO_NAMES = ("todo.txt", "done.txt")


def is_todo_txt(path: Path, sample: bytes) -> bool:
    """Return whether a text file is a list in the format todo.txt.

    One that is called so has such a mark in one line; another one has them in all lines.
    """
    if path.suffix.lower() != ".txt" or b"\0" in sample:
        return False
    lines = [line for line in sample.removeprefix(codecs.BOM_UTF8).split(b"\n") if line.strip()]
    marked = sum(1 for line in lines if _TODO_LINE.search(line))
    if path.name.lower().endswith(_TODO_NAMES):
        return marked > 0
    return marked == len(lines) > 1 and lines[0].startswith((b"x 2", b"("))
