"""The assistant: a message, its context, a model with tools, and a stored answer.

Sees ports, never an adapter. A language model is a guest here: what it says can add, by the same
rules as anyone's words, and can destroy nothing.
"""
