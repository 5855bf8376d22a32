"""What WhatsApp itself writes into a chat, in the languages of its users.

An iPhone marks most of it; Android writes it like the words of people. Must not know how a message
becomes an item.
"""

import re

from simonides_formats.chats.whatsapp_stamps import MARKS

OWN_MARK = "\u200e"
"""The mark with which an iPhone begins what the app itself wrote, and the names of files."""

_NOTICES = frozenset(
    line.strip()
    for line in """
    null
    this message was deleted
    you deleted this message
    missed voice call
    missed video call
    missed group voice call
    missed group video call
    waiting for this message. this may take a while
    diese nachricht wurde gelöscht
    du hast diese nachricht gelöscht
    verpasster sprachanruf
    verpasster videoanruf
    sprachanruf verpasst
    videoanruf verpasst
    se eliminó este mensaje
    este mensaje se eliminó
    este mensaje fue eliminado
    eliminaste este mensaje
    llamada perdida
    llamada de voz perdida
    videollamada perdida
    ce message a été supprimé
    ce message a été effacé
    vous avez supprimé ce message
    vous avez effacé ce message
    appel manqué
    appel vocal manqué
    appel vidéo manqué
    questo messaggio è stato eliminato
    hai eliminato questo messaggio
    chiamata persa
    chiamata vocale persa
    videochiamata persa
    dit bericht is verwijderd
    dit bericht werd verwijderd
    je hebt dit bericht verwijderd
    u hebt dit bericht verwijderd
    gemiste oproep
    gemiste spraakoproep
    gemiste video-oproep
    gemist spraakgesprek
    gemist videogesprek
    mensagem apagada
    esta mensagem foi apagada
    esta mensagem foi eliminada
    você apagou esta mensagem
    apagou esta mensagem
    eliminou esta mensagem
    chamada perdida
    chamada de voz perdida
    chamada de vídeo perdida
    ligação de voz perdida
    ligação de vídeo perdida
    """.split("\n")
)

_EDITED = re.compile(
    r"<(?:this message was edited|diese nachricht wurde bearbeitet|se editó este mensaje"
    r"|este mensaje (?:se editó|fue editado)|mensaje editado|ce message a été modifié"
    r"|questo messaggio è stato modificato|dit bericht (?:is|werd) bewerkt"
    r"|(?:esta )?mensagem (?:foi )?editada)\.?>$",
    re.IGNORECASE,
)
_MARKED_EDITED = re.compile(rf"{OWN_MARK}[{MARKS}]{{0,5}}<[^<>\n:]{{5,60}}>[{MARKS}\s]*$")
"""How an iPhone marks it in any language."""

_OMITTED = re.compile(
    rf"{OWN_MARK}[{MARKS}]{{0,5}}[^\n{MARKS}<>:]{{2,30}}\s(?:omitted|weggelassen|ausgelassen"
    r"|omitid[oa]|ocultad[oa]|absente?|manquante?|omise?|retirée?"
    rf"|omess[oa]|esclus[oa]|non inclus[oa]|weggelaten)[{MARKS}\s]*$",
    re.IGNORECASE,
)
"""`image omitted` behind the mark of the app."""

_DOING = re.compile(
    r"\s(?:added|removed|invited|changed|created(?: the)? group"
    r"|añadió|agregó|eliminó|cambió|creó|ha (?:añadido|eliminado|cambiado|creado)"
    r"|(?:a|avez) (?:ajouté|retiré|supprimé|modifié|changé|créé)"
    r"|(?:ha|hai) (?:aggiunto|rimosso|cambiato|modificato|creato)"
    r"|adicionou|removeu|mudou|alterou|criou)\s"
    r"|^(?:(?:añadiste|agregaste|eliminaste|cambiaste|creaste"
    r"|hai (?:aggiunto|rimosso|cambiato|modificato|creato))\s)",
    re.IGNORECASE,
)
"""What the app says of somebody, and a name or title with a colon may follow."""
_HAVING = re.compile(r"\s(?:hat|hast|heeft|hebt)\s", re.IGNORECASE)
_DONE = re.compile(
    r"\s(?:hinzugefügt|entfernt|geändert|erstellt|eingeladen"
    r"|toegevoegd|verwijderd|gewijzigd|gemaakt|aangemaakt|uitgenodigd)\W*$",
    re.IGNORECASE,
)
"""Its two parts where the name stands between them: `Jo hat Bob: der Bauer hinzugefügt`."""


def is_notice(text: str) -> bool:
    """Return whether the app says this: that a message was deleted, or a call missed."""
    return text.strip(f"{MARKS} \n").casefold().rstrip(".") in _NOTICES


def is_of_nobody(author: str, line: str) -> bool:
    """Return whether a line only looks like one with an author: `Jo added Bob: the builder`."""
    has_done = _HAVING.search(author) and _DONE.search(line)
    return bool(_DOING.search(author) or has_done)


def without_edit_mark(text: str) -> tuple[str, bool]:
    """Return a message without the mark that it was edited, and whether it has one."""
    marked = _MARKED_EDITED.search(text) or _EDITED.search(text.rstrip(f"{MARKS} \n"))
    return (text[: marked.start()], True) if marked else (text, False)


def without_omitted(line: str) -> str:
    """Return a line of an iPhone without its end that says that a file was not exported."""
    return _OMITTED.sub("", line, count=1)
