"""Exports of tasks and issues."""
