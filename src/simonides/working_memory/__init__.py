"""Adapters of `WorkingMemory`: short-lived values."""
