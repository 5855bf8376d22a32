"""How the importance of memories fades."""

from dataclasses import dataclass

from simonides.model.bounds import HALF_LIFE_HOURS, SHARE

IMPORTANCE_FLOOR = 0.05
"""Nothing kept fades below this, unless set otherwise (the designs')."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayConfig:
    """How importance fades: the half-life of what states none (None: no decay), and the floor.

    Raises:
        InvalidInput: The half-life is negative, or the floor outside [0, 1].
    """

    default_half_life_hours: float | None = None
    floor: float = IMPORTANCE_FLOOR

    def __post_init__(self) -> None:
        SHARE.check(self.floor, field="floor")
        if self.default_half_life_hours is not None:
            HALF_LIFE_HOURS.check(self.default_half_life_hours, field="default_half_life_hours")
