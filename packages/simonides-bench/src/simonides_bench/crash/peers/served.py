"""The server of a trial: `python -m simonides_bench.crash.peers.served HOME MODEL_PORT`.

Its patience is shorter than usual, every limit in seconds by the same share, so that a trial takes
seconds. Writes its port and how long it promises to drain, one line of JSON, and serves until
SIGTERM.
"""

import json
import sys
from dataclasses import fields, replace
from pathlib import Path

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides.http.limits import Limits
from simonides_bench.testing.hashing import HashingEmbedder

SHARE = 0.03
"""Of each limit in seconds: 30 s become 0.9 s."""

STREAMS = 4
"""Exports, chats and uploads at once; the usual 16 would take four times as long to fill."""


def shorten(limits: Limits) -> Limits:
    """Return limits with a share of every patience; rates and sizes stay as they are."""
    shorter = {
        one.name: SHARE * getattr(limits, one.name)
        for one in fields(limits)
        if one.name.endswith("_s") and not one.name.endswith("_per_s")
    }
    return replace(limits, **shorter)


def memory_of(home: Path, *, model_port: int = 0) -> Memory:
    """Return the memory of a trial; its language model is at a port of this machine."""
    chat = {
        "chat_provider": "openai", "chat_base_url": f"http://127.0.0.1:{model_port}/v1",
        "chat_model": "stuck", "chat_timeout_s": 3.0,
    } if model_port else {}  # fmt: skip
    settings = Settings(timezone="UTC", detect_language=False, timeout_s=2.0, **chat)  # type: ignore[arg-type]  # its kinds
    return Memory(home, settings=settings, embedder=HashingEmbedder(32))


def main(home: Path, model_port: int) -> None:
    """Serve a home until SIGTERM."""
    from simonides.http.app import make_server
    from simonides.http.server import serve

    limits = shorten(Limits(streams_max=STREAMS, rate_per_s=1e6, rate_burst=10**6))
    made = make_server(
        memory_of(home, model_port=model_port), uploads=home / "uploads", limits=limits
    )

    def ready(port: int) -> None:
        print(json.dumps({"port": port, "drain_s": limits.drain_s}), flush=True)  # noqa: T201  whoever started it reads it

    serve(made, host="127.0.0.1", port=0, on_ready=ready)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
