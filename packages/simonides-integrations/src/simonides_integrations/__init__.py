"""Simonides behind the interfaces of agent frameworks: one module each, which imports its own.

Knows how a framework's records become items and back. Must not know how items are kept or ranked:
everything goes through the public `Memory`.
"""
