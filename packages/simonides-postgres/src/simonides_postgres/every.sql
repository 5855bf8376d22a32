-- The statements of a look at every version, present or past: each has the name of the one on the
-- present that it stands for.

-- name: item_rows
-- The index's columns of every version above a key, and its traits.
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM knowledge_items WHERE space_id = %(space)s AND key > %(floor)s
UNION ALL
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM knowledge_items_archive WHERE space_id = %(space)s AND key > %(floor)s ORDER BY key;

-- name: chunk_rows
-- The index's columns of the chunks of every version above a key.
SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
FROM chunks JOIN embeddings USING (space_id, item_key, ordinal)
WHERE space_id = %(space)s AND item_key > %(floor)s
UNION ALL
SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
FROM chunks_archive WHERE space_id = %(space)s AND item_key > %(floor)s ORDER BY item_key, ordinal;

-- name: mention_rows
-- The mentions of every version above a key.
SELECT item_key, entity, kind, name, role, ordinal
FROM entity_mentions WHERE space_id = %(space)s AND item_key > %(floor)s
UNION ALL
SELECT item_key, entity, kind, name, role, ordinal
FROM entity_mentions_archive WHERE space_id = %(space)s AND item_key > %(floor)s ORDER BY item_key, ordinal;

-- name: item_by_key
-- The whole of one version.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items_archive WHERE space_id = %(space)s AND key = %(key)s;

-- name: metadata
-- The metadata of every version above a key that may hold a text.
SELECT key, metadata FROM knowledge_items WHERE space_id = %(space)s AND key > %(floor)s AND strpos(metadata, %(needle)s) > 0
UNION ALL
SELECT key, metadata FROM knowledge_items_archive WHERE space_id = %(space)s AND key > %(floor)s AND strpos(metadata, %(needle)s) > 0
ORDER BY key;

-- name: moved
-- The metadata of every version that may say that its file was moved.
SELECT key, metadata FROM knowledge_items WHERE space_id = %(space)s AND strpos(metadata, '"_moved":') > 0
UNION ALL
SELECT key, metadata FROM knowledge_items_archive WHERE space_id = %(space)s AND strpos(metadata, '"_moved":') > 0
ORDER BY key;

-- name: documents_of
-- The keys and ids of every version of the documents of a session.
SELECT key, id FROM knowledge_items WHERE space_id = %(space)s AND session = %(session)s AND session <> '' AND kind = 'document'
UNION ALL
SELECT key, id FROM knowledge_items_archive WHERE space_id = %(space)s AND session = %(session)s AND session <> '' AND kind = 'document'
ORDER BY key;

-- name: chunk_spans
-- Where the chunks of one version begin and end in its content.
SELECT start, stop FROM (
  SELECT ordinal, start, stop FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s
  UNION ALL
  SELECT ordinal, start, stop FROM chunks_archive WHERE space_id = %(space)s AND item_key = %(key)s
) AS found ORDER BY ordinal;

-- name: chunk_span
-- Where one chunk of one version begins and ends in its content.
SELECT start, stop FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s AND ordinal = %(ordinal)s
UNION ALL
SELECT start, stop FROM chunks_archive WHERE space_id = %(space)s AND item_key = %(key)s AND ordinal = %(ordinal)s;
