"""The marks by which exports in JSON, and lists of tasks, are told apart in the first bytes.

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


_MEM0_ROW = re.compile(rb'"(?:new_memory|old_memory)"\s*:')
_MEM0_TEXT = re.compile(rb'"(?:memory|text|content)"\s*:\s*"')
_MEM0_FIELD = re.compile(rb'"(?:user_id|agent_id|run_id|app_id|hash|categories)"\s*:')
_GRAPH = re.compile(rb'"(?:entityType|relationType)"\s*:|"type"\s*:\s*"(?:entity|relation)"')
_STORE = re.compile(rb'"(?:namespace|prefix)"\s*:')
_LETTA_ID = re.compile(rb'"id"\s*:\s*"(?:passage|block)-[0-9a-f-]{8}')
_LETTA_FILE = re.compile(rb'"(?:llm_config|block_ids|memory_blocks|core_memory|agent_type)"\s*:')
_LETTA_SAID = re.compile(rb'"message_type"\s*:\s*"[a-z_]{4,30}_message"')


def is_mem0(_path: Path, sample: bytes) -> bool:
    """Return whether these are memories of mem0, or their histories."""
    start = head(sample)
    if _MEM0_ROW.search(start):
        return True
    is_memory = b'"memory"' in start or b'"memories"' in start
    return is_memory and bool(_MEM0_TEXT.search(start) and _MEM0_FIELD.search(start))


def is_mcp_memory(_path: Path, sample: bytes) -> bool:
    """Return whether this is a graph of the MCP memory server."""
    start = head(sample)
    names = (b'"observations"', b'"relationType"', b'"entityType"')
    return _GRAPH.search(start) is not None and any(name in start for name in names)


def is_langgraph_store(_path: Path, sample: bytes) -> bool:
    """Return whether these are items of a LangGraph store."""
    start = head(sample)
    return bool(_STORE.search(start)) and b'"key"' in start and b'"value"' in start


def is_letta(_path: Path, sample: bytes) -> bool:
    """Return whether this is an agent file of Letta, or a list of its memories or messages."""
    start = head(sample)
    if _LETTA_ID.search(start) or _LETTA_SAID.search(start):
        return True
    names_agent = b'"agents"' in start or b'"agent_type"' in start or b'"core_memory"' in start
    return names_agent and _LETTA_FILE.search(start) is not None
