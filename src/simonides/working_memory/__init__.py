"""Adapters of `WorkingMemory`: values that live for minutes."""
