-- Format 7. Of each item the vectors of its first chunks are counted, no longer of all: what was counted
-- is thrown away, and counted anew with the next write to each space.

TRUNCATE space_statistics;
