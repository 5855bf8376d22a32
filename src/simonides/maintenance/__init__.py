"""Looking after a space: re-embedding and checking."""
