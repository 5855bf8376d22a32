"""Analysis by one Unicode: its table, beside this Python's, and under simulated later ones."""

import importlib.util
import re
import sys
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides import Memory, Person, Settings
from simonides.entities.directory import proper_words
from simonides.entities.extract import fold_name
from simonides.ingest.prepare import Preparer
from simonides.model.compose import compose
from simonides.model.stored import NO_EMBEDDER, UNICODE_VERSION
from simonides.text import unicode_version
from simonides.text.analyse import analyse, clear_caches, words
from simonides.text.clean import title_of
from simonides.text.dates import find_ranges
from simonides.text.excerpt import is_boilerplate
from simonides.text.sentences import sentences
from simonides.text.unicode_script import fold
from simonides.text.unicode_version import (
    OPEN_RUNS,
    PLACEHOLDER,
    fold_case,
    is_lower,
    is_open,
    mask,
)

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
ROOT = Path(__file__).parents[3]

LATER = "\U00010d50\U00010d70\U00011f04\U0001e030\ua7cb\ua7dc\U0001e4d0"
"""Letters of Unicode 15.0 and 16.0, among them ones with case and a compatibility form."""

is_own_python = pytest.mark.skipif(
    not unicodedata.unidata_version.startswith(UNICODE_VERSION),
    reason="the table is made by a Python of its Unicode",
)


def table_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("table", ROOT / "scripts" / "unicode_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@is_own_python
def test_the_table_is_what_the_script_makes_of_this_python() -> None:
    made = table_script()

    assert tuple(made.unassigned_runs()) == OPEN_RUNS
    kept = Path(unicode_version.__file__).with_name("unicode_open.txt").read_text("ascii")
    assert kept == made.table(made.unassigned_runs()) + "\n"


@is_own_python
def test_what_is_open_is_what_this_unicode_leaves_open() -> None:
    points = [*range(0x3000), *range(0x1C80, 0x1D00), *range(0x10000, 0x12000), 0xFFFF, 0x10FFFF]

    assert [p for p in points if is_open(chr(p))] == [
        p for p in points if unicodedata.category(chr(p)) == "Cn"
    ]


def test_runs_are_in_order_and_apart() -> None:
    ends = [point for run in OPEN_RUNS for point in run]

    assert ends == sorted(ends)
    assert ends[-1] == sys.maxunicode
    assert all(first <= last for first, last in OPEN_RUNS)
    assert is_open(PLACEHOLDER)


def test_open_characters_are_masked_in_their_places() -> None:
    text = "Harbor \U00010d50b and \ua7cb, \U0001f600"

    assert mask(text) == f"Harbor {PLACEHOLDER}b and {PLACEHOLDER}, \U0001f600"
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize("text", ["", "Harbor", "Größe", "漢字", "\U0001f600", "\U00020000"])
def test_a_text_without_any_is_returned_itself(text: str) -> None:
    assert mask(text) is text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_folding_is_pythons_own_but_for_open_characters(text: str) -> None:
    if all(map(unicodedata.category, text)) and not any(map(is_open, text)):
        assert fold_case(text) == text.casefold()
        assert fold_name(text) == " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    kept = [c for c in text if is_open(c)]
    assert [c for c in fold_case(text) if is_open(c)] == kept


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.integers(0, 70_000))
def test_a_long_text_is_masked_as_its_parts_are(text: str, before: int) -> None:
    lead = "\u00fc" * before

    assert mask(lead + text) == lead + mask(text)


def test_a_small_letter_that_a_later_unicode_makes_none_stays_one() -> None:
    assert is_lower("\u0295")
    assert is_lower("a")
    assert not is_lower("A")


# ── a later Python ────────────────────────────────────────────────────────────────────────────
#
# Letters that this Python knows are declared open, as a letter of Unicode 16.0 is to a Python that
# knows 16.0. What comes out must be what truly open characters give, which no Python of 14.0 knows.

KNOWN = "\u13a0\uab70\u1c90\u10d0\ufb01\U00010400\U00010428\U0001d400\u0301"
"""Cherokee and Georgian in both cases, a ligature, Deseret, a mathematical letter, a mark."""
UNKNOWN = LATER + "\U00010d51\U00010d71"
TO_UNKNOWN = str.maketrans(KNOWN, UNKNOWN)

PIECES = [
    *KNOWN,
    "Harbor",
    "Tom ",
    "Project Alpha",
    "7 March",
    " ",
    ". ",
    "\n",
    "-",
    "'",
    "\u0436",
    "1",
]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.fixture(scope="module")
def later() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        inside = unicode_version._SUSPECT.pattern.removesuffix("]")
        patch.setattr(unicode_version, "_SUSPECT", re.compile(f"{inside}{KNOWN}]"))
        own = unicode_version.is_open
        patch.setattr(unicode_version, "is_open", lambda c: c in KNOWN or own(c))
        clear_caches()
        yield
    clear_caches()


def answers(text: str) -> list[object]:
    """Return what the parts of the analysis that write make of a text."""
    item = compose(f"{text}x", title=text, tags=[text], people=[Person(name=f"{text} x")])
    preparer = Preparer(identity=NO_EMBEDDER, embedder=None)
    [made] = preparer.prepare([item])
    return [
        made.chunks, made.item.language, *made.mentions, words(text),
        sentences(text), fold(text), fold_name(text), fold_case(text),
        find_ranges(text, now=NOW, timezone="UTC"), is_boilerplate(text), title_of(text),
        sorted(proper_words(text)),
    ]  # fmt: skip


def plain(answered: list[object]) -> list[str]:
    """Return answers as texts in which a known letter is the unknown one in its place."""
    pairs = {ascii(a)[1:-1]: ascii(b)[1:-1] for a, b in zip(KNOWN, UNKNOWN, strict=True)}
    known = re.compile("|".join(map(re.escape, pairs)))
    return sorted(known.sub(lambda found: pairs[found[0]], ascii(one)) for one in answered)


@pytest.mark.usefixtures("later")
@given(texts)
def test_a_python_that_knows_more_letters_answers_the_same(text: str) -> None:
    known, unknown = answers(text), answers(text.translate(TO_UNKNOWN))

    assert plain(known) == plain(unknown)


def test_no_term_holds_a_later_letter_and_every_one_told_by_its_place_stays() -> None:
    assert not any(c in "".join(analyse(f"a{LATER}b c{LATER}")) for c in LATER)
    assert analyse("\U0001fae8") == ["\U0001fae8"]
    assert "".join(words("\U0003134f")) == "\U0003134f"


# ── recorded in the space ─────────────────────────────────────────────────────────────────────


def test_a_space_keeps_later_letters_and_is_sound(tmp_path: Path) -> None:
    with Memory(tmp_path, settings=Settings(embedder="none"), clock=lambda: NOW) as memory:
        memory.add([compose(f"{text} harbor {n}", id=f"i{n}") for n, text in enumerate(LATER)])
        findings = memory.verify()
        hits = memory.search("harbor", limit=20).hits

    assert all(one.sound for one in findings)
    assert len(hits) == len(LATER)
