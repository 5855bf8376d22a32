"""Adapters of `Reranker`: a cross-encoder on this machine, and an endpoint. They hold no policy."""
