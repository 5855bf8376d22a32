"""A sentence that is told elsewhere names no folder of this machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.text.clean import without_folders


@pytest.mark.parametrize(
    ("said", "reported"),
    [
        ("/home/My Dir/s/x.sqlite3 is held by another process; try again",
         "x.sqlite3 is held by another process; try again"),
        ("no room to write /a b/c d/x; free some", "no room to write x; free some"),
        ("cannot write /tmp/x (denied); make room", "cannot write x (denied); make room"),
        ("'/etc/passwd' is no file", "'passwd' is no file"),
        ("~/.simonides/x is no file", "x is no file"),
        ("file:///etc/x", "x"),
        ("C:\\Users\\me\\x.db: cannot be opened", "x.db: cannot be opened"),
        ("\\\\server\\share\\x is gone", "x is gone"),
        ("/a/b; then /c/d", "b; then d"),
        ("/x", "x"),
    ],
)  # fmt: skip
def test_a_path_is_cut_to_its_last_part(said: str, reported: str) -> None:
    assert without_folders(said) == reported


@pytest.mark.parametrize(
    "said",
    ["https://api.example.com/v1/embeddings answered 500", "application/json, and/or text/plain",
     "3/4 of it", "revision 3 was asked for", "a - b", ""],
)  # fmt: skip
def test_what_is_no_path_of_this_machine_stays(said: str) -> None:
    assert without_folders(said) == said


NAMES = st.text(alphabet="abc é(),:'\"-.", min_size=1).map(str.strip).filter(bool)


@given(st.lists(NAMES, min_size=2, max_size=5), st.sampled_from(["", " ", "(", "'", '"', ": "]))
def test_no_folder_of_any_name_is_left(folders: list[str], before: str) -> None:
    path = "/" + "/".join(folders)

    reported = without_folders(f"cannot write {before}{path}; make room")

    assert reported == f"cannot write {before}{folders[-1]}; make room"
