"""Records to JSON and back, in one form for all interfaces. Knows types, and no interface."""
