"""What is known of a space that is answered in its store, between two of its revisions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from simonides.index.partial_view import Outline, frame_of
from simonides.ports.lanes import SpaceCounts
from simonides.ports.space import MentionRow


@dataclass(slots=True)
class CountedLanes:
    """Lanes that note what they are asked."""

    revision: int
    asked: list[str] = field(default_factory=list)

    def counts(self) -> SpaceCounts:
        self.asked.append("counts")
        return SpaceCounts(
            chunks=5 + self.revision, length_total=9, vectors=2, vector_total=[1, 2], waiting=3,
            items={("note", "note", "en"): 4, ("email", "mail", ""): 1},
        )  # fmt: skip

    def names_of(self, entity: str) -> Sequence[str]:
        self.asked.append(entity)
        return ["Ana Lima"] if entity == "person:~ana lima" else []


@dataclass(slots=True)
class Revision:
    """A reader that knows its revision and who was mentioned."""

    revision: int
    epoch: int = 1
    floor: int = 0

    def mention_rows(self, since: int) -> Iterator[MentionRow]:
        assert since < self.revision
        yield MentionRow(1, "person:~ana lima", "person", "Ana Lima", "author")


def test_what_holds_for_a_whole_space_is_asked_for_once_a_revision() -> None:
    outline = Outline()
    lanes = {revision: CountedLanes(revision) for revision in (1, 2)}

    for revision, question in ((1, "ana"), (1, "ana"), (2, "ana")):
        reader = Revision(revision)
        frame = frame_of(reader, lanes[revision], outline, dimension=2)  # type: ignore[arg-type]

        assert frame is not None
        assert frame.names.find_named([question], proper={question}).keys() == {"person:~ana lima"}
        assert (frame.revision, frame.chunks_alive) == (revision, 5 + revision)
        assert (frame.waiting_count, frame.is_mixed, frame.languages) == (3, True, ("en",))
        assert np.array_equal(frame.vector_total, [1, 2])

    assert lanes[1].asked == lanes[2].asked == ["counts", "person:~ana lima"]


@pytest.mark.parametrize("state", [{"revision": 2}, {"revision": 1, "epoch": 2}])
def test_what_was_counted_at_another_state_is_counted_anew(state: dict[str, int]) -> None:
    outline, lanes = Outline(), CountedLanes(1)
    for reader in (Revision(1), Revision(**state), Revision(**state)):
        frame_of(reader, lanes, outline, dimension=2)  # type: ignore[arg-type]

    assert lanes.asked == ["counts", "counts"]
