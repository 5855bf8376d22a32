"""Memory-resident parts of an index: arrays that grow, vectors, postings, codes.

Derived and disposable. Knows arrays and integers; must not know items, stores or questions.
Every part is append-only: whoever took a length earlier may go on reading up to it while one
writer appends behind it.
"""
