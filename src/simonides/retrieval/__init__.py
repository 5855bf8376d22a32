"""The way of a question: plan, lanes, one score, hits with explanations.

A policy: sees ports and views, never an adapter.
"""
