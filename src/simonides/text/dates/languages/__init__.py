"""The vocabularies of time in other languages, a file each; `dates.translated` reads them."""
