"""Each error of the engine has one status; the table is told in the reference."""

import re
from pathlib import Path

import pytest

from simonides import errors
from simonides.errors import InvalidInput, SimonidesError, StoreBusy
from simonides.http.errors import CODES, problem, problem_fields, refusal, status_of

PAGE = Path(__file__).parents[3] / "docs/reference/http.md"
KINDS = [
    one for one in vars(errors).values()
    if isinstance(one, type) and issubclass(one, SimonidesError) and one is not SimonidesError
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda one: one.__name__)
def test_every_error_has_the_status_that_the_reference_tells(kind: type[SimonidesError]) -> None:
    reported = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE))

    assert reported[kind.code] == str(status_of(kind.__new__(kind)))


def test_every_code_of_the_door_itself_is_told() -> None:
    text = PAGE.read_text("utf-8")

    assert [code for code in CODES.values() if f"`{code}`" not in text] == []


def test_a_problem_has_the_engines_code_and_its_field() -> None:
    problem_body = problem_fields(
        refusal(InvalidInput("limit", "must be 1 or more, got 0")), request_id="r"
    )

    assert problem_body == {
        "type": "urn:simonides:problem:invalid_input", "title": "Unprocessable Entity",
        "status": 422, "detail": "limit: must be 1 or more, got 0", "code": "invalid_input",
        "retryable": False, "request_id": "r",
        "errors": [{"field": "limit", "problem": "must be 1 or more, got 0"}],
    }  # fmt: skip


def test_what_may_be_tried_again_says_when() -> None:
    got = problem(refusal(StoreBusy("held")), request_id="r")

    assert (got.status_code, got.headers["retry-after"]) == (503, "1")


def test_an_error_that_is_none_of_ours_says_nothing_of_itself() -> None:
    problem_body = problem_fields(refusal(ZeroDivisionError("my secret")))

    assert (problem_body["status"], problem_body["code"]) == (500, "unexpected")
    assert "secret" not in str(problem_body)
