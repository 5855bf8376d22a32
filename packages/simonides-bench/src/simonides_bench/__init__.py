"""Measuring: quality on labelled data, speed beside the machine's own limits."""
