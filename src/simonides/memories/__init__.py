"""Memories that change: merging, superseding, preferences, and proposals by others.

A policy: it sees ports and the rooms below, never an adapter.
"""
