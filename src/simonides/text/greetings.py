"""Words that greet, thank or agree, in the languages whose time words are read.

A message of nothing else asks nothing, whatever memory holds.
"""

from collections.abc import Iterable

_WORDS = """
hello hi hey hiya howdy yo morning afternoon evening night good bye goodbye cheers ciao
thanks thank you thx ty ok okay yes no yep nope sure great nice cool perfect lol please welcome
there everyone all again so much very
hallo moin servus guten gute tag morgen abend nacht tschüss danke vielen dank bitte ja nein gut
bonjour bonsoir salut coucou merci beaucoup oui non bien au revoir
hola buenos buenas días dias tardes noches gracias muchas sí si vale adiós adios
olá ola oi bom boa dia tarde noite obrigado obrigada sim não nao tchau
buongiorno buonasera salve grazie mille sì va bene prego arrivederci
"""
GREETINGS = frozenset(_WORDS.split())


def asks_nothing(words: Iterable[str]) -> bool:
    """Return whether folded words say nothing but a greeting, thanks or agreement."""
    return GREETINGS.issuperset(words)
