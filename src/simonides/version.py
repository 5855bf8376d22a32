"""The engine's version, also written into receipts."""

__version__ = "0.1.0"
