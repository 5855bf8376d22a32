"""Patterns of listed words, for tables of words that questions use. Must not know any word."""


def alternatives(text: str) -> str:
    """Return a pattern of the alternatives in a text; `_` stands for white space inside one."""
    return "|".join(one.replace("_", r"\s+") for one in text.split())
