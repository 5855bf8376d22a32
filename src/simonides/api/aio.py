"""The parts of `memory.aio`: each method as a coroutine, made of the method itself."""

from simonides.api.awaited import Awaitable, awaited
from simonides.api.background import Backgrounds
from simonides.api.chat import Sessions
from simonides.api.entities import Entities
from simonides.api.keys import Keys
from simonides.api.memories import Preferences, Proposals
from simonides.api.surrogates import Surrogates


class AsyncBackgrounds(Awaitable[Backgrounds]):
    """Backgrounds as coroutines: `await memory.aio.background.get()`."""

    put = awaited(Backgrounds.put)
    get = awaited(Backgrounds.get)
    history = awaited(Backgrounds.history)
    delete = awaited(Backgrounds.delete)
    best = awaited(Backgrounds.best)


class AsyncSurrogates(Awaitable[Surrogates]):
    """Surrogates as coroutines: `await memory.aio.surrogates.build()`."""

    build = awaited(Surrogates.build)
    build_in_background = awaited(Surrogates.build_in_background)
    get = awaited(Surrogates.get)


class AsyncProposals(Awaitable[Proposals]):
    """Proposals as coroutines: `await memory.aio.proposals.accept(…)`."""

    make = awaited(Proposals.make)
    wait = awaited(Proposals.wait)
    propose = awaited(Proposals.propose)
    list = awaited(Proposals.list)
    get = awaited(Proposals.get)
    accept = awaited(Proposals.accept)
    reject = awaited(Proposals.reject)
    undo = awaited(Proposals.undo)


class AsyncEntities(Awaitable[Entities]):
    """Entities as coroutines: `await memory.aio.entities()`, `await ….entities.merge(…)`."""

    __call__ = awaited(Entities.__call__)
    merge = awaited(Entities.merge)
    rename = awaited(Entities.rename)
    alias = awaited(Entities.alias)


class AsyncSessions(Awaitable[Sessions]):
    """Sessions as coroutines: `await memory.aio.sessions.last("…")`."""

    create = awaited(Sessions.create)
    list = awaited(Sessions.list)
    get = awaited(Sessions.get)
    messages = awaited(Sessions.messages)
    last = awaited(Sessions.last)
    add = awaited(Sessions.add)
    forget = awaited(Sessions.forget)


class AsyncPreferences(Awaitable[Preferences]):
    """Preferences as coroutines: `await memory.aio.preferences.set("…", "…")`."""

    list = awaited(Preferences.list)
    get = awaited(Preferences.get)
    set = awaited(Preferences.set)
    infer = awaited(Preferences.infer)
    forget = awaited(Preferences.forget)


class AsyncKeys(Awaitable[Keys]):
    """Keys as coroutines: `await memory.aio.keys.check(…)`."""

    create = awaited(Keys.create)
    list = awaited(Keys.list)
    revoke = awaited(Keys.revoke)
    check = awaited(Keys.check)
    exist = awaited(Keys.exist)
    note = awaited(Keys.note)
    audit = awaited(Keys.audit)
