from collections import Counter
from itertools import islice

from simonides.model.item import Kind, Role
from simonides_bench.corpus import Passage
from simonides_bench.writing import SHELVES, WORDS_MAX, Writer, Written, questions


def some(corpus: list[Passage], count: int, *, seed: int = 0) -> list[Written]:
    return list(islice(Writer(corpus, seed=seed).items(), count))


def test_two_writers_of_one_seed_write_the_same_and_others_do_not(corpus: list[Passage]) -> None:
    assert some(corpus, 50) == some(corpus, 50)
    assert some(corpus, 50) != some(corpus, 50, seed=1)


def test_the_mix_of_kinds_is_that_which_is_promised(corpus: list[Passage]) -> None:
    kinds = Counter(one.item.kind for one in some(corpus, 2000))

    assert 0.55 < kinds[Kind.MESSAGE] / 2000 < 0.65
    assert 0.20 < kinds[Kind.EMAIL] / 2000 < 0.30
    assert 0.10 < kinds[Kind.DOCUMENT] / 2000 < 0.20


def test_every_item_has_its_own_id(corpus: list[Passage]) -> None:
    assert len({one.item.id for one in some(corpus, 500)}) == 500


def test_runs_hold_all_words_and_say_where_they_come_from(corpus: list[Passage]) -> None:
    for one in some(corpus, 100):
        content = one.item.content
        parts = [content[run.start : run.stop] for run in one.runs]

        assert " ".join(parts).split() == content.split()
        for run, part in zip(one.runs, parts, strict=True):
            assert part in corpus[run.passage].text


def test_the_corpus_is_used_up_as_it_is_before_it_is_mixed(corpus: list[Passage]) -> None:
    runs = [run for one in some(corpus, 20) for run in one.runs][: len(corpus)]

    assert sorted(run.passage for run in runs) == list(range(len(corpus)))


def test_a_mixed_passage_is_no_longer_than_a_real_one(corpus: list[Passage]) -> None:
    messages = [one.item for one in some(corpus, 300) if one.item.kind is Kind.MESSAGE]

    assert max(len(item.content.split()) for item in messages) <= WORDS_MAX


def test_a_document_has_several_paragraphs(corpus: list[Passage]) -> None:
    documents = [one.item for one in some(corpus, 200) if one.item.kind is Kind.DOCUMENT]

    assert {len(item.content.split("\n\n")) for item in documents} <= set(range(3, 9))
    assert all(item.title for item in documents)


def test_messages_of_a_chat_are_counted_and_mails_have_two_people(corpus: list[Passage]) -> None:
    items = [one.item for one in some(corpus, 200)]
    chats = [item for item in items if item.kind is Kind.MESSAGE]
    mails = [item for item in items if item.kind is Kind.EMAIL]

    assert [item.position for item in chats[:25]] == [*range(20), *range(5)]
    assert len({item.session for item in chats[:20]}) == 1
    assert {tuple(p.role for p in item.people) for item in mails} == {(Role.AUTHOR, Role.TO)}


def test_times_rise_and_shelves_repeat(corpus: list[Passage]) -> None:
    items = [one.item for one in some(corpus, SHELVES + 1)]
    times = [item.happened_at for item in items if item.happened_at]

    assert times == sorted(times)
    assert len(times) == len(items)
    assert items[0].metadata == items[SHELVES].metadata


def test_questions_are_different_and_always_the_same(corpus: list[Passage]) -> None:
    asked = questions(corpus, count=60)

    assert len(set(asked)) == 60
    assert asked == questions(corpus, count=60)
    assert asked != questions(corpus, count=60, seed=1)
