"""Maintenance of a space: compaction, erasure, export, backup, re-embedding, checks, repair."""
