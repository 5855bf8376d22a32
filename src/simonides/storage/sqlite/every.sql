-- The statements of a look at every version, present or past: each has the name of the one on the
-- present that it stands for.

-- name: item_rows
-- The index's columns of every version above a key, and its traits.
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM item WHERE key > :floor
UNION ALL
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM item_archive WHERE key > :floor ORDER BY key;

-- name: chunk_rows
-- The index's columns of the chunks of every version above a key.
SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
FROM chunk WHERE item_key > :floor
UNION ALL
SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
FROM chunk_archive WHERE item_key > :floor ORDER BY item_key, ordinal;

-- name: mention_rows
-- The mentions of every version above a key.
SELECT item_key, entity, kind, name, role, ordinal
FROM mention WHERE item_key > :floor
UNION ALL
SELECT item_key, entity, kind, name, role, ordinal
FROM mention_archive WHERE item_key > :floor ORDER BY item_key, ordinal;

-- name: item_by_key
-- The whole of one version.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item WHERE key = :key
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item_archive WHERE key = :key;

-- name: metadata
-- The metadata of every version above a key that may hold a text.
SELECT key, metadata FROM item WHERE key > :floor AND instr(metadata, :needle)
UNION ALL
SELECT key, metadata FROM item_archive WHERE key > :floor AND instr(metadata, :needle)
ORDER BY key;

-- name: moved
-- The metadata of every version that may say that its file was moved.
SELECT key, metadata FROM item WHERE instr(metadata, '"_moved":')
UNION ALL
SELECT key, metadata FROM item_archive WHERE instr(metadata, '"_moved":')
ORDER BY key;

-- name: documents_of
-- The keys and ids of every version of the documents of a session.
SELECT key, id FROM item WHERE session = :session AND session <> '' AND kind = 'document'
UNION ALL
SELECT key, id FROM item_archive WHERE session = :session AND session <> '' AND kind = 'document'
ORDER BY key;

-- name: chunk_spans
-- Where the chunks of one version begin and end in its content.
SELECT start, stop FROM (
  SELECT ordinal, start, stop FROM chunk WHERE item_key = :key
  UNION ALL
  SELECT ordinal, start, stop FROM chunk_archive WHERE item_key = :key
) ORDER BY ordinal;

-- name: chunk_span
-- Where one chunk of one version begins and ends in its content.
SELECT start, stop FROM chunk WHERE item_key = :key AND ordinal = :ordinal
UNION ALL
SELECT start, stop FROM chunk_archive WHERE item_key = :key AND ordinal = :ordinal;
