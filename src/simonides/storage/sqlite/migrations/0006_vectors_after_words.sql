-- Format 6. Vectors may follow their items. `embedded` is NULL where a chunk's vector came with its
-- item, 0 where it is still waited for (the vector is then all zeros), and else the revision at which
-- it came. No row is rewritten. A past version keeps what it had when it left the present.

ALTER TABLE chunk ADD COLUMN embedded INTEGER CHECK (embedded >= 0);
ALTER TABLE chunk_archive ADD COLUMN embedded INTEGER CHECK (embedded >= 0);

-- Those that wait, and those that views must catch up with: few or none, but after a large import.
CREATE INDEX chunk_embedded ON chunk (embedded) WHERE embedded IS NOT NULL;

-- What an import looks for of before: the parts of a document, and files that were moved. Most items
-- are in neither. A file of this format that was made without them is read right, only slower.
CREATE INDEX item_document_session ON item (session) WHERE kind = 'document' AND session <> '';
CREATE INDEX item_moved ON item (key) WHERE instr(metadata, '"_moved":');

-- The chunks of a re-embedding under way: those of another embedder, until there are some of every
-- present item and they take the place of all others. They go with their item. `meta` says which
-- embedder they are of (`reembedding`).
CREATE TABLE next_chunk (
  item_key INTEGER NOT NULL REFERENCES item (key) ON DELETE CASCADE,
  ordinal  INTEGER NOT NULL,
  start    INTEGER NOT NULL,
  stop     INTEGER NOT NULL,
  words    INTEGER NOT NULL,
  dated    INTEGER NOT NULL,
  length   INTEGER NOT NULL,
  terms    BLOB    NOT NULL,
  vector   BLOB    NOT NULL,
  PRIMARY KEY (item_key, ordinal)
) STRICT;
