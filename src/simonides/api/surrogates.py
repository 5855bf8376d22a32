"""`memory.surrogates`: the summaries of the long items of one space.

It decides nothing itself: `maintenance.surrogates` builds, the store keeps, `context.surrogates`
says which are served. A build may go on in a thread of its own; closing the memory ends it.
"""

import threading
from collections.abc import Callable

from simonides.api.arguments import check_texts
from simonides.api.model_factories import require_chat_model
from simonides.assistant.model_summaries import ModelSummaries
from simonides.context.summary_level import find_surrogate
from simonides.errors import InvalidInput, NotFound
from simonides.index.open_space import OpenSpace
from simonides.maintenance.surrogates import (
    Extractive,
    SurrogateWriter,
    build_surrogates,
    check_build,
)
from simonides.model.stored import Surrogate, SurrogatesBuilt
from simonides.text.surrogates import ALGORITHM, MODEL_ALGORITHM

Progress = Callable[[int, int], None]
"""Is called with (done, all) items."""

Work = Callable[[Callable[[], bool]], SurrogatesBuilt]
"""A build that asks before each item whether it is to stop."""

THREAD = "simonides-surrogates"
"""The name of the thread of a build in the background."""


class SurrogateBuild:
    """A build of surrogates that runs in a thread, until it is done or stopped.

    The memory's `close` stops it, too, and waits for it, so that it leaves no thread behind. A
    program that ends without closing the memory ends after the build.
    """

    def __init__(self, work: Work, opened: OpenSpace) -> None:
        self._work = work
        self._home = opened.home
        self._is_stopped = threading.Event()
        self._built: SurrogatesBuilt | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=THREAD, daemon=False)
        self._home.begin_work(self._end)
        try:
            self._thread.start()
        except RuntimeError:  # no thread can be had
            self._home.end_work(self._end)
            raise

    @property
    def is_done(self) -> bool:
        """Whether the build has ended, in any way."""
        return not self._thread.is_alive()

    def wait(self, timeout_s: float | None = None) -> SurrogatesBuilt | None:
        """Return the report once the build has ended; None if it runs on after `timeout_s` seconds.

        Raises:
            SimonidesError: The build failed; what was written before is kept.
        """
        self._thread.join(timeout_s)
        if not self.is_done:
            return None
        if self._error is not None:
            raise self._error
        return self._built

    def stop(self) -> None:
        """End the build after the current item; `wait` then returns its report."""
        self._is_stopped.set()

    def _run(self) -> None:
        try:
            self._built = self._work(self._is_stopped.is_set)
        except BaseException as error:  # noqa: BLE001  it is raised by `wait`
            self._error = error
        finally:
            self._home.end_work(self._end)

    def _end(self) -> None:
        self.stop()
        if threading.current_thread() is not self._thread:
            self._thread.join()


def _writer(writer: SurrogateWriter | None, algorithm: str, opened: OpenSpace) -> SurrogateWriter:
    """Return the writer that is given, or that of an algorithm."""
    if writer is None and algorithm == MODEL_ALGORITHM:
        model = require_chat_model(opened.home, field="algorithm")
        return ModelSummaries(model=model, timeout_s=opened.settings.chat_timeout_s)
    if writer is None:
        return Extractive(algorithm=algorithm)
    if algorithm != ALGORITHM:
        raise InvalidInput("algorithm", "is that of the extractive writer; leave it out with yours")
    return writer


class Surrogates:
    """Surrogates: summaries of long items in three lengths (`full`, `gist`, `micro`).

    A brief does not depend on what was built ahead: where an extractive one is missing, it is
    made on the spot. Those of another writer are shown only where they were built.
    """

    def __init__(self, opened: OpenSpace) -> None:
        self._opened = opened

    def build(
        self,
        *,
        writer: SurrogateWriter | None = None,
        algorithm: str = ALGORITHM,
        items_max: int | None = None,
        time_max_s: float | None = None,
        on_progress: Progress | None = None,
    ) -> SurrogatesBuilt:
        """Write the missing surrogates of long items, and return the report.

        Long is a content of 400 characters or more. `algorithm` says how long the extractive ones
        are: `extractive` (100, 25 and 8 tokens), `extractive-compact` (50, 15, 5) or
        `extractive-verbose` (150, 40, 12); `model` has the language model of the settings write
        them. A `writer` of your own has its own algorithm; what it fails at is reported, and the
        rest goes on. It ends when all are written, or
        `items_max` items were come to, or after `time_max_s` seconds of writing; what is written
        is kept, so that the next build goes on there. `on_progress` is called with (done, all)
        items.

        Raises:
            InvalidInput: The writer's name or version cannot be kept, or a limit is negative, or
                there is no such algorithm.
        """
        return self._work(
            _writer(writer, algorithm, self._opened), items_max, time_max_s, on_progress
        )(lambda: False)

    def build_in_background(
        self,
        *,
        writer: SurrogateWriter | None = None,
        algorithm: str = ALGORITHM,
        items_max: int | None = None,
        time_max_s: float | None = None,
        on_progress: Progress | None = None,
    ) -> SurrogateBuild:
        """Start such a build in a thread and return at once.

        `wait` and `stop` of what it returns end it well, and so does closing the memory. Several
        at once do no harm, but do the same work. `writer` and `on_progress` are called in that
        thread.

        Raises:
            InvalidInput: The writer's name or version cannot be kept, or a limit is negative, or
                there is no such algorithm.
        """
        work = self._work(
            _writer(writer, algorithm, self._opened), items_max, time_max_s, on_progress
        )
        return SurrogateBuild(work, self._opened)

    def get(self, item_id: str, /, *, algorithm: str = ALGORITHM) -> Surrogate | None:
        """Return the stored surrogate of the present version of an item; None if there is none.

        Raises:
            NotFound: No item has that id.
        """
        check_texts(item_id, algorithm, field="item_id")
        space = self._opened.find()
        if space is not None:
            with space.read() as reader:
                item = reader.item(item_id)
                if item is not None:
                    return find_surrogate(item, reader=reader, algorithm=algorithm)
        raise NotFound("item", item_id)

    def _work(
        self,
        writer: SurrogateWriter,
        items_max: int | None,
        time_max_s: float | None,
        on_progress: Progress | None,
    ) -> Work:
        """Return the requested build, checked but not started."""
        check_build(writer, items_max=items_max, time_max_s=time_max_s)

        def work(is_stopped: Callable[[], bool]) -> SurrogatesBuilt:
            space = self._opened.find()
            if space is None:
                return SurrogatesBuilt()
            return build_surrogates(
                space, writer=writer, items_max=items_max, time_max_s=time_max_s,
                on_progress=on_progress, is_stopped=is_stopped,
            )  # fmt: skip

        return work
