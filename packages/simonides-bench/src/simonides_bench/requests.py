"""`simonides bench requests`: random requests of all routes, at the limits of their schemas.

No request may end in a mistake of the server's, and after each that was taken every operation
still answers: the space is searched, listed, briefed and counted in between, and at the end
verified, compacted, exported, and imported elsewhere. The application runs in this process; no
socket is used.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simonides.api.memory import Memory
from simonides.config import Settings
from simonides_bench.crash.scratch import scratch
from simonides_bench.in_process import Answer, Application, running
from simonides_bench.request_values import Requests, Sent
from simonides_bench.testing.hashing import HashingEmbedder

PROBE_EVERY = 20
"""After so many requests the space is asked whether it still answers."""

ANEW_EVERY = 2_000
"""After so many requests a new space is begun, so that the size of one does not slow all down."""

SHOWN_MAX = 20
"""How many failures are shown in full."""

NO_UPSTREAM = 501
"""What the door for clients of OpenAI answers where no endpoint is set, as here."""

Progress = Callable[[int, int], None]


def run(
    *, count: int, seed: int, on_progress: Progress = lambda _done, _all: None
) -> Mapping[str, Any]:
    """Return how many requests were answered how, and what went wrong, of `count` in all."""
    tally = _Tally()
    for done in range(0, count, ANEW_EVERY):
        share = min(ANEW_EVERY, count - done)
        draw = random.Random(f"requests {seed} {done}")  # noqa: S311  a trial, no secret
        with scratch() as folder:
            asyncio.run(_ask(folder / "home", share, draw, tally))
            _look_after(folder, tally)
        on_progress(done + share, count)
    return tally.figures(count=count, seed=seed)


def is_sound(figures: Mapping[str, Any]) -> bool:
    """Return whether nothing went wrong."""
    return not figures["server_errors"] and not figures["unanswered"]


@dataclass(slots=True)
class _Tally:
    """What came of all requests."""

    by_status: Counter[str] = field(default_factory=Counter)
    by_operation: Counter[str] = field(default_factory=Counter)
    server_errors: int = 0
    unanswered: int = 0
    probes: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, sent: Sent, answer: Answer) -> None:
        self.by_status[f"{answer.status // 100}xx"] += 1
        self.by_operation[sent.operation] += 1
        if answer.status >= 500 and answer.status != NO_UPSTREAM:  # noqa: PLR2004  HTTP's own
            self.server_errors += 1
            self.tell(sent, answer)

    def note_probe(self, sent: Sent, answer: Answer, before: Sent) -> None:
        self.probes += 1
        if answer.status not in (200, 201):
            self.unanswered += 1
            self.tell(sent, answer)
            self.tell(before, answer)

    def tell(self, sent: Sent, answer: Answer) -> None:
        request = f"{sent.method} {sent.path[:120]}?{sent.query[:200]!r} {sent.body[:400]!r}"
        self.fail(f"{request}: {answer.status} {answer.body[:300]!r}")

    def fail(self, problem: str) -> None:
        if len(self.examples) < SHOWN_MAX:
            self.examples.append(problem)

    def figures(self, *, count: int, seed: int) -> dict[str, Any]:
        return {
            "requests": count,
            "seed": seed,
            "operations": len(self.by_operation),
            "server_errors": self.server_errors,
            "probes": self.probes,
            "unanswered": self.unanswered,
            "by_status": dict(sorted(self.by_status.items())),
            "examples": self.examples,
        }


PROBES = (
    Sent(
        method="POST",
        path="/v1/items",
        body=b'{"content": "the harbor deadline is Friday", "id": "anchor", "session": "anchor"}',
    ),
    Sent(method="POST", path="/v1/search", body=b'{"query": "harbor deadline"}'),
    Sent(method="POST", path="/v1/brief", body=b'{"query": "harbor deadline"}'),
    Sent(method="GET", path="/v1/items"),
    Sent(method="GET", path="/v1/stats"),
)
"""What has to be answered whatever was taken before; the first makes anew what was erased."""


async def _ask(home: Path, count: int, draw: random.Random, tally: _Tally) -> None:
    async with running(_application(home)) as app:
        document = (await app.ask(Sent(method="GET", path="/openapi.json"))).json()
        requests = Requests(document=document, draw=draw)
        for number in range(1, count + 1):
            sent = requests.one()
            answer = await app.ask(sent)
            tally.note(sent, answer)
            _learn(requests, answer)
            if number % PROBE_EVERY == 0 or number == count:
                for probe in PROBES:
                    tally.note_probe(probe, await app.ask(probe), sent)


_KNOWN_MAX = 50


def _learn(requests: Requests, answer: Answer) -> None:
    """Note an id that an answer gave, so that later requests name something that is there."""
    body = answer.json() if answer.status in (200, 201) else None
    named = body.get("id") or body.get("session_id") if isinstance(body, dict) else None
    if isinstance(named, str) and named:
        requests.known.append(named)
        del requests.known[1:-_KNOWN_MAX]


def _application(home: Path) -> Application:
    """Return the application over a home of its own, whose caller may do everything at any rate."""
    from simonides.http.app import make_app, make_server
    from simonides.http.limits import Limits

    limits = Limits(rate_per_s=1e9, rate_burst=10**9)
    return make_app(make_server(_memory(home), uploads=home / "uploads", limits=limits))


def _memory(home: Path, space: str = "default") -> Memory:
    plain = Settings(timezone="UTC", durability="relaxed")
    return Memory(home, space=space, settings=plain, embedder=HashingEmbedder())


def _look_after(folder: Path, tally: _Tally) -> None:
    """Verify, compact and export what the requests left, and import it elsewhere."""
    here, there = _memory(folder / "home"), _memory(folder / "there")
    try:
        problems = [f"{one.check}: {one.detail}" for one in here.verify() if not one.sound]
        here.compact()
        here.export(folder / "out.jsonl")
        report = there.import_(folder / "out.jsonl")
        problems += [f"import: {one.where}: {one.reason}" for one in report.skipped]
        problems += [f"{one.check}: {one.detail}" for one in there.verify() if not one.sound]
        there.erase(everything=True)
    except Exception as error:  # noqa: BLE001  whatever escapes is looked for
        problems = [f"looking after the space: {error!r}"]
    finally:
        here.close()
        there.close()
    tally.probes += 1
    tally.unanswered += bool(problems)
    for problem in problems:
        tally.fail(problem)
