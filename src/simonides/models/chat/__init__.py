"""Adapters of `ChatModel`: one file per sort of endpoint. They know wires, and no policy."""
