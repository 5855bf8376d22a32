"""Documents whose changes are tracked: what was taken away is still in the file."""

from pathlib import Path

from tests.unit.importers.task_files import items

from simonides_bench.testing import documents as make


def test_text_of_a_word_file_that_was_moved_or_deleted_stands_at_its_new_place_only(
    tmp_path: Path,
) -> None:
    run = "<w:r><w:rPr><w:b/></w:rPr><w:t>The slip is closed.</w:t></w:r>"
    mark = '<w:pPr><w:rPr><w:moveFrom w:id="1"/><w:del w:id="2"/></w:rPr></w:pPr>'
    gone = "<w:del w:id='3'><w:r><w:tab/><w:delText>Old</w:delText></w:r></w:del>"
    body = (
        f'<w:p>{mark}<w:moveFromRangeStart w:id="4" w:name="m"/><w:moveFrom w:id="5">{run}'
        f'<w:del w:id="6"><w:r><w:t>Gone</w:t></w:r></w:del>{run}</w:moveFrom>'
        f'<w:moveFromRangeEnd w:id="4"/></w:p>{make.paragraph("Kept")}'
        f'<w:p>{gone}<w:moveTo w:id="7">{run}</w:moveTo></w:p>'
    )
    [item] = items(tmp_path, make.docx(body), name="a.docx")

    assert item.content == "Kept\n\nThe slip is closed."
