"""Coding agents on a desktop: what is written into their folders, and what their hooks read."""
