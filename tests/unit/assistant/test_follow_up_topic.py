"""Follow-ups of follow-ups lean on the question that the first one leaned on."""

from simonides.assistant.follow_up import TurnBefore, understand

FIRST = "when is the client review?"


def test_a_second_follow_up_does_not_nest() -> None:
    first = understand("And when?", TurnBefore(question=FIRST))
    second = understand("And who comes?", TurnBefore(question=first.topic))

    assert (first.question, first.topic) == (f"And when? ({FIRST})", FIRST)
    assert second.question == f"And who comes? ({FIRST})"


def test_a_message_that_says_all_by_itself_leans_on_nothing() -> None:
    assert understand("Who pays for the crane at the pier?", TurnBefore(question=FIRST)).topic == ""
