-- Format 6. Vectors may follow their items. `embedded` is NULL where a chunk's vector came with its
-- item, 0 where it is still waited for (the vector is then all zeros), and else the revision at which
-- it came. No row is rewritten. A past version keeps what it had when it left the present.

ALTER TABLE chunk ADD COLUMN embedded INTEGER CHECK (embedded >= 0);
ALTER TABLE chunk_archive ADD COLUMN embedded INTEGER CHECK (embedded >= 0);

-- Those that wait, and those that views must catch up with: few or none, but after a large import.
CREATE INDEX chunk_embedded ON chunk (embedded) WHERE embedded IS NOT NULL;
