"""The rules of who may do what: keys, rates, and answers given once. Must not know any door."""
