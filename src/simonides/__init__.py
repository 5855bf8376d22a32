"""Simonides: an embeddable memory and context engine for LLM assistants."""
