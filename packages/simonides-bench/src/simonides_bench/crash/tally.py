"""What came of a number of trials."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from simonides_bench.crash.judge import Fault, Wrong

EXAMPLES_MAX = 10


@dataclass(slots=True)
class Tally:
    """How many trials there were, in how many each thing was wrong, and the first few examples."""

    trials: int = 0
    wrong: Counter[Wrong] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def note(self, where: str, faults: Iterable[Fault]) -> None:
        """Count one trial: each kind of fault once, however often it was seen."""
        seen = list(faults)
        self.trials += 1
        self.wrong.update({fault.wrong for fault in seen})
        room = EXAMPLES_MAX - len(self.examples)
        self.examples += [f"{where}: {one.wrong}: {one.seen}" for one in seen[:1]][:room]
