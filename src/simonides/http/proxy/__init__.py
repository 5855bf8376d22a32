"""The door for OpenAI's clients: their requests go on to a model, with context, and are kept."""
