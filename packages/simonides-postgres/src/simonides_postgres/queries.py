"""The PostgreSQL store's statements, by name.

Must not know what the statements mean.
"""

from simonides.storage import statements as layout

STATEMENTS = layout.all_statements(__package__)
"""Every statement that a transaction runs by name; those of views as `past.items`."""
