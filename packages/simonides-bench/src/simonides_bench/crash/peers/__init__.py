"""Trials of a server whose clients and whose model are slow, stuck, or vanish.

What became of it is seen from outside: threads and descriptors in `/proc`, files, answers in time.
"""
