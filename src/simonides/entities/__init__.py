"""People, projects, issues and topics: where they are mentioned, and which names mean them.

Pure over items and names. Must not know stores or indexes.
"""
