"""The marks by which the memories of other engines are distinguished in the first bytes.

Must not know a format beyond its marks.
"""

import re
from pathlib import Path

from simonides_formats.json_head import head

_MEM0_ROW = re.compile(rb'"(?:new_memory|old_memory)"\s*:')
_MEM0_TEXT = re.compile(rb'"(?:memory|text|content)"\s*:\s*"')
_MEM0_FIELD = re.compile(rb'"(?:user_id|agent_id|run_id|app_id|hash|categories)"\s*:')
_GRAPH = re.compile(rb'"(?:entityType|relationType)"\s*:|"type"\s*:\s*"(?:entity|relation)"')
_STORE = re.compile(rb'"(?:namespace|prefix)"\s*:')
_LETTA_ID = re.compile(rb'"id"\s*:\s*"(?:passage|block)-[0-9a-f-]{8}')
_LETTA_FILE = re.compile(rb'"(?:llm_config|block_ids|memory_blocks|core_memory|agent_type)"\s*:')
_LETTA_SAID = re.compile(rb'"message_type"\s*:\s*"[a-z_]{4,30}_message"')


_MEMORY_FIELD = re.compile(rb'"(?:memory|fact|statement|observation)"\s*:\s*"')
_TEXT = re.compile(
    rb'"(?:content|text|note|value|summary|description|body|object)"\s*:|\[\s*"[^"]|\A"'
)
_SAID = re.compile(rb'"(?:role|speaker|sender|messages|message_type)"\s*:')


def is_memory_list(path: Path, sample: bytes) -> bool:
    """Return whether these are memories of no program in particular.

    By names that only memories have, or else by the name of the file; a chat says who speaks.
    """
    start = head(sample)
    if not start or path.suffix.lower() not in (".json", ".jsonl", ".ndjson"):
        return False
    if _SAID.search(start):
        return False
    is_named = "memor" in path.stem.lower() or "facts" in path.stem.lower()
    return bool(_MEMORY_FIELD.search(start) or (is_named and _TEXT.search(start)))


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
