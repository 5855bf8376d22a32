"""The door for assistants that speak the Model Context Protocol. One file per tool; no logic."""
