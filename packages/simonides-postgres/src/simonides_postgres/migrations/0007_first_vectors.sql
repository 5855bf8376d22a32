-- Format 7. Vectors are counted by the first of each item, no longer by all chunks: what was counted is
-- thrown away, and counted anew with the next write to each space.

TRUNCATE space_statistics;
