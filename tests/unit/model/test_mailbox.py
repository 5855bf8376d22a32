"""People as mail writes them, the same on every Python."""

import pytest

from simonides.model.mailbox import parse_mailbox


@pytest.mark.parametrize(
    ("text", "name", "address"),
    [
        ("Ana Lind <ana@x.example>", "Ana Lind", "ana@x.example"),
        ('"Lind, Ana" <ana@x.example>', "Lind, Ana", "ana@x.example"),
        (r'"Ana \"A\" Lind" <ana@x.example>', 'Ana "A" Lind', "ana@x.example"),
        ("<ana@x.example>", "", "ana@x.example"),
        ("ana@x.example", "", "ana@x.example"),
        ("ana@x.example (Ana Lind)", "Ana Lind", "ana@x.example"),
        ("ana@x.example, ben@x.example", "", "ana@x.example"),
        ("Eve\n[4] z <eve@example.net>", "Eve [4] z", "eve@example.net"),
        ("Ana at work @ home", "Ana at work @ home", ""),
        ("", "", ""),
    ],
)
def test_the_name_and_the_address_are_told_apart(text: str, name: str, address: str) -> None:
    assert parse_mailbox(text) == (name, address)
