"""The parts of `memory.aio`: each method as a coroutine, made of the method itself."""

from simonides.api.awaited import Awaitable, make_coroutine
from simonides.api.background import Backgrounds
from simonides.api.chat import Sessions
from simonides.api.entities import Entities
from simonides.api.keys import Keys
from simonides.api.memories import Preferences, Proposals
from simonides.api.surrogates import Surrogates


class AsyncBackgrounds(Awaitable[Backgrounds]):
    """Backgrounds as coroutines: `await memory.aio.background.get()`."""

    put = make_coroutine(Backgrounds.put)
    get = make_coroutine(Backgrounds.get)
    history = make_coroutine(Backgrounds.history)
    delete = make_coroutine(Backgrounds.delete)
    best = make_coroutine(Backgrounds.best)


class AsyncSurrogates(Awaitable[Surrogates]):
    """Surrogates as coroutines: `await memory.aio.surrogates.build()`."""

    build = make_coroutine(Surrogates.build)
    build_in_background = make_coroutine(Surrogates.build_in_background)
    get = make_coroutine(Surrogates.get)


class AsyncProposals(Awaitable[Proposals]):
    """Proposals as coroutines: `await memory.aio.proposals.accept(…)`."""

    make = make_coroutine(Proposals.make)
    wait = make_coroutine(Proposals.wait)
    propose = make_coroutine(Proposals.propose)
    list = make_coroutine(Proposals.list)
    get = make_coroutine(Proposals.get)
    accept = make_coroutine(Proposals.accept)
    reject = make_coroutine(Proposals.reject)
    undo = make_coroutine(Proposals.undo)


class AsyncEntities(Awaitable[Entities]):
    """Entities as coroutines: `await memory.aio.entities()`, `await ….entities.merge(…)`."""

    __call__ = make_coroutine(Entities.__call__)
    merge = make_coroutine(Entities.merge)
    rename = make_coroutine(Entities.rename)
    alias = make_coroutine(Entities.alias)


class AsyncSessions(Awaitable[Sessions]):
    """Sessions as coroutines: `await memory.aio.sessions.last("…")`."""

    create = make_coroutine(Sessions.create)
    list = make_coroutine(Sessions.list)
    get = make_coroutine(Sessions.get)
    messages = make_coroutine(Sessions.messages)
    last = make_coroutine(Sessions.last)
    add = make_coroutine(Sessions.add)
    add_many = make_coroutine(Sessions.add_many)
    forget = make_coroutine(Sessions.forget)


class AsyncPreferences(Awaitable[Preferences]):
    """Preferences as coroutines: `await memory.aio.preferences.set("…", "…")`."""

    list = make_coroutine(Preferences.list)
    get = make_coroutine(Preferences.get)
    set = make_coroutine(Preferences.set)
    infer = make_coroutine(Preferences.infer)
    forget = make_coroutine(Preferences.forget)


class AsyncKeys(Awaitable[Keys]):
    """Keys as coroutines: `await memory.aio.keys.check(…)`."""

    create = make_coroutine(Keys.create)
    list = make_coroutine(Keys.list)
    revoke = make_coroutine(Keys.revoke)
    check = make_coroutine(Keys.check)
    exist = make_coroutine(Keys.exist)
    note = make_coroutine(Keys.note)
    audit = make_coroutine(Keys.audit)
