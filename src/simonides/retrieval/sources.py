"""Which sources and kinds a word of a question points to.

The seed's table, at word boundaries, and the plain words of five other languages. Knows words.
"""

from simonides.model.item import Kind

Pointed = tuple[tuple[str, ...], tuple[Kind, ...]]

_MAIL = """
    email emails e-mail e-mails mail mails inbox emailed e-mailed mailed
    courriel courriels correo correos posta
"""
_DOCUMENT = """
    document documents doc docs file files dokument dokumente datei dateien documento documentos
    documenti fichier fichiers archivo archivos arquivo arquivos
"""
_ATTACHED = "pdf pdfs attachment attachments anhang anhänge adjunto adjuntos anexo anexos allegato"
_TASK = """
    task tasks ticket tickets issue issues jira todo todos to-do aufgabe aufgaben tâche tâches
    tarea tareas tarefa tarefas compito compiti
"""
_EVENT = """
    meeting meetings calendar event events appointment appointments termin termine kalender
    besprechung besprechungen rendez-vous réunion réunions calendrier cita citas reunión reuniones
    calendario reunião reuniões compromisso riunione riunioni appuntamento appuntamenti
"""

SOURCES_OF_WORD: dict[str, Pointed] = {
    word: (sources, kinds)
    for text, sources, kinds in (
        (_MAIL, ("gmail", "outlook", "mail"), (Kind.EMAIL,)),
        (_DOCUMENT, ("gdrive", "onedrive", "file"), (Kind.DOCUMENT,)),
        (_ATTACHED, ("attachment",), ()),
        (_TASK, ("jira",), (Kind.TASK,)),
        (_EVENT, ("calendar",), (Kind.EVENT,)),
        ("chat chats", ("chat",), ()),
    )
    for word in text.split()
}
"""The sources and kinds of each word, folded."""
