"""The composition root and the façade: the only room that picks adapters."""
