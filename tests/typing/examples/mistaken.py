"""What must not pass a type checker: each line ends in the comment that would be unused if it did.

mypy reads `type: ignore[code]`, pyright reads `pyright: ignore[rule]`.
"""

from simonides import Filter, Item, Memory

with Memory(":memory:") as memory:
    memory.search("x", limt=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    memory.search(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    memory.search("x", filter={"surces": ["a"]})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    memory.brief("x", budgt_tokens=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    memory.forget(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Filter(kind=["email"])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Item(content=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
