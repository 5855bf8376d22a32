"""The crash trials of a whole home: every file that any part of the engine writes, not SQLite's alone.

Its verdicts come from outside: raw bytes of all files, names, threads, descriptors. Must not know
which part writes which file.
"""
