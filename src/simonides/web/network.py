"""The network of one entity as a drawing: it in the middle, what it is mentioned with around it."""

from dataclasses import dataclass
from math import cos, pi, sin

from simonides.model.entity import EntityDetails

WIDTH, HEIGHT = 760, 520
"""Of the drawing, in units of its own; it is shown as wide as the page lets it."""

NEAR = 10
"""So many stand on the inner ring, those of most common items; the rest on the outer one."""

NAME_CHARS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A related entity in the drawing: its place, its name cut short, and its line's width."""

    id: str
    name: str
    items: int
    x: int
    y: int
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The drawing: its size, its middle with the name there, and the nodes around it."""

    width: int
    height: int
    x: int
    y: int
    name: str
    nodes: tuple[Node, ...]


def network_of(details: EntityDetails) -> Network | None:
    """Return the drawing of an entity and those it is mentioned with; None without any."""
    related = details.related
    if not related:
        return None
    most = max(one.items for one in related)
    nodes = []
    for place, one in enumerate(related):
        ring, first, count = _ring(place, len(related))
        turn = 2 * pi * (place - first + ring / 2) / count - pi / 2
        nodes.append(
            Node(
                id=one.id, name=_short(one.name), items=one.items,
                x=round(WIDTH / 2 + cos(turn) * WIDTH * (0.25 + 0.17 * ring)),
                y=round(HEIGHT / 2 + sin(turn) * HEIGHT * (0.26 + 0.19 * ring)),
                width=round(1 + 5 * one.items / most, 1),
            )
        )  # fmt: skip
    shown = details.entity.names[0] if details.entity.names else details.entity.id
    return Network(
        width=WIDTH, height=HEIGHT, x=WIDTH // 2, y=HEIGHT // 2, name=_short(shown),
        nodes=tuple(nodes),
    )  # fmt: skip


def _ring(place: int, total: int) -> tuple[int, int, int]:
    """Return the ring of a place, the first place there, and how many stand on it."""
    return (0, 0, min(total, NEAR)) if place < NEAR else (1, NEAR, total - NEAR)


def _short(name: str) -> str:
    return name if len(name) <= NAME_CHARS else f"{name[: NAME_CHARS - 1].rstrip()}…"
