"""Exports of notes."""
