"""How likely a hit belongs to the answer: the fit of the weights, and how good they are."""
