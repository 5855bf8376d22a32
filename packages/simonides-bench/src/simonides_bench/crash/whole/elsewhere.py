"""Calls made in a process of their own, which is gone when they have returned.

What a server leaves behind is distinguished from what one is using by the number of its process, so
that a trial that leaves something must not be the process that judges it.
"""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
Given = ParamSpec("Given")


def elsewhere(call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """Return what a function of a module returns in a new process; its error is raised here."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(call, *given, **named).result()
