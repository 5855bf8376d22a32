"""Questions answered in the database: what is kept for them, and how they are asked.

Vectors as the extension pgvector has them, apart from all else, and exact statistics of each space.
"""
