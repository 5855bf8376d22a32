"""Embedding and language models, and the HTTP client that all endpoints share."""
