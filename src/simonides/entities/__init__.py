"""People, projects, issues and topics: their mentions and their names.

Pure over items and names. Must not know stores or indexes.
"""
