"""Project names: one project, however it is written; and what names no project."""

import pytest

from simonides.entities.projects import core_of, project_names


@pytest.mark.parametrize(
    "text",
    [
        "Project Alpha is late.", "about project Alpha", "the Alpha project", "our Alpha Project.",
        "Project Alpha Update", "Project Alpha: kickoff", "Project Alpha Kickoff Meeting Notes",
        'project "Alpha"', "das Projekt Alpha", "im Alpha-Projekt", "le projet Alpha",
        "el proyecto «Alpha»", "o projeto Alpha", "il progetto Alpha", "Projekt „Alpha“",
        "Projet Alpha Compte-rendu", "Projekt Alpha Statusbericht",
    ],
)  # fmt: skip
def test_a_project_is_one_however_it_is_written(text: str) -> None:
    assert [one.core for one in project_names(text)] == ["alpha"]


@pytest.mark.parametrize(
    ("text", "cores"),
    [
        ("Project Blue Harbor Launch Plan", ["blue harbor"]),
        ("the Blue Harbor project", ["blue harbor"]),
        ("Project Alpha and Project Beta", ["alpha", "beta"]),
        ("Project Plan", []), ("Project Manager: Tom", []), ("Project Update", []),
        ("The project is late. Our project too.", []), ("a project of ours", []),
        ("the Projection Room", []), ("projected Sales", []),
    ],
)  # fmt: skip
def test_documents_and_roles_name_no_project(text: str, cores: list[str]) -> None:
    assert [one.core for one in project_names(text)] == cores


def test_a_name_is_shown_as_it_is_written_without_what_is_about_it() -> None:
    assert [one.name for one in project_names("project Alpha Update")] == ["Project Alpha"]
    assert [one.name for one in project_names("the Alpha project")] == ["Alpha project"]


@pytest.mark.parametrize(
    ("name", "core"),
    [
        ("Alpha", "alpha"), ("Project Alpha", "alpha"), ("alpha project", "alpha"),
        ("Alpha-Projekt", "alpha"), ("Project Alpha Update", "alpha"), ("Update", "update"),
        ("Project", "project"), ("owner/repo", "owner/repo"),
    ],
)  # fmt: skip
def test_the_core_is_what_tells_projects_apart(name: str, core: str) -> None:
    assert core_of(name) == core


@pytest.mark.parametrize(
    "text", ["Project " + "Aa " * 6_000, "A-" * 9_000 + "project", "project " * 2_000]
)
def test_odd_texts_end_soon(text: str) -> None:
    assert len(list(project_names(text))) <= 2_000
