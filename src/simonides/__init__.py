"""Simonides: an embeddable memory and context engine for LLM assistants.

The public names, and nothing else: `Memory` keeps, finds and briefs; the records are what goes
in and comes out.
"""

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.errors import SimonidesError
from simonides.model.answer import Hit, Page, SearchResult
from simonides.model.brief import Brief
from simonides.model.filter import Filter, Viewer, parse_condition
from simonides.model.item import Item, Kind, MemoryTraits, Person, Role
from simonides.model.merging import Remembered
from simonides.model.proposal import Proposal, ProposedMemory
from simonides.version import __version__

__all__ = [
    "Brief",
    "Filter",
    "Hit",
    "Item",
    "Kind",
    "Memory",
    "MemoryTraits",
    "Page",
    "Person",
    "Proposal",
    "ProposedMemory",
    "Remembered",
    "Role",
    "SearchResult",
    "Settings",
    "SimonidesError",
    "Viewer",
    "__version__",
    "parse_condition",
]
