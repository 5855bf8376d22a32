"""`simonides init` and `simonides config`: write and print the settings of a home.

Knows what each setting means; a test holds that to the fields of `Settings`. Must not know what
uses a setting.
"""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import fields
from pathlib import Path
from shlex import quote
from typing import Any

from simonides.cli.context import Context
from simonides.cli.options import CustomCommand
from simonides.cli.owner import ask_owner, is_asking, split_names
from simonides.config import Settings, says_owner
from simonides.disk import make_private_folder, new_whole_file, remove_parts_of
from simonides.errors import StoreFull

MEANINGS: dict[str, str] = {
    "store": "where spaces are: empty for files here, or postgresql://role@host/database",
    "lanes": "where questions are answered: memory, database, or auto (large spaces there)",
    "redis": "where working memory is shared: empty for this process, or redis://host:6379/0",
    "embedder": "minilm, onnx:FOLDER, fastembed:MODEL, sentence-transformers:MODEL, openai, none",
    "openai_base_url": "where an OpenAI-compatible /embeddings endpoint answers",
    "openai_model": "the embedding model asked for there",
    "openai_dimension": "how many numbers its vectors have",
    "reranker": "empty, onnx:FOLDER of a cross-encoder, or the address of a /rerank endpoint",
    "reranker_model": "the model asked for there",
    "reranker_timeout_s": "seconds after which a search goes on without it",
    "timezone": "IANA name of the zone that days are counted in; empty: this machine's",
    "language": "ISO 639-1 code of texts whose language nothing tells",
    "detect_language": "whether the language of longer texts is detected",
    "owner": "names and addresses of the person whose memory this is (me, my)",
    "durability": "full (each commit is synced) or relaxed (a power cut may lose the last ones)",
    "page_checksums": "whether pages get checksums; false where Litestream replicates a home",
    "timeout_s": "seconds that a writer waits for another one",
    "encoding": "tokenizer that budgets are counted in: cl100k_base or o200k_base",
    "view_bytes_max": "bytes of memory for warm spaces, all together",
    "threads": "texts embedded at once; 0: one per core, at most 16",
    "approximate_above": "chunks of a space above which a graph finds by meaning; 0: never",
    "retention_days": "days for which what was replaced or forgotten is kept; 0: for ever",
    "compaction_threshold": "versions past retention that make a compaction due; 0: never",
    "snapshot_writes": "writes after which the snapshot of a warm index is written anew",
    "snapshot_log_bytes": "bytes of log after which it is, whichever comes first",
    "share_indexes": "whether processes share the pages of indexes, on local disks",
    "supersede_threshold": "how much less sure a newer memory may be, and still take a place",
    "importance_half_life_hours": "hours that halve the importance of what states none; 0: never",
    "importance_floor": "the importance that no memory fades below, 0 to 1",
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
    "extraction": "whether the chat model finds memories in new messages: off, propose or accept",
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
    """Return `value` as TOML, which includes JSON's texts, numbers, booleans and lists."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


_NEXT = (
    'add "Sarah moved the Alpha deadline to Friday"',
    "import ~/mail.mbox",
    'search "when is Alpha due?"',
)


def _run_init(context: Context, arguments: Namespace) -> None:
    """Make the folder, write the settings unless they exist, and suggest the next steps.

    The owner is set where it is given, and asked for at a terminal where it is unknown.
    """
    path, written = make_home(context.home)
    owner = _owner(context, arguments)
    if owner is not None:
        with context.memory() as memory:
            memory.set_owner(*owner)
    now = context.settings.owner if owner is None else owner
    record = {"home": context.home, "config": path, "written": written, "owner": now}
    context.output.answer(
        record, draw=lambda: _draw_init(context, arguments, owner=now, written=written)
    )


def _owner(context: Context, arguments: Namespace) -> tuple[str, ...] | None:
    """Return the owner from an option or the terminal; None for no change."""
    if arguments.owner:
        return tuple(name for text in arguments.owner for name in split_names(text))
    is_known = context.settings.owner or says_owner(context.home)
    return None if is_known or not is_asking(context) else ask_owner(context, ())


def _add_init_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--owner",
        action="append",
        metavar="NAMES",
        help="whose memory it is: names and addresses, with commas or each with its own --owner",
    )


def make_home(home: Path, **chosen: object) -> tuple[Path, bool]:
    """Return the config.toml of `home`, created if missing, and whether it was created now.

    Raises:
        StoreFull: The folder cannot be written.
    """
    path = home / "config.toml"
    try:
        make_private_folder(home)
        remove_parts_of(path)
        return path, not path.exists() and _is_written(path, config_text(**chosen))
    except OSError as error:
        raise StoreFull(
            f"{home} cannot be written ({error}); choose another with --home"
        ) from error


def _is_written(path: Path, text: str) -> bool:
    """Write a new file and return whether it was missing: another process may be faster."""
    try:
        with new_whole_file(path) as file:
            file.write(text.encode())
    except FileExistsError:
        return False
    return True


def _draw_init(
    context: Context, arguments: Namespace, *, owner: tuple[str, ...], written: bool
) -> None:
    output = context.output
    output.line(f"{'made' if written else 'already there:'} {context.home / 'config.toml'}")
    if owner:
        output.line(f"owner: {', '.join(owner)}")
    home = f" --home {quote(arguments.home)}" if arguments.home else ""
    output.line("Next:")
    for verb in _NEXT:
        output.line(f"  {context.program} {verb}{home}")


INIT = CustomCommand(
    HELP="Create the home directory, with a commented config.toml.",
    EXAMPLE="simonides init --home ~/.simonides --owner mira@tidewater.example",
    add_arguments=_add_init_arguments,
    run=_run_init,
)


def _run_config(context: Context, arguments: Namespace) -> None:  # noqa: ARG001  every verb has the same form
    """Write each setting with its value and meaning."""
    path = context.home / "config.toml"
    record = {"home": context.home, "config": path, "settings": context.settings}
    context.output.answer(record, draw=lambda: _draw_config(context))


def _draw_config(context: Context) -> None:
    rows = [
        (name, _show(getattr(context.settings, name)), meaning)
        for name, meaning in MEANINGS.items()
    ]
    context.output.table(("setting", "value", "meaning"), rows)
    context.output.note((f"set them in {context.home / 'config.toml'}", "dim"))


def _show(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


CONFIG = CustomCommand(
    HELP="Print the settings in force: config.toml, then the environment, then options.",
    EXAMPLE="simonides config --home ~/.simonides",
    run=_run_config,
)
