"""One space's index in memory at a revision: arrays, filters as masks, snapshots.

Derived and disposable: `SpaceIndex` catches up with the store and answers lanes. Every array is
append-only: whoever took a length earlier may go on reading up to it while one writer appends
behind it. Must not know questions, scores or rendering.
"""
