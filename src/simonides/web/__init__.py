"""The pages of a memory: what it holds, what it would say, and why."""
