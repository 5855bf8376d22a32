"""Memories of other engines."""
