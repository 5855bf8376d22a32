"""The brief: what of the hits goes to the model, within a hard budget, and why the rest does not.

A policy: sees records and token counting, never an adapter.
"""
