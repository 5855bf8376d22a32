"""A route says all that it may refuse with."""

from typing import Any

import pytest

from simonides.api.operations.items import AddRequest
from simonides.api.operations.search import SearchRequest
from simonides.http.openapi import problems_of
from simonides.http.route import Route, Way


def route(**more: Any) -> Route:
    given = {"method": "POST", "path": "/v1/x", "verb": "x", "summary": "", "run": print, **more}
    return Route(**given)


@pytest.mark.parametrize(
    ("made", "may", "may_not"),
    [
        (route(method="GET"), {401, 403, 422, 429, 502}, {400, 408, 409, 415}),
        (route(method="GET", permission=None, path="/health/x"), {403, 421, 503}, {401, 422, 400}),
        (route(request=SearchRequest), {400, 408, 415, 422}, {409}),
        (route(writes=True, request=AddRequest), {400, 409}, {404}),
        (route(is_upload=True, way=Way.ASYNC), {400, 408, 413, 415, 422}, {409}),
        (route(method="GET", way=Way.ASYNC), {401, 422}, {502}),
        (
            route(method="GET", way=Way.ASYNC, path="/openai/v1/x"),
            {401},
            {422},
        ),
        (route(problems=(410,)), {410}, {404}),
    ],
)
def test_a_route_says_all_that_it_may_refuse_with(
    made: Route, may: set[int], may_not: set[int]
) -> None:
    refusal = problems_of(made)

    assert may <= set(refusal)
    assert not may_not & set(refusal)
    assert refusal == sorted(set(refusal))
