import pytest

from simonides.text.clean import from_html
from simonides.text.nesting import is_sane


def test_a_page_reads_as_a_reader_sees_it() -> None:
    page = """<!doctype html><html><head><title>T</title><style>p{}</style></head><body>
      <h2>The <b>Lamp</b></h2><p>Some&nbsp;text &amp; more
      <a href="https://example.com/a">here</a>.<br>Next line</p>
      <script>bad()</script><!-- no --><div>One</div><div>Two</div></body></html>"""

    assert from_html(page) == "## The Lamp\n\nSome text & more here.\nNext line\n\nOne\nTwo"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ("<ol><li>one</li><li>two</li></ol>", "1. one\n2. two"),
        ("<ul><li>one<ul><li>in</ul></li><li>two</ul>", "- one\n  - in\n- two"),
        ("<ul><li></li><li> </li><li>x</li></ul>", "- x"),
        ("<p>a</p><ul><li>b</ul><p>c</p>", "a\n\n- b\n\nc"),
    ],
)
def test_lists_have_bullets_and_numbers(html: str, expected: str) -> None:
    assert from_html(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table><tr><th>Name<th>Age</tr><tr><td>Ann<td>30</table>", "Name | Age\nAnn | 30"),
        ("<table><tr><td><p>Ann</p><td><p>30</p></table>", "Ann | 30"),
        ("<table><tr><td>only</table>", "only"),
        ("<table><tr><td></td><td>right</td></tr></table>", "right"),
        ("<table><tr><td><table><tr><td>in<td>side</table><td>out</table>", "in | side\nout"),
    ],
)
def test_tables_become_rows(html: str, expected: str) -> None:
    assert from_html(html) == expected


def test_a_row_of_long_cells_is_layout() -> None:
    cell = "word " * 100

    assert " | " not in from_html(f"<table><tr><td>{cell}</td><td>{cell}</td></tr></table>")


def test_quoted_blocks_are_marked_so_that_replies_are_recognised() -> None:
    html = "<p>yes</p><blockquote><p>one</p><p>two</p><blockquote>deep</blockquote></blockquote>end"

    assert from_html(html) == "yes\n\n> one\n>\n> two\n>\n> > deep\n\nend"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="https://example.com/a"></a>', "https://example.com/a"),
        ('<a href="https://example.com/a"><img src="x"></a>', "https://example.com/a"),
        ('<a href="https://example.com/a"><img alt="Lamp"></a>', "Lamp"),
        ('<a href="mailto:ann@example.com"> </a>', "ann@example.com"),
        ('<a href="#top"></a><a href="javascript:x()"></a><a></a>', ""),
        ('<a href="https://example.com/a">text</a>', "text"),
    ],
)
def test_a_link_is_its_text_or_else_its_address(html: str, expected: str) -> None:
    assert from_html(html) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display: none">x</div>',
        '<p style="color:red;DISPLAY:none !important">x</p>',
        "<span hidden>x</span>",
        '<div style="visibility:hidden"><p>x</p></div>',
        "<script>x</script>",
        "<style>x</style>",
        "<template>x</template>",
        "<svg><text>x</text></svg>",
    ],
)
def test_what_is_hidden_is_left_out(hidden: str) -> None:
    assert from_html(f"before {hidden} after").split() == ["before", "after"]


def test_preformatted_text_keeps_its_spaces() -> None:
    assert from_html("<p>a</p><pre>  one\n    two\n\nend</pre>b") == (
        "a\n\n  one\n    two\n\nend\n\nb"
    )


def test_two_line_breaks_part_paragraphs() -> None:
    assert from_html("a<br>b<br><br><br>c") == "a\nb\n\nc"


def test_inline_marks_do_not_part_words() -> None:
    assert from_html("<b>La</b>mp <i> on </i> <span>a</span> stone") == "Lamp on a stone"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "plain",
        "<",
        "<<<>>>",
        "</p></div>",
        "<p",
        "\x00<p>a",
        "\ud800<p>",
        "<!--",
        "&#xD800;&bad;",
    ],
)
def test_garbage_is_read_as_well_as_it_can_be(html: str) -> None:
    assert isinstance(from_html(html), str)


@pytest.mark.parametrize(
    "part",
    [
        *("<div>x", "<ul><li>x", "<blockquote>x", "<table><tr><td>x", "<table></div><div>x"),
        *("<i>x</p>", "<font>x", "<div><q>x</z>", "<!--", "<script>", "<a "),
    ],
)
def test_nesting_beyond_reason_is_stripped_in_linear_time(part: str) -> None:
    text = from_html(part * 20_000)

    assert set("".join(text.split())) <= {"x"}


def test_stripped_text_keeps_its_blocks_and_entities() -> None:
    html = "<style>no</style>" + "<div>" * 600 + "<p>one &amp;<b> two</b></p><p>three</p>"

    assert from_html(html) == "one & two\nthree"


def test_quotes_are_not_indented_without_end() -> None:
    html = "<blockquote>" * 300 + "<p>deep</p>" + "</blockquote>" * 300

    assert from_html(html).count(">") < 30


def test_ordinary_pages_are_sane() -> None:
    row = "<tr><td><p>a <b>b</b> <a href=x>c</a><br><img src=y></td><td>d</td></tr>"

    assert is_sane(f"<html><body><table>{row * 500}</table></body></html>")
    assert is_sane("<p>x" * 5_000)
    assert is_sane("<div><b>x</div></b>" * 5_000)


def test_pages_of_open_elements_are_not_sane() -> None:
    assert not is_sane("<div>" * 600)
    assert not is_sane("<div>" * 600 + "</div>" * 600)
    assert not is_sane("".join(f"<b n={n}>" for n in range(100)) + "<br>" * 400)
    assert not is_sane("<table></div><div>" * 600)
