"""The brief: the selection of hits for the model, within a hard budget, with reasons.

A policy: sees records and token counting, never an adapter.
"""
