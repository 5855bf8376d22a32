"""Every change that this process makes to files under one folder, by SQLite or by Python itself.

Replaces the functions of `os` and `io` that change files, for as long as it watches, so that each
change is reported in order and can be made to fail before it is done. Files that Python writes are
opened as a raw file that reports each write. Must not know what is done with the reports.
"""

import builtins
import errno
import functools
import inspect
import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from simonides_bench.crash.disk import Change, Did, changes_of
from simonides_bench.fault_vfs import Call, Failure, watch_files

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DESCRIPTORS = "/proc/self/fd"

_real_open = io.open
_real_os_open = os.open


class ChangeWatcher(Protocol):
    """Is called around every change, by any thread."""

    def before(self, change: Change) -> None:
        """Raise the `OSError` that the change is to fail with, if it is to fail."""
        ...

    def after(self, change: Change) -> None:
        """Take note of a change that was made."""
        ...


@contextmanager
def changes_watched(root: Path, watcher: ChangeWatcher) -> Iterator[None]:
    """Report every change of files under `root` within, in every thread of this process.

    SQLite connections and files opened within must be closed within. Linux only: the paths of
    descriptors come from `/proc`.
    """
    watch = _Watch(root, watcher)
    with ExitStack() as stack:
        for module, name, stand_in in _stand_ins(watch):
            stack.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, stand_in)
        stack.enter_context(watch_files(_FromSqlite(watch)))
        yield


class _Watch:
    """Names paths relative to the root, and reports changes of what lies under it."""

    def __init__(self, root: Path, watcher: ChangeWatcher) -> None:
        self._root = os.path.realpath(root) + os.sep
        self.watcher = watcher

    def inside(self, path: Any, dir_fd: int | None = None) -> str | None:
        """Return a path relative to the root; None outside of it."""
        if isinstance(path, int):
            full = _path_of(path)
        else:
            text = os.fsdecode(path)
            folder = _path_of(dir_fd) if dir_fd is not None else os.getcwd()  # noqa: PTH109
            full = os.path.normpath(os.path.join(folder, text))  # noqa: PTH118
        if full + os.sep == self._root:
            return ""
        return full.removeprefix(self._root) if full.startswith(self._root) else None

    def do(self, change: Change, do: Callable[[], Any]) -> Any:
        """Report a change, make it, and report that it was made; return what `do` returns."""
        self.watcher.before(change)
        result = do()
        self.watcher.after(change)
        return result


def _path_of(descriptor: int) -> str:
    return os.readlink(f"{_DESCRIPTORS}/{descriptor}")  # noqa: PTH115  it need not be there any more


class _FromSqlite:
    """Reports what SQLite does; an adapter of `watched.Watcher`."""

    def __init__(self, watch: _Watch) -> None:
        self._watch = watch

    def before(self, call: Call) -> Failure | None:
        try:
            for change in self._changes(call):
                self._watch.watcher.before(change)
        except OSError as error:
            return Failure.FULL if error.errno == errno.ENOSPC else Failure.BROKEN
        return None

    def after(self, call: Call) -> None:
        for change in self._changes(call):
            self._watch.watcher.after(change)

    def _changes(self, call: Call) -> list[Change]:
        path = self._watch.inside(f"{call.folder}/{call.name}")
        return [] if path is None else changes_of(call, path=path)


class _Raw(io.FileIO):
    """A file that is written without buffers and reports each write."""

    def __init__(self, file: Any, mode: str, *, watch: _Watch, path: str, **rest: Any) -> None:
        super().__init__(file, mode, **rest)
        self._watch = watch
        self._path = path
        self._appends = "a" in mode

    def write(self, data: Any) -> int:
        content = bytes(data)
        at = os.fstat(self.fileno()).st_size if self._appends else self.tell()
        change = Change(did=Did.WRITE, path=self._path, offset=at, data=content)
        result: int = self._watch.do(change, lambda: super(_Raw, self).write(content))
        return result

    def truncate(self, size: int | None = None) -> int:
        at = self.tell() if size is None else size
        change = Change(did=Did.TRUNCATE, path=self._path, offset=at)
        result: int = self._watch.do(change, lambda: super(_Raw, self).truncate(at))
        return result


def _stand_ins(watch: _Watch) -> list[tuple[Any, str, Callable[..., Any]]]:
    opened = _stand_in_for_open(watch)
    return [
        (io, "open", opened),
        (builtins, "open", opened),
        (os, "open", _stand_in_for_os_open(watch)),
        (os, "write", _stand_in_for_write(watch)),
        (os, "fsync", _stand_in_for_sync(watch, os.fsync)),
        (os, "fdatasync", _stand_in_for_sync(watch, os.fdatasync)),
        (os, "truncate", _stand_in_for_truncate(watch, os.truncate)),
        (os, "ftruncate", _stand_in_for_truncate(watch, os.ftruncate)),
        (os, "rename", _two_names(watch, os.rename, Did.RENAME)),
        (os, "replace", _two_names(watch, os.replace, Did.RENAME)),
        (os, "link", _two_names(watch, os.link, Did.LINK)),
        (os, "unlink", _one_name(watch, os.unlink, Did.UNLINK)),
        (os, "remove", _one_name(watch, os.remove, Did.UNLINK)),
        (os, "mkdir", _one_name(watch, os.mkdir, Did.MAKE_FOLDER)),
        (os, "rmdir", _one_name(watch, os.rmdir, Did.REMOVE_FOLDER)),
    ]


def _stand_in_for_open(watch: _Watch) -> Callable[..., Any]:
    signature = inspect.signature(_real_open)

    def open_watched(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        writes = any(letter in bound.arguments["mode"] for letter in "wax+")
        path = watch.inside(bound.arguments["file"]) if writes else None
        if path is None:
            return _real_open(*given, **named)
        return _open(watch, path, **bound.arguments)

    return open_watched


def _open(watch: _Watch, path: str, *, file: Any, mode: str, buffering: int, **rest: Any) -> Any:
    """Open a file as `open` does, upon a raw file that reports its writes."""
    how = {"watch": watch, "path": path, "closefd": rest["closefd"], "opener": rest["opener"]}
    raw: Any = _raw(file, mode.replace("b", "").replace("t", ""), watch=watch, path=path, how=how)
    if buffering == 0:
        return raw
    buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
    if "b" in mode:
        return buffered
    return io.TextIOWrapper(buffered, rest["encoding"], rest["errors"], rest["newline"])


def _raw(file: Any, mode: str, *, watch: _Watch, path: str, how: dict[str, Any]) -> _Raw:
    if isinstance(file, int):
        return _Raw(file, mode, **how)
    before = [] if os.path.lexists(file) else [Change(did=Did.CREATE, path=path)]
    if not before and "w" in mode:
        before = [Change(did=Did.TRUNCATE, path=path)]
    for change in before:
        watch.watcher.before(change)
    raw = _Raw(file, mode, **how)
    for change in before:
        watch.watcher.after(change)
    return raw


def _stand_in_for_os_open(watch: _Watch) -> Callable[..., int]:
    def open_watched(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        own = watch.inside(path, dir_fd) if flags & _WRITES else None
        if own is None:
            return _real_os_open(path, flags, mode, dir_fd=dir_fd)
        is_there = os.path.lexists(os.path.join(watch._root, own))  # noqa: PTH118, SLF001
        change = Change(did=Did.CREATE, path=own)
        if is_there and flags & os.O_TRUNC:
            change = replace(change, did=Did.TRUNCATE)
        elif is_there:
            return _real_os_open(path, flags, mode, dir_fd=dir_fd)
        result: int = watch.do(change, lambda: _real_os_open(path, flags, mode, dir_fd=dir_fd))
        return result

    return open_watched


def _stand_in_for_write(watch: _Watch) -> Callable[[int, Any], int]:
    real = os.write

    def write(descriptor: int, data: Any) -> int:
        path = _inside_regular(watch, descriptor)
        if path is None:
            return real(descriptor, data)
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        change = Change(did=Did.WRITE, path=path, offset=at, data=bytes(data))
        result: int = watch.do(change, lambda: real(descriptor, data))
        return result

    return write


def _inside_regular(watch: _Watch, descriptor: int) -> str | None:
    """Return the path of a descriptor under the root; None for pipes, sockets and what is gone."""
    try:
        return watch.inside(descriptor)
    except OSError:
        return None


def _stand_in_for_sync(watch: _Watch, real: Callable[[Any], None]) -> Callable[[Any], None]:
    def sync(file: Any) -> None:
        descriptor = file if isinstance(file, int) else file.fileno()
        path = _inside_regular(watch, descriptor)
        if path is None:
            return real(file)
        is_folder = Path(_path_of(descriptor)).is_dir()
        change = Change(did=Did.SYNC_FOLDER if is_folder else Did.SYNC, path=path)
        watch.do(change, lambda: real(file))
        return None

    return sync


def _stand_in_for_truncate(watch: _Watch, real: Callable[..., None]) -> Callable[..., None]:
    def truncate(file: Any, length: int) -> None:
        path = watch.inside(file)
        if path is None:
            return real(file, length)
        change = Change(did=Did.TRUNCATE, path=path, offset=length)
        watch.do(change, lambda: real(file, length))
        return None

    return truncate


def _two_names(watch: _Watch, real: Callable[..., None], did: Did) -> Callable[..., None]:
    def call(
        src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None,
        **rest: Any,
    ) -> None:  # fmt: skip
        old, new = watch.inside(src, src_dir_fd), watch.inside(dst, dst_dir_fd)
        do = functools.partial(real, src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, **rest)
        if old is None or new is None:
            do()
        else:
            watch.do(Change(did=did, path=old, to=new), do)

    return call


def _one_name(watch: _Watch, real: Callable[..., None], did: Did) -> Callable[..., None]:
    def call(path: Any, *rest: Any, dir_fd: int | None = None, **more: Any) -> None:
        own = watch.inside(path, dir_fd)
        if own is None:
            return real(path, *rest, dir_fd=dir_fd, **more)
        watch.do(Change(did=did, path=own), lambda: real(path, *rest, dir_fd=dir_fd, **more))
        return None

    return call
