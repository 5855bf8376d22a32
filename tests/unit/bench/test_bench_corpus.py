import pytest

from simonides_bench.corpus import (
    WORDS_MIN,
    WORDS_TARGET,
    Passage,
    docstrings,
    documents,
    passages,
    prose,
)


@pytest.fixture(scope="module")
def found() -> list[Passage]:
    """Return the first passages of this Python's documentation."""
    return passages(passages_max=60)


def test_passages_are_as_long_as_chunks(found: list[Passage]) -> None:
    lengths = [len(passage.text.split()) for passage in found]

    assert len(found) == 60
    assert all(WORDS_MIN <= length <= WORDS_TARGET for length in lengths)
    assert sum(lengths) / len(lengths) > 75


def test_no_sentence_is_said_twice(found: list[Passage]) -> None:
    said = [sentence for passage in found for sentence in passage.sentences]

    assert len(said) == len(set(said))


def test_the_corpus_is_the_same_each_time(found: list[Passage]) -> None:
    assert passages(passages_max=60) == found


def test_words_are_many_and_real(found: list[Passage]) -> None:
    words = {word for passage in found for word in passage.text.lower().split()}

    assert len(words) > 800
    assert {"the", "is", "of", "which"} <= words


def test_prose_leaves_code_tables_and_fragments_out() -> None:
    text = """\
    The statement is used to wrap the execution
    of a block.  It was added long ago to the language.

       with_stmt ::= "with" item ("," item)* ":" suite

       >>> value = enter(manager)

    not a sentence

    Short one.
    """

    assert list(prose(text)) == [
        "The statement is used to wrap the execution of a block.",
        "It was added long ago to the language.",
    ]


def test_marks_around_words_are_taken_off() -> None:
    text = "The *name* of the ``file`` is given by :attr:`path` in this case."

    assert list(prose(text)) == ["The name of the file is given by path in this case."]


def test_docstrings_are_read_without_running_the_module() -> None:
    source = (
        '"""Of the module."""\nraise SystemExit\n'
        'class A:\n    """Of the class."""\n    async def b(self):\n        """Of the method."""\n'
        'c = """Not one."""\n'
    )

    assert docstrings(source) == ["Of the module.", "Of the class.", "Of the method."]


@pytest.mark.parametrize("source", ["def (:", "a\0b", ""])
def test_what_is_no_python_has_no_docstrings(source: str) -> None:
    assert docstrings(source) == []


def test_tests_and_installed_packages_are_not_read() -> None:
    names = []
    for name, _ in documents():
        names.append(name)
        if len(names) == 120:
            break

    assert not [name for name in names if "test" in name.split("/")[:-1]]
    assert not [name for name in names if "site-packages" in name]
