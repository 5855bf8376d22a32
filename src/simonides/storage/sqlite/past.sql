-- The statements of a look at the past: but for the first two, each has the name of the one on the
-- present that it stands for. Alive at :revision was what is present and was born by then, and what was archived after. :ceiling is
-- the highest key given out by then: keys and revisions rise together.

-- name: ceiling
-- The birth of the first version at or above a key, present or archived.
SELECT min(born) FROM (
  SELECT * FROM (SELECT born FROM item WHERE key >= :key ORDER BY key LIMIT 1)
  UNION ALL
  SELECT * FROM (SELECT born FROM item_archive WHERE key >= :key ORDER BY key LIMIT 1)
);

-- name: last_key
-- The highest key of a version that is kept, present or archived.
SELECT max(key) FROM (SELECT max(key) AS key FROM item UNION ALL SELECT max(key) FROM item_archive);

-- name: item_rows
-- The index's columns of the items alive then, and their traits.
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM item WHERE key > :floor AND key <= :ceiling
UNION ALL
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM item_archive WHERE key > :floor AND key IN (SELECT key FROM item_archive WHERE died > :revision AND key <= :ceiling)
ORDER BY key;

-- name: chunk_rows
-- The index's columns of the chunks of the items alive then; what was embedded later waits.
SELECT item_key, ordinal, words, dated, length, terms,
       iif(embedded > :revision, zeroblob(octet_length(vector)), vector) AS vector,
       iif(embedded > :revision, 0, embedded) AS embedded
FROM chunk WHERE item_key > :floor AND item_key <= :ceiling
UNION ALL
SELECT item_key, ordinal, words, dated, length, terms,
       iif(embedded > :revision, zeroblob(octet_length(vector)), vector) AS vector,
       iif(embedded > :revision, 0, embedded) AS embedded
FROM chunk_archive WHERE item_key > :floor AND item_key IN (SELECT key FROM item_archive WHERE died > :revision AND key <= :ceiling)
ORDER BY item_key, ordinal;

-- name: mention_rows
-- The mentions of the items alive then.
SELECT item_key, entity, kind, name, role, ordinal
FROM mention WHERE item_key > :floor AND item_key <= :ceiling
UNION ALL
SELECT item_key, entity, kind, name, role, ordinal
FROM mention_archive WHERE item_key > :floor AND item_key IN (SELECT key FROM item_archive WHERE died > :revision AND key <= :ceiling)
ORDER BY item_key, ordinal;

-- name: deaths
-- The versions that had left the present by then, after a revision.
SELECT key, died FROM item_archive WHERE died > :since AND died <= :revision ORDER BY died, key;

-- name: item_by_key
-- The whole of one item alive then.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item WHERE key = :key AND key <= :ceiling
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item_archive WHERE key = :key AND key <= :ceiling AND died > :revision;

-- name: item_by_id
-- The whole of the item of one id that was alive then.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item WHERE id = :id AND key <= :ceiling
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item_archive WHERE id = :id AND key <= :ceiling AND died > :revision;

-- name: version
-- The whole of one version of one id that there was by then.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item WHERE id = :id AND version = :version AND key <= :ceiling
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item_archive WHERE id = :id AND version = :version AND key <= :ceiling;

-- name: chunk_spans
-- Where the chunks of one item began and ended in its content.
SELECT start, stop FROM (
  SELECT ordinal, start, stop FROM chunk WHERE item_key = :key
  UNION ALL
  SELECT ordinal, start, stop FROM chunk_archive WHERE item_key = :key
) ORDER BY ordinal;

-- name: chunk_span
-- Where one chunk of one item began and ended in its content.
SELECT start, stop FROM chunk WHERE item_key = :key AND ordinal = :ordinal
UNION ALL
SELECT start, stop FROM chunk_archive WHERE item_key = :key AND ordinal = :ordinal;

-- name: key
-- The key of the item of one id that was alive then.
SELECT key FROM item WHERE id = :id AND key <= :ceiling
UNION ALL
SELECT key FROM item_archive WHERE id = :id AND key <= :ceiling AND died > :revision;

-- name: digest
-- The digest of the item of one id that was alive then.
SELECT digest FROM item WHERE id = :id AND key <= :ceiling
UNION ALL
SELECT digest FROM item_archive WHERE id = :id AND key <= :ceiling AND died > :revision;

-- name: metadata
-- The metadata of the items alive then, above a key, that may hold a text.
SELECT key, metadata FROM item
WHERE key > :floor AND key <= :ceiling AND instr(metadata, :needle)
UNION ALL
SELECT key, metadata FROM item_archive
WHERE key > :floor AND key IN (SELECT key FROM item_archive WHERE died > :revision AND key <= :ceiling)
  AND instr(metadata, :needle)
ORDER BY key;

-- name: moved
-- The metadata of the items alive then that may say that their file was moved.
SELECT key, metadata FROM item WHERE key <= :ceiling AND instr(metadata, '"_moved":')
UNION ALL
SELECT key, metadata FROM item_archive
WHERE key IN (SELECT key FROM item_archive WHERE died > :revision AND key <= :ceiling)
  AND instr(metadata, '"_moved":')
ORDER BY key;

-- name: documents_of
-- The keys and ids of the documents of a session alive then.
SELECT key, id FROM item
WHERE session = :session AND session <> '' AND kind = 'document' AND key <= :ceiling
UNION ALL
SELECT key, id FROM item_archive
WHERE key IN (SELECT key FROM item_archive WHERE died > :revision AND key <= :ceiling)
  AND session = :session AND session <> '' AND kind = 'document'
ORDER BY key;

-- name: item_texts
-- The texts of every item alive then, in which words are looked for.
SELECT key, title, summary, content FROM item WHERE key <= :ceiling
UNION ALL
SELECT key, title, summary, content FROM item_archive
WHERE key IN (SELECT key FROM item_archive WHERE died > :revision AND key <= :ceiling)
ORDER BY key;

-- name: item_texts_of
-- The texts of one item alive then, in which words are looked for.
SELECT key, title, summary, content FROM item WHERE key = :key AND key <= :ceiling
UNION ALL
SELECT key, title, summary, content FROM item_archive
WHERE key = :key AND key <= :ceiling AND died > :revision;

-- name: background
-- The latest snapshot of a collection up to a time, of those put by then.
SELECT id, collection, text, created_us, born
FROM background
WHERE collection = :collection AND due_us IS NULL AND created_us <= :until_us
  AND born <= :revision
ORDER BY created_us DESC, id DESC LIMIT 1;

-- name: backgrounds
-- The latest snapshots of a collection put by then, latest first, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM background WHERE collection = :collection AND due_us IS NULL AND born <= :revision
ORDER BY created_us DESC, id DESC LIMIT :limit;

-- name: backgrounds_before
-- The snapshots of a collection put by then that come after one that shows, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM background
WHERE collection = :collection AND due_us IS NULL AND born <= :revision AND (created_us, id) < (
  SELECT created_us, id FROM background
  WHERE id = :before AND collection = :collection AND due_us IS NULL AND born <= :revision
)
ORDER BY created_us DESC, id DESC LIMIT :limit;
