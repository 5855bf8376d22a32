"""Retrieval: the plan of a question, lanes, one score, and hits with explanations.

A policy: sees ports and views, never an adapter.
"""
