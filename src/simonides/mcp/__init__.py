"""The interface for assistants that speak MCP: tools, resources and a prompt over one memory."""
