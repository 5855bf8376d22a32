-- The statements of a look at the past: but for the first two, each has the name of the one on the
-- present that it stands for. Alive at :revision was what is present and was born by then, and what was archived after. :ceiling is
-- the highest key given out by then: keys and revisions rise together.

-- name: ceiling
-- The birth of the first version at or above a key, present or archived.
SELECT min(born) FROM (
  SELECT * FROM (SELECT born FROM knowledge_items WHERE space_id = %(space)s AND key >= %(key)s ORDER BY key LIMIT 1) AS found
  UNION ALL
  SELECT * FROM (SELECT born FROM knowledge_items_archive WHERE space_id = %(space)s AND key >= %(key)s ORDER BY key LIMIT 1) AS found
) AS found;

-- name: last_key
-- The highest key of a version that is kept, present or archived.
SELECT max(key) FROM (SELECT max(key) AS key FROM knowledge_items WHERE space_id = %(space)s UNION ALL SELECT max(key) FROM knowledge_items_archive WHERE space_id = %(space)s) AS found;

-- name: item_rows
-- The index's columns of the items alive then, and their traits.
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM knowledge_items WHERE space_id = %(space)s AND key > %(floor)s AND key <= %(ceiling)s
UNION ALL
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM knowledge_items_archive WHERE space_id = %(space)s AND key > %(floor)s AND key IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(revision)s AND key <= %(ceiling)s)
ORDER BY key;

-- name: chunk_rows
-- The index's columns of the chunks of the items alive then; what was embedded later waits.
SELECT item_key, ordinal, words, dated, length, terms,
       CASE WHEN embedded > %(revision)s THEN decode(repeat('00', length(vector)), 'hex')
            ELSE vector END,
       CASE WHEN embedded > %(revision)s THEN 0 ELSE embedded END
FROM (
  SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
  FROM chunks JOIN embeddings USING (space_id, item_key, ordinal)
  WHERE space_id = %(space)s AND item_key > %(floor)s AND item_key <= %(ceiling)s
  UNION ALL
  SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
  FROM chunks_archive WHERE space_id = %(space)s AND item_key > %(floor)s AND item_key IN (
    SELECT key FROM knowledge_items_archive
    WHERE space_id = %(space)s AND died > %(revision)s AND key <= %(ceiling)s
  )
) AS alive ORDER BY item_key, ordinal;

-- name: mention_rows
-- The mentions of the items alive then.
SELECT item_key, entity, kind, name, role, ordinal
FROM entity_mentions WHERE space_id = %(space)s AND item_key > %(floor)s AND item_key <= %(ceiling)s
UNION ALL
SELECT item_key, entity, kind, name, role, ordinal
FROM entity_mentions_archive WHERE space_id = %(space)s AND item_key > %(floor)s AND item_key IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(revision)s AND key <= %(ceiling)s)
ORDER BY item_key, ordinal;

-- name: deaths
-- The versions that had left the present by then, after a revision.
SELECT key, died FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(since)s AND died <= %(revision)s ORDER BY died, key;

-- name: item_by_key
-- The whole of one item alive then.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s AND key <= %(ceiling)s
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items_archive WHERE space_id = %(space)s AND key = %(key)s AND key <= %(ceiling)s AND died > %(revision)s;

-- name: item_by_id
-- The whole of the item of one id that was alive then.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s AND key <= %(ceiling)s
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s AND key <= %(ceiling)s AND died > %(revision)s;

-- name: version
-- The whole of one version of one id that there was by then.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s AND version = %(version)s AND key <= %(ceiling)s
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s AND version = %(version)s AND key <= %(ceiling)s;

-- name: chunk_spans
-- Where the chunks of one item began and ended in its content.
SELECT start, stop FROM (
  SELECT ordinal, start, stop FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s
  UNION ALL
  SELECT ordinal, start, stop FROM chunks_archive WHERE space_id = %(space)s AND item_key = %(key)s
) AS found ORDER BY ordinal;

-- name: chunk_span
-- Where one chunk of one item began and ended in its content.
SELECT start, stop FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s AND ordinal = %(ordinal)s
UNION ALL
SELECT start, stop FROM chunks_archive WHERE space_id = %(space)s AND item_key = %(key)s AND ordinal = %(ordinal)s;

-- name: key
-- The key of the item of one id that was alive then.
SELECT key FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s AND key <= %(ceiling)s
UNION ALL
SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s AND key <= %(ceiling)s AND died > %(revision)s;

-- name: digest
-- The digest of the item of one id that was alive then.
SELECT digest FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s AND key <= %(ceiling)s
UNION ALL
SELECT digest FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s AND key <= %(ceiling)s AND died > %(revision)s;

-- name: metadata
-- The metadata of the items alive then, above a key, that may hold a text.
SELECT key, metadata FROM knowledge_items
WHERE space_id = %(space)s AND key > %(floor)s AND key <= %(ceiling)s AND strpos(metadata, %(needle)s) > 0
UNION ALL
SELECT key, metadata FROM knowledge_items_archive
WHERE space_id = %(space)s AND key > %(floor)s AND key IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(revision)s AND key <= %(ceiling)s)
  AND strpos(metadata, %(needle)s) > 0
ORDER BY key;

-- name: moved
-- The metadata of the items alive then that may say that their file was moved.
SELECT key, metadata FROM knowledge_items WHERE space_id = %(space)s AND key <= %(ceiling)s AND strpos(metadata, '"_moved":') > 0
UNION ALL
SELECT key, metadata FROM knowledge_items_archive
WHERE space_id = %(space)s AND key IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(revision)s AND key <= %(ceiling)s)
  AND strpos(metadata, '"_moved":') > 0
ORDER BY key;

-- name: documents_of
-- The keys and ids of the documents of a session alive then.
SELECT key, id FROM knowledge_items
WHERE space_id = %(space)s AND session = %(session)s AND session <> '' AND kind = 'document' AND key <= %(ceiling)s
UNION ALL
SELECT key, id FROM knowledge_items_archive
WHERE space_id = %(space)s AND key IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(revision)s AND key <= %(ceiling)s)
  AND session = %(session)s AND session <> '' AND kind = 'document'
ORDER BY key;

-- name: item_texts
-- The texts of every item alive then, in which words are looked for.
SELECT key, title, summary, content FROM knowledge_items WHERE space_id = %(space)s AND key <= %(ceiling)s
UNION ALL
SELECT key, title, summary, content FROM knowledge_items_archive
WHERE space_id = %(space)s AND key IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(revision)s AND key <= %(ceiling)s)
ORDER BY key;

-- name: item_texts_of
-- The texts of one item alive then, in which words are looked for.
SELECT key, title, summary, content FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s AND key <= %(ceiling)s
UNION ALL
SELECT key, title, summary, content FROM knowledge_items_archive
WHERE space_id = %(space)s AND key = %(key)s AND key <= %(ceiling)s AND died > %(revision)s;

-- name: background
-- The latest snapshot of a collection up to a time, of those put by then.
SELECT id, collection, text, created_us, born
FROM backgrounds
WHERE space_id = %(space)s AND collection = %(collection)s AND due_us IS NULL AND created_us <= %(until_us)s
  AND born <= %(revision)s
ORDER BY created_us DESC, id DESC LIMIT 1;

-- name: backgrounds
-- The latest snapshots of a collection put by then, latest first, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM backgrounds WHERE space_id = %(space)s AND collection = %(collection)s AND due_us IS NULL AND born <= %(revision)s
ORDER BY created_us DESC, id DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: backgrounds_before
-- The snapshots of a collection put by then that come after one that shows, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM backgrounds
WHERE space_id = %(space)s AND collection = %(collection)s AND due_us IS NULL AND born <= %(revision)s AND (created_us, id) < (
  SELECT created_us, id FROM backgrounds
  WHERE space_id = %(space)s AND id = %(before)s AND collection = %(collection)s AND due_us IS NULL AND born <= %(revision)s
)
ORDER BY created_us DESC, id DESC LIMIT nullif(%(limit)s::bigint, -1);
