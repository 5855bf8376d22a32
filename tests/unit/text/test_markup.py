import pytest

from simonides.text.clean import from_html


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
def test_nesting_beyond_reason_loses_no_text(part: str) -> None:
    text = from_html(part * 20_000)

    assert set("".join(text.split())) <= set("x->|")
    assert text.count("x") == (0 if "x" not in part else 20_000)


def test_a_deep_page_keeps_its_blocks_and_entities() -> None:
    html = "<style>no</style>" + "<div>" * 600 + "<p>one &amp;<b> two</b></p><p>three</p>"

    assert from_html(html) == "one & two\n\nthree"


def test_quotes_are_not_indented_without_end() -> None:
    html = "<blockquote>" * 300 + "<p>deep</p>" + "</blockquote>" * 300

    assert from_html(html).count(">") < 30


VOID = "area base br col embed hr img input link meta param source track wbr".split()


@pytest.mark.parametrize("tag", VOID)
def test_an_element_without_content_holds_nothing(tag: str) -> None:
    assert from_html(f"<div>a<{tag} hidden>b</div>c").replace("\n", "") == "abc"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<li>one<li>two", "- one\n- two"),
        ("<dl><dt>one<dd>two<dt>three</dl>", "one\ntwo\nthree"),
        ("<p>one<div>two</div>three", "one\n\ntwo\nthree"),
        ("one</p>two", "one\n\ntwo"),
        ("one</br>two", "one\ntwo"),
        ("<h1>one<h2>two</h1>three", "# one\n\n## two\n\nthree"),
        ("<table><td>one<td>two<tr><td>three<td>four</table>", "one | two\nthree | four"),
        ("<table><tr><td>one</div></ul><td>two</table>", "one | two"),
        ("<div><table><td>one</div>two</table>three", "onetwo\n\nthree"),
        ("<td>one</td><td>two</td>", "one\ntwo"),
        ("<table><caption>one</caption><tbody><td>two</table>", "one\ntwo"),
        ("<ul><li>one<div>two<li>three</ul>", "- one\n  two\n- three"),
        ('<a href="https://x.example/"><a>two</a>', "https://x.example/ two"),
        ('<a href="https://x.example/"><div>in</div></a>', "in"),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("<textarea><b>raw</b> &amp;</textarea>", "<b>raw</b> &"),
        ("<pre>\n a\n\n b</pre>", "a\n\n b"),
    ],
)
def test_tags_that_are_left_out_are_implied(html: str, expected: str) -> None:
    assert from_html(html).strip() == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>x<div>x</div>x</div>",
        "<div hidden><p>x</div>",
        "<svg/>",
        "<svg><title>x</title><p>",
        "<math>x<div>",
        "<object>x<object>x</object>x</object>",
        "<ul><li hidden>x<li></ul>",
        "<table><td hidden>x<td></table>",
        "<table><td><span hidden>x</td></table>",
        "<span STYLE='mso-hide : all'>x</span>",
        "<p style=display:none>x<p>",
        "<!-- x ---><!--> <!---> <!-- x --!>",
        "<!doctype x><?xml x?><![if x]></ x>",
        "<title>x</title ><xmp><b>x</xmp>",
        "<i title='>x'></i><i title=\">x\"></i>",
    ],
)
def test_what_is_hidden_ends_where_a_browser_ends_it(hidden: str) -> None:
    assert from_html(f"before {hidden} after").replace("- ", "").split() == ["before", "after"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<p title="never closed>one</p><p>two</p>', "one\n\ntwo"),
        ('one <a href="x>two</a> <b>three', "one two three"),
        ("one <p", "one"),
        ("a < b <3 c", "a < b <3 c"),
        ("<p " + " ".join(f"a{n}=1" for n in range(5_000)) + " hidden>one", "one"),
        ("&#" + "9" * 10_000 + ";one", "\ufffdone"),
        ("&#x" + "f" * 10_000 + ";one", "\ufffdone"),
        ("&amp" * 3, "&&&"),
    ],
)
def test_what_is_written_badly_keeps_its_text(html: str, expected: str) -> None:
    assert from_html(html) == expected
