"""Text processing: tokens, terms, sentences, chunks, languages, dates and summaries. Pure.

Pure: no clock, no randomness, no I/O but the packaged lists of stop words, read once. Knows
nothing of items, spaces or scores. Import the module you need; each loads only what it uses.
"""
