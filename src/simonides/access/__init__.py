"""Access control: keys, permissions, rates and costs. Must not know any interface."""
