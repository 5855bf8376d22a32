"""What people put onto the pages of a PDF: values of form fields and comments, by PDFium.

The text of a page holds neither. Must not know items. Loaded by `pdf_pages.py` alone.
"""

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

ANNOTATIONS_MAX = 10_000
"""Most annotations of a page that are read; a dense form has hundreds."""

_CHOSEN = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_TYPED = (
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)


def annotation_lines(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> list[str]:
    """Return a line for each field of a page that is filled in, and for each comment, once."""
    return list(dict.fromkeys(filter(None, _lines(document, page))))


def read_attached_names(document: pypdfium2.PdfDocument) -> Iterator[str]:
    """Yield the names of the files inside of a document; a damaged one has none."""
    for at in range(document.count_attachments()):
        try:
            yield document.get_attachment(at).get_name()
        except pypdfium2.PdfiumError:
            yield ""


def _lines(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[str]:
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page), ANNOTATIONS_MAX)):
        annotation = pdfium.FPDFPage_GetAnnot(page, at)
        if not annotation:
            continue
        try:
            if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET:
                yield _field(document.formenv, annotation) if document.formenv else ""
            else:
                yield _comment(annotation)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _field(form: Any, annotation: Any) -> str:
    """Return the name and the value of a field; "" for one that is empty or not chosen."""
    kind, value = pdfium.FPDFAnnot_GetFormFieldType(form, annotation), ""
    if kind in _TYPED:
        value = _text(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    elif kind in _CHOSEN and pdfium.FPDFAnnot_IsChecked(form, annotation):
        value = _text(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation)
    name = _text(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    name = name or _text(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)
    return f"{name}: {value}" if value else ""


def _comment(annotation: Any) -> str:
    said, author = (_text(pdfium.FPDFAnnot_GetStringValue, annotation, key) for key in _SAID)
    by = f" by {author}" if author else ""
    return f"[Comment{by}: {said}]" if said else ""


_SAID = (b"Contents", b"T")
"""The keys of what an annotation says and of who made it (ISO 32000-1, 12.5.2 and 12.5.6.2)."""


def _text(function: Callable[..., int], *arguments: Any) -> str:
    """Return the text that a function writes into a buffer, on one line."""
    size = function(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size)
    function(*arguments, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return " ".join(buffer.raw.decode("utf-16-le", "replace").rstrip("\0").split())
