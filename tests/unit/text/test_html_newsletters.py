"""Newsletters, shop mails and pages as a reader sees them."""

import pytest

from simonides.text.clean import from_html, printable, squeeze, title_of

NEWSLETTER = """
<html><head><title>Boats</title><meta charset=utf-8><style>p { color: red }</style></head>
<body><div style="display:none">Preview of the boats</div>
<table width=600><tr><td><table><tr><td><img src=logo alt="Reed Boats"></td></tr></table></td></tr>
<tr><td><h1>Spring&nbsp;offers</h1><p>Dear Tom,<br>the <i>oars</i> are here.</p>
<ol><li>Ash oars</li><li>Spruce oars<ul><li>short</li><li>long</li></ul></li></ol></td></tr>
<tr><td><table><tr><th>Oar</th><th>Price</th></tr><tr><td>Ash</td><td>90</td></tr>
<tr><td>Spruce</td><td>70</td></tr></table></td></tr>
<tr><td><a href="https://boats.example/shop">Shop now</a></td></tr></table>
<footer>Reed Ltd</footer><img src=pixel width=1></body></html>
"""


def test_a_newsletter_reads_from_top_to_bottom() -> None:
    assert from_html(NEWSLETTER).split("\n") == [
        "Reed Boats",
        "# Spring offers",
        "",
        "Dear Tom,",
        "the oars are here.",
        "",
        "1. Ash oars",
        "2. Spruce oars",
        "  - short",
        "  - long",
        "Oar | Price",
        "Ash | 90",
        "Spruce | 70",
        "Shop now",
        "",
        "Reed Ltd",
    ]


@pytest.mark.parametrize(
    "tag",
    "p blockquote pre h1 h2 h3 h4 h5 h6 figure form fieldset dl".split(),
)
def test_a_paragraph_of_any_kind_has_a_blank_line_around_it(tag: str) -> None:
    lines = from_html(f"<div>above</div><{tag}>oar</{tag}><div>below</div>").split("\n")

    assert (lines[0], lines[1], lines[3], lines[4]) == ("above", "", "", "below")
    assert lines[2].lstrip("#> ") == "oar"


@pytest.mark.parametrize(
    "tag",
    "div section article aside header footer main nav address center dt dd details summary "
    "figcaption legend".split(),
)
def test_a_block_is_a_line_of_its_own(tag: str) -> None:
    assert from_html(f"above<{tag}>oar</{tag}>below") == "above\noar\nbelow"


@pytest.mark.parametrize("tag", "span b i em strong u code font small a label sup".split())
def test_a_mark_within_a_line_parts_nothing(tag: str) -> None:
    assert from_html(f"row<{tag}>boa</{tag}>ts") == "rowboats"


@pytest.mark.parametrize("level", range(1, 7))
def test_a_heading_has_its_level(level: int) -> None:
    assert from_html(f"<h{level}>The <a href=x>oars</a></h{level}>") == f"{'#' * level} The oars"


@pytest.mark.parametrize(
    "tag",
    "script style template svg math iframe object noembed noframes audio video canvas "
    "title datalist".split(),
)
def test_what_no_reader_sees_is_left_out(tag: str) -> None:
    assert "hidden" not in from_html(f"<p>oar</p><{tag}>hidden</{tag}>")


@pytest.mark.parametrize(
    "style", ["display : none", "visibility:hidden", "mso-hide:all", "MSO-HIDE: ALL"]
)
def test_what_a_style_hides_is_left_out(style: str) -> None:
    assert from_html(f"<p>oar</p><p style='{style}'>hidden</p>") == "oar"


@pytest.mark.parametrize("style", ["display:block", "visibility:visible", "mso-hide:none"])
def test_what_a_style_shows_is_kept(style: str) -> None:
    assert from_html(f"<p style='{style}'>oar</p>") == "oar"


def test_a_list_within_a_list_is_indented_and_a_list_has_space() -> None:
    html = "<p>We need</p><ol><li>oars<ol><li>two<li>long</ol><li>rope</ol><p>soon</p>"

    assert from_html(html) == "We need\n\n1. oars\n  1. two\n  2. long\n2. rope\n\nsoon"


def test_a_cell_without_its_row_is_a_line() -> None:
    assert from_html("<table><caption>Oars</caption><tr><td>ash<td>90</table>") == "Oars\nash | 90"


def test_a_row_keeps_the_place_of_an_empty_cell_between_others() -> None:
    assert from_html("<table><tr><td>ash<td><td>90</table>") == "ash |  | 90"


@pytest.mark.parametrize(("size", "joined"), [(299, True), (300, True), (301, False)])
def test_a_row_of_more_than_600_letters_is_layout(size: int, *, joined: bool) -> None:
    cells = f"<td>{'a' * size}</td><td>{'b' * 300}</td>"

    assert (" | " in from_html(f"<table><tr>{cells}</tr></table>")) is joined


def test_code_keeps_its_lines_and_what_follows_does_not() -> None:
    html = "<p>Run</p><pre><code>row(2)\n  if wet:\n\n    stop</code></pre><p>a   b\nc</p>"

    assert from_html(html) == "Run\n\nrow(2)\n  if wet:\n\n    stop\n\na b c"


def test_code_that_is_quoted_is_marked_line_by_line() -> None:
    html = "<blockquote><pre>row(2)  \n  if wet:&nbsp;\n    stop</pre></blockquote>"

    assert from_html(html) == "> row(2)\n>   if wet:\n>     stop"


def test_an_answer_in_a_mail_of_html_is_above_its_quote() -> None:
    html = "<div>Yes.</div><div>On 3 March Jane wrote:</div><blockquote>Is it?<br>Jane</blockquote>"

    assert from_html(html) == "Yes.\nOn 3 March Jane wrote:\n\n> Is it?\n> Jane"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc\x0bd\x0ce\x85f", "a\nb\nc\nd\ne\nf"),
        ("a\x00b\x07c\x1bd\x7fe\x9ff", "abcdef"),
        ("tab\there", "tab\there"),
        ("\ud83d\ude00 \ud800", "😀 \ufffd"),
        ("e\u0301 \u200d \u00a0", "e\u0301 \u200d \u00a0"),
    ],
)
def test_a_text_is_made_printable(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_ragged_space_is_squeezed() -> None:
    assert squeeze("a  \nb\t\n\n\nc\n\n\n\n\nd ") == "a\nb\n\n\nc\n\nd"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n## The oars ##\n\ntext", "The oars"),
        ("# ***\n\n- **Ash** `oars`", "Ash oars"),
        ("---\n\n> _Ash_ oars_", "Ash_ oars"),
        ("•  Ash   oars\nmore", "Ash oars"),
        ("__Ash__ oars", "Ash oars"),
        ("...\n***\n", ""),
        ("\n" * 4_000 + "too late", ""),
        ("oar " * 29 + "oars", "oar " * 29 + "oars"),
        ("oars " * 24 + "and", "oars " * 22 + "oars\u2026"),
        ("x" * 121, "x" * 119 + "\u2026"),
        ("oar, " * 24 + "and", "oar, " * 22 + "oar\u2026"),
        ("short " + "x" * 200, "short " + "x" * 113 + "\u2026"),
    ],
)
def test_a_title_is_the_heading_or_the_first_line(text: str, title: str) -> None:
    assert title_of(text) == title
