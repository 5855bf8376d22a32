"""Whom the names in a question mean, in which role, and why.

A single word of a longer name means a person whom it may well be called by, not an office or a
newsletter that has the word in its title. Two of one name are distinguished by what else is said.
Knows names and addresses; must not look at items.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from simonides.entities.directory import OWNER_NAMES, Names, Words, name_words, organisation_of
from simonides.entities.extract import fold_address, fold_name
from simonides.model.item import Role
from simonides.model.stored import EntityKind
from simonides.text.accents import with_digraphs, without_accents
from simonides.text.analyse import words
from simonides.text.questions import find_honoured, role_of_name
from simonides.text.stopwords import stop_words
from simonides.text.unicode_script import UNSPACED_CHAR
from simonides.text.vocabulary import UNSPACED, word_set

_PERSON = f"{EntityKind.PERSON}:"
NAMED = f"{_PERSON}~"
"""How the ids of people without an address begin."""

_LABEL_CHARS_MIN = 4
"""A shorter word is no sign of an organisation's domain."""

_INSIDE = frozenset(
    "colleague colleagues coworker teammate team manage office kollege kollegin".split()
)
_OUTSIDE = frozenset(
    "customer customers client clients supplier vendor contractor kunde kundin cliente".split()
)


def owner_entities(owner: tuple[str, ...], names: Names) -> tuple[str, ...]:
    """Return the people who are called as the owner of this memory is."""
    meant = {entity for name in (*OWNER_NAMES, *owner) for entity in names.matching(name)}
    return tuple(sorted(e for e in meant if e.startswith(_PERSON)))


def owner_authors(owner: tuple[str, ...], names: Names) -> tuple[str, ...]:
    """Return the people whose words are the owner's.

    Anyone can write under any name: somebody with an address is the owner by the address alone, or
    by a name of theirs where none of their addresses is known.
    """
    called = (*OWNER_NAMES, *owner)
    proven = {same for name in called for same in names.same_as(_owner_id(name))}
    if not any("@" in name for name in owner):
        proven |= {entity for name in owner for entity in names.matching(name)}
    found = owner_entities(owner, names)
    return tuple(one for one in found if one.startswith(NAMED) or one in proven)


def _owner_id(name: str) -> str:
    """Return the id of the person with this address, or of the one without who has this name."""
    return f"{_PERSON}{fold_address(name)}" if "@" in name else f"{NAMED}{fold_name(name)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The people whom a question names, the role that it asks for, and the reasons."""

    people: tuple[str, ...] = ()
    role: Role | None = None
    reasons: tuple[str, ...] = ()


def people_named(
    found: dict[str, Words],
    spoken: Sequence[str],
    *,
    names: Names,
    owner: tuple[str, ...],
    language: str,
) -> Named:
    """Return the people among what `Names.find_named` found in the words of a question."""
    by_run: dict[Words, list[str]] = {}
    for entity, run in sorted(found.items()):
        may = _may_be_called(entity, run, names) or Role.AUTHOR in _roles(run, spoken, language)
        if entity.startswith(_PERSON) and may:
            by_run.setdefault(run, []).append(entity)
    people: list[str] = []
    reasons: list[str] = []
    for run, entities in by_run.items():
        kept, reason = _tell_apart(entities, run, spoken, names=names, owner=owner)
        people += kept
        reasons += [reason] if reason else []
    roles = (role for run in by_run for role in _roles(run, spoken, language)) if people else ()
    return Named(people=tuple(sorted(people)), role=next(iter(roles), None), reasons=tuple(reasons))


NICKNAME_CHARS_MIN = 3
"""A shorter beginning of a name is none that anybody is called by. Our own choice."""


def find_nicknames(spoken: Sequence[str], *, names: Names, language: str) -> dict[str, Words]:
    """Return by person the beginning of their given name that a question calls them by.

    "Dan" for Daniel, where it stands as a name does: "from Dan", "what did Dan say", in a
    question of a language, whose stop words are none.
    """
    return {
        one: (word,)
        for word in _stand_as_names(spoken, language)
        for one, given in names.with_given_name(word).items()
        if _may_be_called(one, (given,), names)
    }


def _stand_as_names(spoken: Sequence[str], language: str) -> list[str]:
    said, articles = ("", *spoken), _ARTICLES if language == "en" else ()
    return [
        word
        for at, word in enumerate(said)
        if len(word) >= NICKNAME_CHARS_MIN and word not in stop_words(language)
        if role_of_name(said, at, at + 1, language=language) and said[at - 1] not in articles
    ]


_ARTICLES = ("a", "an")
"""What says "to" in other languages, and nothing before a name in English."""


def find_surnames(text: str, *, names: Names) -> dict[str, Words]:
    """Return by person how a question calls them by a surname of one character: "林さん"."""
    return {
        one: tuple(words(said))
        for surname, said in find_honoured(text)
        for one in (*names.with_given_name(surname), *names.matching(surname))
        if one.startswith(_PERSON) and _is_unspaced_name(one, names)
    }


SENDERS_MAX = 5
"""An organisation of more senders is no one sender. Our own choice."""


def find_organisations(
    spoken: Sequence[str],
    *,
    names: Names,
    owner: Iterable[str],
    proper: Container[str],
    language: str,
) -> dict[str, Words]:
    """Return by person the name of the organisation whose sender a question calls by it.

    "Airbnb" for noreply@airbnb.com, where it is written as a name (`proper`) or stands as one does.
    Not the owner's own organisation, nor a provider of mail.
    """
    written = [word for word in spoken if word in proper and word not in stop_words(language)]
    own = {f"{_PERSON}{fold_address(one)}" for one in owner}
    found: dict[str, Words] = {}
    for word in (*written, *_stand_as_names(spoken, language)):
        if len(word) < _LABEL_CHARS_MIN or word in MAIL_PROVIDERS:
            continue
        senders = names.senders_at(word)
        if len(senders) <= SENDERS_MAX and own.isdisjoint(senders):
            found |= dict.fromkeys(senders, (word,))
    return found


MAIL_PROVIDERS = frozenset(
    """
    aol fastmail free freenet gmail gmx googlemail hotmail icloud laposte libero live mac mail
    mailbox me msn naver orange outlook posteo proton protonmail qq t-online telekom tuta tutanota
    virgilio wanadoo web yahoo yandex
    """.split()
)
"""Domains whose name says nothing of who writes from there, but that it is a person."""


def namesakes(people: Sequence[str], spoken: Sequence[str], *, names: Names) -> tuple[str, ...]:
    """Return those whom the same words name as these people, but who are not meant."""
    found = names.find_named(spoken, proper=spoken)
    runs = {found[one] for one in people if one in found}
    return tuple(
        sorted(
            one
            for one, run in found.items()
            if run in runs and one.startswith(_PERSON) and one not in people
            if _may_be_called(one, run, names) and run not in _wholes(one, run, names)
        )
    )


def words_apart(others: Iterable[str], people: Iterable[str], *, names: Names) -> frozenset[str]:
    """Return the words of the names of others that none of the people has in theirs: surnames."""
    return words_called(others, names=names) - words_called(people, names=names)


def words_called(people: Iterable[str], *, names: Names) -> frozenset[str]:
    """Return the words of the names of people, initials left out."""
    called = (name for one in people for name in names.directory.names_of(one))
    return frozenset(word for name in called for word in name_words(name) if len(word) > 1)


def _may_be_called(entity: str, run: Words, names: Names) -> bool:
    """Return whether a person is meant by these words of a question.

    A whole name does, and an address. In a script without spaces the beginning and the end of a
    person's name do (佐藤 and 大輔 of 佐藤大輔), in other letters than Latin any word of a short
    name. One word of a longer name does where the address looks like a person's: where it is at a
    provider of mail, or its part before the @ holds a word of the name, begins with its initial or
    is the beginning of the first name. In that of an office (`bookings@`, `no-reply@`) it does not,
    unless it is the domain's own name.
    """
    wholes = _wholes(entity, run, names)
    local, at, domain = entity.removeprefix(_PERSON).partition("@")
    if not at or run in wholes or not wholes or () in wholes:
        return True
    if run[0] in domain.split(".") or organisation_of(entity) in MAIL_PROVIDERS:
        return True
    if UNSPACED_CHAR.match(run[0]):
        is_part = any(run[0] in (whole[0], whole[-1]) for whole in wholes)
        return is_part and _is_unspaced_name(entity, names)
    return any(_is_personal(local, whole) or _is_of_other_letters(whole) for whole in wholes)


_NAME_WORDS_MAX = 3
"""A longer name in other letters than Latin is an office's: given name, patronymic, surname."""


def _is_of_other_letters(whole: Words) -> bool:
    """Return whether a short name is in letters that its address can not be compared with."""
    return len(whole) <= _NAME_WORDS_MAX and not without_accents("".join(whole)).isascii()


_NAME_CHARS_MAX = 5
"""A longer name in a script without spaces is an office's: 佐々木健太 has five characters."""


def _is_unspaced_name(entity: str, names: Names) -> bool:
    """Return whether a name in a script without spaces may be a person's: short, and no office's.

    Addresses do not tell, which are in Latin letters.
    """
    offices = tuple(word_set("offices", languages=UNSPACED))
    called = ("".join(name.split()) for name in names.directory.names_of(entity))
    return any(len(name) <= _NAME_CHARS_MAX and not name.endswith(offices) for name in called)


def _wholes(entity: str, run: Words, names: Names) -> list[Words]:
    known = names.directory.entities_named(run)
    return sorted(whole for named, whole in known if named == entity)


def _is_personal(local: str, whole: Words) -> bool:
    """Return whether the part of an address before the @ is made of a person's name.

    With or without accents, which addresses seldom have: lea@ for Léa, joerg@ for Jörg.
    """
    spelled = {tuple(map(spell, whole)) for spell in (str, without_accents, with_digraphs)}
    return any(_is_made_of("".join(words(local)), one) for one in spelled)


def _is_made_of(plain: str, whole: Words) -> bool:
    """Return whether an address begins as a name does, or holds a word of it."""
    initials = "".join(word[0] for word in whole)
    if len(plain) >= NICKNAME_CHARS_MIN and whole[0].startswith(plain):  # dan@ is Daniel's
        return True
    return plain.startswith(initials) or any(len(word) > 1 and word in plain for word in whole)


def _tell_apart(
    entities: list[str], run: Words, spoken: Sequence[str], *, names: Names, owner: tuple[str, ...]
) -> tuple[list[str], str]:
    """Return those of one name who are meant by what else is said, and the reason."""
    addressed = [one for one in entities if "@" in one]
    if len(addressed) < 2:  # noqa: PLR2004  one needs no telling apart
        return entities, ""
    called = " ".join(run)
    others = [word for word in spoken if word not in run]
    for chosen, why in (
        _by_domain(addressed, others),
        _by_initial(addressed, run, spoken, names),
        _by_side(addressed, others, owner),
    ):
        if chosen and len(chosen) < len(addressed):
            kept = [*chosen, *_same_by_name(entities, chosen, names)]
            return kept, f"{called}: {', '.join(map(_show, chosen))} ({why})"
    return entities, f"{called}: {', '.join(map(_show, addressed))} (nothing tells them apart)"


def _by_domain(people: Iterable[str], others: Sequence[str]) -> tuple[list[str], str]:
    """Return those whose address is at an organisation that the question names."""
    said = [word for word in others if len(word) >= _LABEL_CHARS_MIN]
    for word in said:
        chosen = [one for one in people if _domain_begins(one, word)]
        if chosen:
            return chosen, f"“{word}” is in the address"
    return [], ""


def _domain_begins(person: str, word: str) -> bool:
    return any(label.startswith(word) for label in person.partition("@")[2].split(".")[:-1])


def _by_initial(
    people: Iterable[str], run: Words, spoken: Sequence[str], names: Names
) -> tuple[list[str], str]:
    """Return those whose surname begins with the letter that follows the name: Priya N."""
    size = len(run)
    after = [
        spoken[at + size]
        for at in range(len(spoken) - size)
        if tuple(spoken[at : at + size]) == run and len(spoken[at + size]) == 1
    ]
    for letter in after:
        chosen = [
            one
            for one in people
            if any(
                word.startswith(letter) for whole in _wholes(one, run, names) for word in whole[1:]
            )
        ]
        if chosen:
            return chosen, f"“{letter}” begins the surname"
    return [], ""


def _by_side(
    people: Iterable[str], others: Sequence[str], owner: tuple[str, ...]
) -> tuple[list[str], str]:
    """Return colleagues, who share a domain of the owner's, or those who do not."""
    domains = {one.partition("@")[2] for one in owner if "@" in one}
    for at, word in enumerate(others):
        is_inside, is_outside = word in _INSIDE, word in _OUTSIDE
        if not domains or not (is_inside or is_outside):
            continue
        denied = bool({"not", "no", "nicht", "pas"} & set(others[max(0, at - 3) : at]))
        wanted = is_inside != denied
        chosen = [one for one in people if (one.partition("@")[2] in domains) == wanted]
        return chosen, f"“{word}”"
    return [], ""


def _same_by_name(entities: Iterable[str], chosen: Iterable[str], names: Names) -> list[str]:
    """Return those without an address whose name one of the chosen has."""
    held = {name_words(name) for one in chosen for name in names.directory.names_of(one)}
    return [
        one
        for one in entities
        if "@" not in one and name_words(one.removeprefix(f"{_PERSON}~")) in held
    ]


def _show(entity: str) -> str:
    return entity.removeprefix(_PERSON).removeprefix("~")


def _roles(run: Words, spoken: Sequence[str], language: str) -> Iterator[Role]:
    """Yield the roles that the words around each place of a name ask for."""
    said = tuple(spoken)
    for at in range(len(said) - len(run) + 1):
        stop = at + len(run)
        if said[at:stop] == run and (role := role_of_name(said, at, stop, language=language)):
            yield Role(role)
