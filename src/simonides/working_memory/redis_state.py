"""Shared state in Redis 6.2 or newer, or Valkey, alone or as a cluster. Owns `redis`.

All of a space has one hash tag, so that each script stays on one node: a hash of texts, and a
sorted set of when they end. Time is the server's. Whole spaces expire by themselves. Must not know
what is kept.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.retry import Retry

from simonides.ports.shared_state import Refill
from simonides.working_memory.fallback import Unreachable

PASSWORD = "REDISCLI_AUTH"  # noqa: S105  the name of redis-cli's own variable
TIMEOUT_S = 1.0
"""How long an answer may take: a request waits for it. On one network it takes a millisecond."""

CONNECTIONS_MAX = 32
"""Connections of one process: as many threads as a server has."""

VALUES_MAX = 20_000
"""Values of one space; of more, those go first that would end first."""

_BEGIN = """
local now = tonumber(ARGV[1])
if now == nil then
  local t = redis.call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
end
local function ends(name)
  local at = redis.call('ZSCORE', KEYS[2], name)
  return at and tonumber(at) > now
end
local function drop(names)
  for _, name in ipairs(names) do
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
  end
end
"""

_GET = _BEGIN + "if ends(ARGV[2]) then return redis.call('HGET', KEYS[1], ARGV[2]) end return false"

_PUT = (
    _BEGIN
    + """
drop(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100))
local name, text, ttl = ARGV[2], ARGV[3], tonumber(ARGV[4])
if ARGV[5] == '1' and ends(name) then
  return 0
end
redis.call('HSET', KEYS[1], name, text)
redis.call('ZADD', KEYS[2], now + ttl, name)
if redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[6]) then
  drop({redis.call('ZRANGE', KEYS[2], 0, 0)[1]})
end
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, math.ceil(ttl)) end
end
return 1
"""
)

_DELETE = (
    _BEGIN
    + """
local was = ends(ARGV[2])
drop({ARGV[2]})
return was and 1 or 0
"""
)

_NAMES = _BEGIN + "return redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf')"

_CLEAR = (
    _BEGIN
    + """
local count = redis.call('ZCOUNT', KEYS[2], '(' .. now, '+inf')
redis.call('DEL', KEYS[1], KEYS[2])
return count
"""
)

_SPEND = """
local t = redis.call('TIME')
local now = t[1] + t[2] / 1000000
local amount, per_s, size = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local held = redis.call('HMGET', KEYS[1], 'left', 'at')
local left, at = tonumber(held[1]) or size, tonumber(held[2]) or now
left = math.min(size, left + math.max(0, now - at) * per_s) - amount
redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', tostring(math.max(now, at)))
redis.call('PEXPIRE', KEYS[1], math.ceil(1000 * (size - left) / per_s) + 1000)
return tostring(left)
"""

_SCRIPTS = {
    "get": _GET, "put": _PUT, "delete": _DELETE, "names": _NAMES, "clear": _CLEAR, "spend": _SPEND,
}  # fmt: skip


class RedisState:
    """What is shared through Redis; connects when first asked. Thread-safe.

    `clock` tells seconds; the server's own unless given, for tests.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] | None = None) -> None:
        self._url = url
        self._clock = clock
        self._lock = threading.Lock()
        self._client: Any = None
        self._scripts: dict[str, Any] = {}

    def get(self, space: str, key: str) -> str | None:
        """Return the text of a key."""
        found = self._run("get", space, _code(key))
        return None if found is None else found.decode()

    def put(self, space: str, key: str, text: str, *, ttl_s: float) -> None:
        """Store a text."""
        self._put(space, key, text, ttl_s=ttl_s, only_new=False)

    def put_new(self, space: str, key: str, text: str, *, ttl_s: float) -> bool:
        """Store a text if there is none; return whether it was stored."""
        return self._put(space, key, text, ttl_s=ttl_s, only_new=True)

    def _put(self, space: str, key: str, text: str, *, ttl_s: float, only_new: bool) -> bool:
        given = (_code(key), text, 1000.0 * ttl_s, int(only_new), VALUES_MAX)
        return bool(self._run("put", space, *given))

    def delete(self, space: str, key: str) -> bool:
        """Delete a text; return whether there was one."""
        return bool(self._run("delete", space, _code(key)))

    def clear(self, space: str) -> int:
        """Delete everything of a space."""
        return int(self._run("clear", space))

    def names(self, space: str) -> tuple[str, ...]:
        """Return the keys of a space, sorted."""
        found = self._run("names", space)
        return tuple(sorted(one.decode(errors="surrogatepass") for one in found))

    def spend(self, name: str, amount: float, refill: Refill) -> float:
        """Draw an amount from a bucket, and return what is left there."""
        key = f"simonides:{{bucket:{quote(name)}}}"
        return float(self._call("spend", [key], [amount, refill.per_s, refill.size]))

    def ping(self) -> None:
        """Return if it answers."""
        with _translate_errors():
            self._connect().ping()

    def close(self) -> None:
        """Close connections."""
        with self._lock:
            if self._client is not None:
                _disconnect(self._client)
            self._client, self._scripts = None, {}

    def _run(self, script: str, space: str, *given: Any) -> Any:
        tag = f"simonides:{{space:{quote(space)}}}"
        now = "" if self._clock is None else 1000.0 * self._clock()
        return self._call(script, [f"{tag}:values", f"{tag}:ends"], [now, *given])

    def _call(self, script: str, keys: list[str], given: list[Any]) -> Any:
        with _translate_errors():
            self._connect()
            return self._scripts[script](keys=keys, args=given)

    def _connect(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = _client(self._url)
                self._scripts = {
                    name: self._client.register_script(text) for name, text in _SCRIPTS.items()
                }
            return self._client


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn errors of the network, and of a server that is not itself, into `Unreachable`."""
    try:
        yield
    except (redis.RedisError, OSError) as error:
        raise Unreachable(str(error)) from error


def _client(url: str) -> Any:
    """Return a client of a server, or of the cluster that the server belongs to."""
    given: dict[str, Any] = {
        "password": os.environ.get(PASSWORD), "socket_timeout": TIMEOUT_S,
        "socket_connect_timeout": TIMEOUT_S, "max_connections": CONNECTIONS_MAX,
    }  # fmt: skip
    alone = redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), **given)
    if not alone.info("cluster").get("cluster_enabled"):
        return alone
    alone.close()
    return RedisCluster.from_url(url, **given)


def _disconnect(client: Any) -> None:
    """Close a client, and the connections of its nodes, which a cluster's client leaves open."""
    for node in getattr(client, "get_nodes", tuple)():
        if node.redis_connection is not None:
            node.redis_connection.connection_pool.disconnect()
    client.close()


def _code(key: str) -> bytes:
    return key.encode(errors="surrogatepass")
