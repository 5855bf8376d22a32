"""Words by which a text says that something is otherwise than it was.

"moved to 8 May", "no longer", "instead", "verschoben", "reporté": a later text with one of them
replaces what an earlier one said, where one without may only add to it. English, German, French,
Spanish, Portuguese and Italian. Knows words; must not know what is kept.
"""

import re
from functools import cache

from simonides.text.unicode_version import masked
from simonides.text.word_patterns import alternatives, lazy_pattern

_CHANGED = """
    change_of_plans? (?:has|have)_changed changed (?:was|is|were|been|be|are|'s)_moved
    mov(?:ed|es|ing)_(?:from|to|it|back|up|forward) postponed rescheduled (?:put|pushed)_back
    brought_forward no_longer not_any_?more instead replac(?:es|ed) supersedes? cancell?ed
    called_off updated? revised corrected correction new_(?:date|time|price|address|deadline|plan)
    now_(?:due|on|at|in|it|we|they|the|his|her|my|our|costs|takes|lives|works|uses|has|is)
    verschoben verlegt vorgezogen geändert statt(?:dessen)? nicht_mehr abgesagt korrigiert
    neue[rs]?_(?:termin|datum|preis|adresse|frist) (?:ist|sind|jetzt)_nun jetzt_(?:am|um|im|bei)
    reporté(?:e|es|s)? déplacée?s? avancée?s? modifiée?s? au_lieu annulée?s? ne_plus désormais
    nouve(?:lle|au)_(?:date|prix|adresse|horaire)
    aplazad[oa]s? pospuest[oa]s? cambi(?:ado|ada|ó|amos) en_lugar cancelad[oa]s? ya_no
    nuev[oa]_(?:fecha|precio|hora|dirección)
    adiad[oa]s? mudou mudad[oa]s? em_vez cancelou já_não nov[oa]_(?:data|preço|hora|morada)
    rimandat[oaie] spostat[oaie] rinviat[oaie] cambiat[oaie] invece annullat[oaie] non_più
    nuov[oa]_(?:data|prezzo|ora|indirizzo)
"""


@cache
def _pattern() -> re.Pattern[str]:
    return lazy_pattern(rf"\b(?<!-)(?:{alternatives(_CHANGED)})(?![\w-])", re.IGNORECASE)


def says_changed(text: str) -> bool:
    """Return whether a text says that something is otherwise than it was."""
    return _pattern().search(masked(text).replace("\u2019", "'")) is not None
