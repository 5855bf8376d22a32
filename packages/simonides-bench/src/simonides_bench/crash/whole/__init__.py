"""The crash trials of a whole home: every file that is written, not SQLite's alone.

Its verdicts come from outside: raw bytes of all files, names, threads, descriptors. Must not know
which part writes which file.
"""
