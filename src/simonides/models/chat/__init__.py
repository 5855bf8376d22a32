"""Adapters of `ChatModel`: one file for each kind of endpoint. They hold no policy."""
