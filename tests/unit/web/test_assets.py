"""Files of others in the package: byte for byte what their makers published."""

from hashlib import sha256
from importlib.resources import files

HTMX = "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"
"""Of `dist/htmx.min.js` in the npm package htmx.org 4.0.1."""


def test_htmx_is_the_published_file_with_its_licence() -> None:
    static = files("simonides.web") / "static"

    assert sha256((static / "htmx-4.0.1.min.js").read_bytes()).hexdigest() == HTMX
    assert "Zero-Clause BSD" in (static / "htmx-LICENSE.txt").read_text("utf-8")
