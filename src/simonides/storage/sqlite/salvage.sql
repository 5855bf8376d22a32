-- The statements of a repair: what a damaged file still tells, and how it gets into a new one.

-- Texts are asked for as bytes: what is no text any more would else hide the row that it is in.

-- name: facts
-- What the space says of itself.
SELECT CAST(key AS BLOB), CASE typeof(value) WHEN 'text' THEN CAST(value AS BLOB) ELSE value END
FROM meta;

-- name: every_id
-- Every id of which a version is kept.
SELECT id FROM item UNION SELECT id FROM item_archive ORDER BY id;

-- name: last_key
-- The highest key of an item that was ever given out, if that can be told.
SELECT seq FROM sqlite_sequence WHERE name = 'item';

-- name: item_keys
-- The keys of present items.
SELECT key FROM item ORDER BY key;

-- name: archived_keys
-- The keys of past versions.
SELECT key FROM item_archive ORDER BY key;

-- name: item_ids
-- The keys and ids of present items, by the index on ids alone.
SELECT key, CAST(id AS BLOB) FROM item INDEXED BY sqlite_autoindex_item_1 ORDER BY id;

-- name: archived_ids
-- The keys and ids of past versions, by the index on ids alone.
SELECT key, CAST(id AS BLOB) FROM item_archive INDEXED BY item_archive_id ORDER BY id;

-- name: item_row
-- The whole of one present item.
SELECT key, CAST(id AS BLOB), version, born, stored_us, digest, CAST(kind AS BLOB),
       CAST(source AS BLOB), CAST(source_id AS BLOB), CAST(collection AS BLOB),
       CAST(session AS BLOB), position, happened_us, CAST(language AS BLOB), CAST(tags AS BLOB),
       CAST(traits AS BLOB), CAST(people AS BLOB), CAST(metadata AS BLOB), CAST(title AS BLOB),
       CAST(summary AS BLOB), CAST(content AS BLOB), CAST(quoted AS BLOB), NULL, NULL, ''
FROM item WHERE key = :key;

-- name: archived_row
-- The whole of one past version.
SELECT key, CAST(id AS BLOB), version, born, stored_us, digest, CAST(kind AS BLOB),
       CAST(source AS BLOB), CAST(source_id AS BLOB), CAST(collection AS BLOB),
       CAST(session AS BLOB), position, happened_us, CAST(language AS BLOB), CAST(tags AS BLOB),
       CAST(traits AS BLOB), CAST(people AS BLOB), CAST(metadata AS BLOB), CAST(title AS BLOB),
       CAST(summary AS BLOB), CAST(content AS BLOB), CAST(quoted AS BLOB), died, died_us, CAST(cause AS BLOB)
FROM item_archive WHERE key = :key;

-- name: chunks_of
-- The chunks of one present item. Before format 6 the last column is not there.
SELECT * FROM chunk
WHERE item_key = :key ORDER BY ordinal;

-- name: archived_chunks_of
-- The chunks of one past version.
SELECT * FROM chunk_archive
WHERE item_key = :key ORDER BY ordinal;

-- name: put_item
-- Put a present item into the new file, with its key.
INSERT INTO item (key, id, version, born, stored_us, digest, kind, source, source_id, collection,
                  session, position, happened_us, language, tags, traits, people, metadata, title,
                  summary, content, quoted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_archived
-- Put a past version into the new file, with its key.
INSERT INTO item_archive (key, id, version, born, stored_us, digest, kind, source, source_id,
                          collection, session, position, happened_us, language, tags, traits,
                          people, metadata, title, summary, content, quoted, died, died_us, cause)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_archived_chunk
-- Put a chunk of a past version into the new file.
INSERT INTO chunk_archive (item_key, ordinal, start, stop, words, dated, length, terms, vector,
                           embedded)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_archived_mention
-- Put a mention of a past version into the new file.
INSERT INTO mention_archive (item_key, ordinal, entity, kind, name, role)
VALUES (?, ?, ?, ?, ?, ?);

-- name: set_last_key
-- Say which keys were given out, so that none is used again.
UPDATE sqlite_sequence SET seq = :key WHERE name = 'item' AND seq < :key;

-- name: begin_last_key
-- Say so in a file whose items are all past.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'item', :key WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'item');
