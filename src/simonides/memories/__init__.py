"""Memories that change: what becomes of a new one, who wins, and what others propose.

A policy: it sees ports and the rooms below, never an adapter.
"""
