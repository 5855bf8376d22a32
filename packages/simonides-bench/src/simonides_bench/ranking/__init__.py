"""`simonides bench ranking`: the weights of ranking and relevance, fitted and judged."""
