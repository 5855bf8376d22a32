"""Merge decisions on a candidate and a stored memory, by ordered rules.

Pure. Knows two memories and nothing else; who is compared with whom is for `remember`. Where the
rules differ from the designs' it is said beside the rule, and in `docs/explanation/memories.md`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from simonides.entities.extract import fold_name
from simonides.model.item import Item, MemoryTraits, Scope, Status
from simonides.model.memories import MergeConfig, MergeDecision, MergeOp, MergeReason
from simonides.text import unicode_version
from simonides.text.sentences import sentences
from simonides.text.word_patterns import lazy_pattern

SHARE_TOLERANCE = 2.0**-23
"""Shares that differ by less are the same: the designs' f32 epsilon, the spacing of
single-precision numbers at 1."""

DEFAULT_CONFIG = MergeConfig()

_OWNERS = {
    Scope.WORKSPACE: "workspace_id",
    Scope.SESSION: "session_id",
    Scope.USER: "user_id",
}
"""The trait that says whose a memory of a scope is; a global one is everybody's."""

_CLOSING = ".!…。 "
"""What a text may end with, and still be the same one. Not a question mark: a question states
nothing."""

Rule = Callable[[Item, Item, MergeConfig], MergeDecision | None]


def merge_candidate(
    existing: Item | None, candidate: Item, config: MergeConfig = DEFAULT_CONFIG
) -> MergeDecision:
    """Return the decision on `candidate`, given `existing`, the memory most like it.

    The first rule that fits decides:

    1. Nothing to compare with: add.
    2. The same text, in force: delete if the candidate's status asks for it; update if traits that
       the candidate states differ; else nothing. In force is what is active or quarantined and has
       not expired: what was deleted or superseded and is said again is added anew (the designs
       would update the dead record).
    3. Another scope or type, or the same scope of somebody else (the designs forget to look): add.
    4. What is there is not active, or has expired: add.
    5. The candidate is not active: nothing.
    6. Not about the same entity: add.
    7. The candidate is less sure by more than `config.supersede_threshold`: nothing.
    8. The candidate is the older fact: nothing (the designs would supersede).
    9. Otherwise the candidate supersedes.

    What is kept is of the time when it happened, or else when it was stored. A candidate that does
    not say when it happened is of the present, whatever the clock says; its `stored_at` is that
    present, by which memories expire.
    """
    if existing is None:
        return MergeDecision(op=MergeOp.ADD, reason=MergeReason.NO_SIMILAR_MEMORY)
    decided = (rule(existing, candidate, config) for rule in _RULES)
    return next(filter(None, decided), None) or _decision(
        existing, MergeOp.SUPERSEDE, MergeReason.HIGHER_CONFIDENCE_OR_NEWER_FACT
    )


def _same_text(existing: Item, candidate: Item, _config: MergeConfig) -> MergeDecision | None:
    if not (says_the_same(existing, candidate) and is_in_force(existing, at=candidate.stored_at)):
        return None
    if traits_of(candidate).status is Status.DELETED:
        return _decision(existing, MergeOp.DELETE, MergeReason.ASKED_FOR)
    patch = _patch(traits_of(existing), traits_of(candidate))
    if patch:
        reason = MergeReason.DUPLICATE_TEXT_METADATA_UPDATE
        return _decision(existing, MergeOp.UPDATE, reason, patch=patch)
    return _decision(existing, MergeOp.NOOP, MergeReason.DUPLICATE_TEXT)


def _other_place(existing: Item, candidate: Item, _config: MergeConfig) -> MergeDecision | None:
    if is_same_place(traits_of(existing), traits_of(candidate)):
        return None
    return _decision(existing, MergeOp.ADD, MergeReason.NEW_MEMORY_SCOPE_OR_TYPE_MISMATCH)


def _not_active(existing: Item, candidate: Item, _config: MergeConfig) -> MergeDecision | None:
    if is_active(existing, at=candidate.stored_at):
        return None
    return _decision(existing, MergeOp.ADD, MergeReason.EXISTING_MEMORY_NOT_ACTIVE)


def _not_meant(existing: Item, candidate: Item, _config: MergeConfig) -> MergeDecision | None:
    if traits_of(candidate).status is Status.ACTIVE:
        return None
    return _decision(existing, MergeOp.NOOP, MergeReason.CANDIDATE_NOT_ACTIVE)


def _other_entity(existing: Item, candidate: Item, _config: MergeConfig) -> MergeDecision | None:
    if is_same_entity(traits_of(existing), traits_of(candidate)):
        return None
    return _decision(existing, MergeOp.ADD, MergeReason.NEW_MEMORY_NON_CONFLICTING)


def _less_sure(existing: Item, candidate: Item, config: MergeConfig) -> MergeDecision | None:
    least = traits_of(existing).confidence - config.supersede_threshold
    if traits_of(candidate).confidence >= least - SHARE_TOLERANCE:
        return None
    return _decision(existing, MergeOp.NOOP, MergeReason.LOWER_CONFIDENCE_CANDIDATE)


def _older(existing: Item, candidate: Item, _config: MergeConfig) -> MergeDecision | None:
    known, happened = existing.dated_at, candidate.happened_at
    if known is None or happened is None or happened >= known:
        return None
    return _decision(existing, MergeOp.NOOP, MergeReason.OLDER_THAN_EXISTING)


_RULES: tuple[Rule, ...] = (
    _same_text, _other_place, _not_active, _not_meant, _other_entity, _less_sure, _older,
)  # fmt: skip
"""Rules 2 to 8 in their order."""


def says_the_same(one: Item, other: Item) -> bool:
    """Return whether two memories have the same words, up to significant punctuation."""
    return wording(text_of(one)) == wording(text_of(other))


def wording(text: str) -> str:
    """Return a text in its form for comparison: without case, outer quotes and a full stop.

    Nothing inside it is dropped: `C`, `C++` and `C?` are three texts.
    """
    plain = " ".join(unicode_version.fold(text).split())
    return plain.strip("\"'“”„«»").rstrip(_CLOSING) or plain


def text_of(item: Item) -> str:
    """Return the words of a memory: its content, or else its title."""
    return item.content if item.content.strip() else item.title


def traits_of(item: Item) -> MemoryTraits:
    """Return a memory's traits, or the default ones."""
    return item.traits or MemoryTraits()


def is_active(item: Item, *, at: datetime | None) -> bool:
    """Return whether a memory is active and not expired at a time (None: it never expires)."""
    return traits_of(item).status is Status.ACTIVE and not _has_expired(item, at=at)


def is_in_force(item: Item, *, at: datetime | None) -> bool:
    """Return whether a memory is active, or quarantined until it is reviewed."""
    kept = traits_of(item).status in (Status.ACTIVE, Status.QUARANTINED)
    return kept and not _has_expired(item, at=at)


def is_same_place(one: MemoryTraits, other: MemoryTraits) -> bool:
    """Return whether two memories have one type, one scope, and the same ids of that scope."""
    if (one.scope, one.type) != (other.scope, other.type):
        return False
    owner = _OWNERS.get(one.scope)
    return owner is None or getattr(one, owner) == getattr(other, owner)


def is_same_entity(one: MemoryTraits, other: MemoryTraits) -> bool:
    """Return whether two memories are about the same entity; false without one."""
    name = fold_name(one.entity)
    return bool(name) and name == fold_name(other.entity)


def _has_expired(item: Item, *, at: datetime | None) -> bool:
    until = traits_of(item).expires_at
    return until is not None and at is not None and until <= at


def _patch(existing: MemoryTraits, candidate: MemoryTraits) -> dict[str, Any]:
    """Return the stated traits of a candidate of the same text that differ there.

    It always states confidence and importance (the designs' two), the others where they are not
    left empty.
    """
    patch: dict[str, Any] = {
        name: getattr(candidate, name)
        for name in ("confidence", "importance")
        if abs(getattr(candidate, name) - getattr(existing, name)) > SHARE_TOLERANCE
    }
    for name in ("half_life_hours", "expires_at"):
        stated = getattr(candidate, name)
        if stated is not None and stated != getattr(existing, name):
            patch[name] = stated
    if fold_name(candidate.entity) and not is_same_entity(existing, candidate):
        patch["entity"] = candidate.entity
    return patch


def _decision(
    existing: Item, op: MergeOp, reason: MergeReason, *, patch: dict[str, Any] | None = None
) -> MergeDecision:
    return MergeDecision(op=op, reason=reason, ids=(existing.id,), patch=patch or {})


_NUMBERS = r"[+-]?(?:\d+\.\d+|inf|nan)"
_MARKS = lazy_pattern(
    r"""
      ^\s*(?:[-*•]|\[\d+\])\s+                                 # a bullet, or a citation
    | ^\s*(?:\|\s)?\((?:excerpt|summary)\)\s                   # how much of it is shown
    | \s*\((?:why:|score=)[^()\n]*\)                           # the reasons
    | \s*·\s(?:unknown\ sender|external)\s*$                   # how far it is trusted
    | ^\s*\|\s                                                 # the bar before a line like a mark
    | \s*\[\d+\]\s*$                                           # a citation behind the words
    """,
    re.VERBOSE,
)
_FRAME = lazy_pattern(
    rf"""\s*(?:
      \#.*                                                     # a heading of a brief
    | (?:Artifact\ Notes|Recent\ Episodic|Workspace\ Policies|Session\ Context
        |User\ Preferences|Global\ Defaults):
    | (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\ \d\d?\ [A-Z][a-z]+\ \d+   # the day of what follows
    | \[[^\[\]]+\]|undated|\d{{4}}-\d\d-\d\d|-{{3,}}
    | \(why:\ score\ {_NUMBERS}.*\)
    | Nothing\ (?:here\ clearly|in\ memory)\ answers\ this.*   # what a brief says in doubt
    )\s*""",
    re.VERBOSE,
)
"""A line of which nothing is a memory's own."""

_NUMBER = lazy_pattern(
    r"""^\s*\d+\s+
    (?:memory(?:\ (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\ \d\d?\ [A-Z][a-z]+(?:\ \d+)?)?
    (?:\ \([^()\n]*\))?:\s+)?""",
    re.VERBOSE,
)
"""The head of a line of a brief: only where something frames it, or `3 apples` lost its 3."""


def memories_stating(text: str, memories: Sequence[Item]) -> tuple[str, ...]:
    """Return the ids of memories that together say all of `text`; empty if they do not.

    In the order of `memories`, each of them says a sentence that none before it does.
    """
    wanted = list(dict.fromkeys(_split_for_comparison(text)))
    if not wanted:
        return ()
    missing, found = set(wanted), []
    for memory in memories:
        said = missing.intersection(_list_stated(memory))
        if said:
            found.append(memory.id)
            missing -= said
    return () if missing else tuple(found)


def _list_stated(memory: Item) -> Iterator[str]:
    text = text_of(memory)
    yield wording(text)
    for line in text.splitlines():
        yield wording(line)
    for span in sentences(text):
        yield wording(text[span.start : span.stop])


def _split_for_comparison(text: str) -> Iterator[str]:
    """Yield the sentences of a text in their form for comparison, without a brief's labels."""
    lines = text.splitlines()
    own = [line for line in lines if not _FRAME.fullmatch(line)]
    for line in own:
        bare = _without_marks(_NUMBER.sub("", line, count=1) if len(own) < len(lines) else line)
        for span in sentences(bare):
            said = wording(bare[span.start : span.stop])
            if any(map(str.isalnum, said)):
                yield said


def _without_marks(line: str) -> str:
    """Return a line without the marks at its ends, however many there are."""
    while (stripped := _MARKS.sub("", line)) != line:
        line = stripped
    return line
