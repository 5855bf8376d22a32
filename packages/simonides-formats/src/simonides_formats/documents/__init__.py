"""Documents: PDF, Office and the like, notebooks."""
