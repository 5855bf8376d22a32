"""Which mails a question asks for by their answers, in eleven languages, and what asks for none."""

import pytest

from simonides import ReplyState
from simonides.text.reply_states import read_asked_replies, requests_reply

OWED = (
    "unanswered mails", "Which mails are still unanswered?",
    "Which mails haven't I answered yet?", "whom have I not replied to",
    "do I owe anyone a reply?", "what do I still need to reply to",
    "who is waiting for an answer from me?", "which mails need a reply",
    "Did I forget to answer anything?", "unbeantwortete Mails",
    "Wem habe ich noch nicht geantwortet?", "Welche Mails warten auf meine Antwort?",
    "quels messages sont restés sans réponse ?", "À qui n'ai-je pas encore répondu ?",
    "¿Qué correos no he respondido?", "A chi non ho ancora risposto?",
    "A quem ainda não respondi?", "welke mails heb ik nog niet beantwoord",
    "まだ返信していないメール", "我还没回复哪些邮件",
    "Na które maile jeszcze nie odpisałam?", "komu jeszcze nie odpowiedzialem",
    "Какие письма ждут моего ответа?", "кому я еще не ответил",
)  # fmt: skip
"""What the owner has not answered."""
AWAITED = (
    "Who hasn't replied to me?", "who has not answered yet", "who hasn't got back to me?",
    "Who owes me a reply?",
    "which of my mails were never answered", "am I still waiting for an answer from anyone?",
    "mails I sent that nobody answered", "Wer hat mir noch nicht geantwortet?",
    "Auf welche Antwort warte ich noch auf eine Antwort?", "Qui ne m'a pas encore répondu ?",
    "¿Quién no me ha contestado?", "Chi non mi ha ancora risposto?",
    "Quem ainda não me respondeu?", "wie heeft me nog niet geantwoord",
    "誰から返事が来ていない", "谁还没回复我",
    "Kto mi jeszcze nie odpisał?", "Kto mi nie odpowiedział", "от кого я ещё жду ответа",
    "Кто мне так и не ответил?",
)  # fmt: skip
"""What others have not answered."""


@pytest.mark.parametrize(
    ("text", "state"),
    [(one, ReplyState.OWED) for one in OWED] + [(one, ReplyState.AWAITED) for one in AWAITED],
)
def test_whose_answers_are_asked_for(text: str, state: ReplyState) -> None:
    assert read_asked_replies(text).state is state


@pytest.mark.parametrize(
    "text",
    [
        "what did Tom answer me?", "did Sarah reply?", "Have I answered Tom's mail?",
        "which questions stayed unanswered in the minutes?", "what do I need to do",
        "was hat Tom geantwortet", "what haven't I got back yet?", "the answer to my mail",
        "mails from Sarah",
    ],
)  # fmt: skip
def test_what_asks_for_no_such_mails(text: str) -> None:
    assert read_asked_replies(text) == (ReplyState.ANY, ())


@pytest.mark.parametrize(
    "text",
    [
        "Shall we say seven?", "Please send the keys.", "Let me know when you are back",
        "Gib mir bitte kurz Bescheid", "Merci de confirmer", "Laat het me weten",
        "ご連絡お願いします", "いつですか\uff1f", "请确认", "Daj znać do piątku", "Дайте знать",
    ],
)  # fmt: skip
def test_a_text_that_wants_an_answer(text: str) -> None:
    assert requests_reply(text)


@pytest.mark.parametrize("text", ["It was lovely.", "See https://shop.example/?page=2 there."])
def test_a_text_that_wants_none(text: str) -> None:
    assert not requests_reply(text)
