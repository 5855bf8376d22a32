"""Adapters of `ports.Embedder`: a model on this machine, or one behind an HTTP endpoint."""
