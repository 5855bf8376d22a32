"""Words of a question that ask how things stand now, or how they ended.

"these days", "in the end", "aktuell", "finalement": what was said before and is said anew later is
not what such a question is after. English, German, French, Spanish, Portuguese and Italian, each in
its plainest forms. Knows words; must not know what is kept.
"""

import re

from simonides.text.unicode_version import masked
from simonides.text.word_patterns import alternatives, lazy_pattern

_PRESENT = alternatives("""
    now nowadays currently current presently at_present today these_days still any_more anymore
    any_longer no_longer so_far to_date up_to_date as_things_stand
    where_do(?:es)?_(?:i|we|you|it|that|they|things)_stand
    jetzt nun heute heutzutage aktuell(?:e[rmns]?)? derzeit(?:ige[rmns]?)? momentan noch nicht_mehr
    bisher inzwischen mittlerweile
    maintenant actuel(?:le)?s? actuellement aujourd'hui encore toujours désormais à_présent
    en_ce_moment
    ahora actual(?:es|mente)? hoy_en_día todavía aún ya_no hasta_ahora por_ahora
    agora atual(?:mente)? atuais hoje_em_dia ainda já_não até_agora
    adesso ora attual[ei] attualmente oggi ancora non_più finora
""")

_OUTCOME = alternatives("""
    end(?:ed|s|ing)?_up in_the_end at_the_end eventually final(?:ly|e)? ultimately after_all
    what_became_of settled?(?:_on)? agreed decided
    schließlich endgültig(?:e[rmns]?)? am_ende letztlich letztendlich geeinigt entschieden
    beschlossen
    finalement final(?:e|es)? en_fin_de_compte au_final définitif définitive décidé convenu
    finalmente al_final en_definitiva definitiv[oa]s? decidi(?:do|mos|eron|ó)
    acord(?:ado|amos|aron)
    no_final afinal no_fim combinado combinámos decidiu
    alla_fine infine in_definitiva definitiv[oaie] deciso concordato
""")

_CURRENT = lazy_pattern(rf"\b(?<!-)(?:{_PRESENT}|{_OUTCOME})(?![\w-])", re.IGNORECASE)


def asks_for_current(text: str) -> bool:
    """Return whether a question asks how things stand now, or what came of them in the end."""
    return _CURRENT.search(masked(text).replace("\u2019", "'")) is not None
