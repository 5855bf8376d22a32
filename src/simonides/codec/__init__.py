"""One form for every door: records to JSON and back. Knows shapes, must not know any door."""
