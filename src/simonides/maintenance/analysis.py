"""Whether a space's rows were derived as this engine derives them.

Terms, chunks and mentions follow from the items, by the analysis of the engine that wrote them. A
space records which that was; another one is no damage. Must not know how anything is derived.
"""

from collections.abc import Iterator

from simonides.model.answer import Finding
from simonides.model.stored import Analysis
from simonides.ports.space import Space

OWN = Analysis()
"""That of this engine."""


def analysis_findings(space: Space) -> Iterator[Finding]:
    """Yield what is to be said where a space records another analysis than this engine's.

    An older one is sound: what it found is found; a later one is not, because this engine cannot
    tell what it would find.
    """
    theirs = space.analysis
    if theirs == OWN:
        return
    told = f"rows were derived by {theirs}, this engine's is {OWN}"
    if (theirs.version, _numbers(theirs.unicode)) > (OWN.version, _numbers(OWN.unicode)):
        detail = f"{told}; use the later simonides that made the space"
        yield Finding(check="analysis", sound=False, detail=detail)
    else:
        detail = f"{told}; `simonides repair` derives them anew"
        yield Finding(check="analysis", sound=True, detail=detail)


def cause_of_difference(space: Space) -> str:
    """Return why rows may differ from what this engine derives; empty where that is damage."""
    if space.analysis == OWN:
        return ""
    return f"derived by {space.analysis}, no damage (this engine's is {OWN}): "


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
