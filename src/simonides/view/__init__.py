"""One space's index in memory at a revision: it catches up with the store and answers lanes.

Alone in combining `index` with what a store hands over through its port. Must not know
questions, scores or rendering.
"""
