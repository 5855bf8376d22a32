"""What each setting means, once: written into a new config.toml and printed by `config`.

Must not know what uses a setting; a test holds it to the fields of `Settings`.
"""

import json
from dataclasses import fields
from typing import Any

from simonides.config import Settings

MEANINGS: dict[str, str] = {
    "embedder": "minilm (offline), openai (any compatible endpoint) or none (words only)",
    "openai_base_url": "where an OpenAI-compatible /embeddings endpoint answers",
    "openai_model": "the embedding model asked for there",
    "openai_dimension": "how many numbers its vectors have",
    "timezone": "IANA name of the zone that days are counted in; empty: this machine's",
    "language": "ISO 639-1 code of texts that are too short to tell",
    "detect_language": "whether the language of longer texts is detected",
    "owner": "names and addresses of the person whose memory this is (me, my)",
    "durability": "full (each commit is synced) or relaxed (a power cut may lose the last ones)",
    "timeout_s": "seconds that a writer waits for another one",
    "encoding": "tokenizer that budgets are counted in: cl100k_base or o200k_base",
    "view_bytes_max": "bytes of memory for warm spaces, all together",
    "threads": "texts embedded at once; 0: one per core, at most 4",
    "approximate_above": "chunks of a space above which a graph finds by meaning; 0: never",
    "retention_days": "days for which what was replaced or forgotten is kept; 0: for ever",
    "compaction_threshold": "versions past retention that make a compaction due; 0: never",
    "snapshot_writes": "writes after which the snapshot of a warm index is written anew",
    "snapshot_log_bytes": "bytes of log after which it is, whichever comes first",
    "supersede_threshold": "how much less sure a newer memory may be, and still take a place",
    "chat_provider": "none (cited lines), openai (any compatible endpoint), anthropic or local",
    "chat_base_url": "where Chat Completions are answered; empty: the provider's own address",
    "chat_model": "the chat model asked for there",
    "chat_model_path": "the GGUF file that local answers from",
    "chat_mode": "how it looks things up: native tools, json_schema actions or prefetch",
    "chat_context_tokens": "tokens of context in a turn, at most",
    "chat_context_items": "items in it, at most",
    "chat_calls_max": "model calls in a turn, at most",
    "chat_tokens_max": "tokens of a turn, all its calls together, at most",
    "chat_timeout_s": "seconds that a turn may take",
}


def config_text(**chosen: Any) -> str:
    """Return a config.toml: every setting with its meaning, its default commented out.

    What is `chosen` is set.
    """
    parts = ["# Settings of this Simonides home. SIMONIDES_* in the environment wins over them,"]
    parts.append("# and options on the command line win over both.")
    for one in fields(Settings):
        value = chosen.get(one.name, one.default)
        mark = "" if one.name in chosen else "# "
        parts.append(f"\n# {MEANINGS[one.name]}\n{mark}{one.name} = {_toml(value)}")
    return "\n".join(parts) + "\n"


def _toml(value: Any) -> str:
    """Return `value` as TOML, of which JSON texts, numbers, booleans and lists are a part."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
