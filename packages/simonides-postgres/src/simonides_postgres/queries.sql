-- Every statement that the PostgreSQL store runs on the present of a space. Each begins with
-- `-- name:` and a sentence that says what it returns or does, and names the space: as a condition on
-- each table that it reads, so that in tables distributed by space one node answers it. What adds rows
-- by a SELECT takes their space from a table for the same reason: only then does Citus run it where
-- the rows are; else it would copy them there (COPY), which row-level security refuses.

-- name: floor_key
-- The highest present key born at or before a revision. Keys and revisions rise together, so that
-- whatever lies above was born after it.
SELECT key FROM knowledge_items WHERE space_id = %(space)s AND born <= %(since)s ORDER BY key DESC LIMIT 1;

-- name: item_rows
-- The index's columns of the present items above a key, and their traits.
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM knowledge_items WHERE space_id = %(space)s AND key > %(floor)s ORDER BY key;

-- name: chunk_rows
-- The index's columns of the chunks of the present items above a key.
SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
FROM chunks JOIN embeddings USING (space_id, item_key, ordinal)
WHERE space_id = %(space)s AND item_key > %(floor)s ORDER BY item_key, ordinal;

-- name: late_vectors
-- The vectors that came after a revision to chunks of present items up to a key.
SELECT item_key, ordinal, vector, embedded FROM embeddings
WHERE space_id = %(space)s AND embedded > %(since)s AND item_key <= %(floor)s ORDER BY item_key, ordinal;

-- name: waiting
-- The chunks of present items that wait for their vectors, those of the newest items first.
SELECT item_key, ordinal FROM embeddings
JOIN knowledge_items AS item ON item.space_id = embeddings.space_id AND item.key = item_key
WHERE embeddings.space_id = %(space)s AND embedded = 0
ORDER BY coalesce(happened_us, stored_us) DESC, key DESC, ordinal;

-- name: count_waiting
-- How many chunks of present items wait for their vectors.
SELECT count(*) FROM embeddings WHERE space_id = %(space)s AND embedded = 0;

-- name: put_vector
-- Give a chunk the vector that it waits for, in a revision.
UPDATE embeddings SET vector = %(vector)s, embedded = %(revision)s
WHERE space_id = %(space)s AND item_key = %(key)s AND ordinal = %(ordinal)s AND embedded = 0;

-- name: mention_rows
-- The mentions of the present items above a key.
SELECT item_key, entity, kind, name, role
FROM entity_mentions WHERE space_id = %(space)s AND item_key > %(floor)s ORDER BY item_key, ordinal;

-- name: deaths
-- The versions that left the present after a revision.
SELECT key, died FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(since)s ORDER BY died, key;

-- name: item_by_key
-- The whole of one present item.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s;

-- name: item_by_id
-- The whole of the present item of one id.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s;

-- name: version
-- The whole of one version of one id, present or archived.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s AND version = %(version)s
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s AND version = %(version)s;

-- name: chunk_spans
-- Where one item's chunks begin and end in its content.
SELECT start, stop FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s ORDER BY ordinal;

-- name: chunk_span
-- Where one of an item's chunks begins and ends in its content.
SELECT start, stop FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s AND ordinal = %(ordinal)s;

-- name: key
-- The key of the present item of one id.
SELECT key FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s;

-- name: digest
-- The digest of the present item of one id.
SELECT digest FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s;

-- name: metadata
-- The metadata of the present items above a key that may hold a text.
SELECT key, metadata FROM knowledge_items WHERE space_id = %(space)s AND key > %(floor)s AND strpos(metadata, %(needle)s) > 0 ORDER BY key;

-- name: moved
-- The metadata of the present items that may say that their file was moved.
SELECT key, metadata FROM knowledge_items WHERE space_id = %(space)s AND strpos(metadata, '"_moved":') > 0 ORDER BY key;

-- name: documents_of
-- The keys and ids of the present documents of a session.
SELECT key, id FROM knowledge_items WHERE space_id = %(space)s AND session = %(session)s AND session <> '' AND kind = 'document'
ORDER BY key;

-- name: item_texts
-- The texts of every present item in which words are looked for.
SELECT key, title, summary, content FROM knowledge_items WHERE space_id = %(space)s ORDER BY key;

-- name: item_texts_of
-- The texts of one present item in which words are looked for.
SELECT key, title, summary, content FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s;

-- name: background
-- The latest snapshot of a collection up to a time.
SELECT id, collection, text, created_us, born
FROM backgrounds WHERE space_id = %(space)s AND collection = %(collection)s AND due_us IS NULL AND created_us <= %(until_us)s
ORDER BY created_us DESC, id DESC LIMIT 1;

-- name: backgrounds
-- The latest snapshots of a collection, latest first, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM backgrounds WHERE space_id = %(space)s AND collection = %(collection)s AND due_us IS NULL
ORDER BY created_us DESC, id DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: backgrounds_before
-- The snapshots of a collection that come after one that shows, latest first, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM backgrounds WHERE space_id = %(space)s AND collection = %(collection)s AND due_us IS NULL AND (created_us, id) < (
  SELECT created_us, id FROM backgrounds
  WHERE space_id = %(space)s AND id = %(before)s AND collection = %(collection)s AND due_us IS NULL
)
ORDER BY created_us DESC, id DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: background_by_id
-- One snapshot, due to go or not.
SELECT id, collection, text, created_us, born FROM backgrounds WHERE space_id = %(space)s AND id = %(id)s;

-- name: engagement
-- How often one item was engaged with up to a revision, and when last.
SELECT sum(times)::bigint, max(at_us) FROM engagements WHERE space_id = %(space)s AND item_id = %(id)s AND born <= %(revision)s;

-- name: surrogate
-- The surrogate of one present item by one algorithm, unless it is stale.
SELECT item_key, algorithm, surrogates.version, source_hash, "full", gist, micro
FROM surrogates JOIN knowledge_items AS item
  ON item.space_id = surrogates.space_id AND item.key = item_key AND item.digest = source_hash
WHERE surrogates.space_id = %(space)s AND item_key = %(key)s AND algorithm = %(algorithm)s;

-- name: without_surrogates
-- Present items above a key that lack a surrogate, key and digest first, then the whole, unless their
-- content is too short even in bytes.
SELECT key, digest, id, item.version, born, stored_us, digest, kind, source, source_id, collection,
       session, position, happened_us, language, tags, traits, people, metadata, title, summary,
       content, quoted
FROM knowledge_items AS item LEFT JOIN surrogates
  ON surrogates.space_id = item.space_id AND item_key = key AND algorithm = %(algorithm)s
WHERE item.space_id = %(space)s AND key > %(floor)s AND octet_length(content) >= %(bytes_min)s
  AND (item_key IS NULL OR surrogates.version <> %(version)s OR source_hash <> digest)
ORDER BY key LIMIT %(limit)s;

-- name: receipt
-- One receipt as it was kept.
SELECT text FROM receipts WHERE space_id = %(space)s AND id = %(id)s;

-- name: receipts
-- Receipts of briefs or of imports, last kept first, after one of them or from the first on.
SELECT id, at_us, text FROM receipts
WHERE space_id = %(space)s AND starts_with(id, 'import:') = %(imports)s
  AND (%(before)s = '' OR (at_us, id) < (SELECT at_us, id FROM receipts WHERE space_id = %(space)s AND id = %(before)s))
ORDER BY at_us DESC, id DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: present
-- The key, version and digest of the present item of one id.
SELECT key, version, digest FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s;

-- name: present_of
-- The id, key, version and digest of the present items of several ids, a JSON list.
SELECT id, key, version, digest FROM knowledge_items WHERE space_id = %(space)s AND id IN (SELECT json_array_elements_text(%(ids)s::json));

-- name: past_of
-- The id, version and cause of the last archived version of each of several ids, a JSON list.
SELECT DISTINCT ON (id) id, version, cause FROM knowledge_items_archive
WHERE space_id = %(space)s AND id IN (SELECT json_array_elements_text(%(ids)s::json))
ORDER BY id, key DESC;

-- name: add_item
-- Add one version of one item to the present.
INSERT INTO knowledge_items
  (space_id, key, version, born, stored_us, id, digest, kind, source, source_id, collection,
   session, position, happened_us, language, tags, traits, people, metadata, title, summary, content,
   quoted)
SELECT own.space_id, one.* FROM spaces AS own CROSS JOIN unnest(
  %(key)b::bigint[], %(version)b::bigint[], %(born)b::bigint[], %(stored_us)b::bigint[],
  %(id)b::text[], %(digest)b::bytea[], %(kind)b::text[], %(source)b::text[], %(source_id)b::text[],
  %(collection)b::text[], %(session)b::text[], %(position)b::bigint[], %(happened_us)b::bigint[],
  %(language)b::text[], %(tags)b::text[], %(traits)b::text[], %(people)b::text[],
  %(metadata)b::text[], %(title)b::text[], %(summary)b::text[], %(content)b::text[],
  %(quoted)b::text[]) AS one WHERE own.space_id = %(space)s;

-- name: add_chunk
-- Add one chunk of a present item.
INSERT INTO chunks (space_id, item_key, ordinal, start, stop, words, dated, length, terms, tsv)
SELECT own.space_id, one.item_key, one.ordinal, one.start, one.stop, one.words, one.dated, one.length,
       one.terms, one.tsv::tsvector
FROM spaces AS own CROSS JOIN unnest(
  %(item_key)b::bigint[], %(ordinal)b::integer[], %(start)b::integer[], %(stop)b::integer[],
  %(words)b::integer[], %(dated)b::smallint[], %(length)b::integer[], %(terms)b::bytea[],
  %(tsv)b::text[]
) AS one (item_key, ordinal, start, stop, words, dated, length, terms, tsv)
WHERE own.space_id = %(space)s;

-- name: add_vector
-- Add the vector of one chunk.
INSERT INTO embeddings (space_id, item_key, ordinal, vector, embedded)
SELECT own.space_id, one.* FROM spaces AS own CROSS JOIN unnest(
  %(item_key)b::bigint[], %(ordinal)b::integer[], %(vector)b::bytea[], %(embedded)b::bigint[]
) AS one WHERE own.space_id = %(space)s;

-- name: add_mention
-- Add one mention of a present item.
INSERT INTO entity_mentions (space_id, item_key, ordinal, entity, kind, name, role)
SELECT own.space_id, one.* FROM spaces AS own CROSS JOIN unnest(
  %(item_key)b::bigint[], %(ordinal)b::integer[], %(entity)b::text[], %(kind)b::text[],
  %(name)b::text[], %(role)b::text[]) AS one WHERE own.space_id = %(space)s;

-- name: archive_item
-- Copy one present item to the archive.
INSERT INTO knowledge_items_archive (space_id, key, id, version, born, stored_us, digest, kind, source, source_id,
                          collection, session, position, happened_us, language, tags, traits,
                          people, metadata, title, summary, content, quoted, died, died_us, cause)
SELECT space_id, key, id, version, born, stored_us, digest, kind, source, source_id,
       collection, session, position, happened_us, language, tags, traits,
       people, metadata, title, summary, content, quoted, %(died)s, %(died_us)s, %(cause)s
FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s;

-- name: archive_chunks
-- Copy one present item's chunks to the archive.
INSERT INTO chunks_archive (space_id, item_key, ordinal, start, stop, words, dated, length, terms,
                            vector, embedded)
SELECT chunks.space_id, item_key, ordinal, start, stop, words, dated, length, terms, vector, embedded
FROM chunks JOIN embeddings USING (space_id, item_key, ordinal)
WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: archive_mentions
-- Copy one present item's mentions to the archive.
INSERT INTO entity_mentions_archive (space_id, item_key, ordinal, entity, kind, name, role)
SELECT space_id, item_key, ordinal, entity, kind, name, role FROM entity_mentions WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: drop_chunks
-- Remove one item's chunks from the present.
DELETE FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: drop_mentions
-- Remove one item's mentions from the present.
DELETE FROM entity_mentions WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: drop_item
-- Remove one item from the present, after its chunks and mentions.
DELETE FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s;

-- name: drop_surrogates
-- Remove one item's surrogates: they are derived, and no archive keeps them.
DELETE FROM surrogates WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: put_background
-- Add one snapshot, or show the one of its id again if it was due to go.
INSERT INTO backgrounds (space_id, id, collection, created_us, born, text, terms)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (space_id, id) DO UPDATE SET due_us = NULL WHERE backgrounds.due_us IS NOT NULL;

-- name: hide_background
-- Hide one snapshot that shows, and say when it is to go.
UPDATE backgrounds SET due_us = %(due_us)s WHERE space_id = %(space)s AND id = %(id)s AND due_us IS NULL;

-- name: add_engagement
-- Note one engagement with one item.
INSERT INTO engagements (space_id, item_id, at_us, how, born) VALUES (%s, %s, %s, %s, %s);

-- name: put_surrogate
-- Add or replace the surrogate of one item by one algorithm, if that item is present.
INSERT INTO surrogates (space_id, item_key, algorithm, version, source_hash, "full", gist, micro)
SELECT space_id, key, %(algorithm)s, %(version)s, %(source_hash)s, %(full)s, %(gist)s, %(micro)s
FROM knowledge_items WHERE space_id = %(space)s AND key = %(item_key)s
ON CONFLICT (space_id, item_key, algorithm) DO UPDATE SET
  version = excluded.version, source_hash = excluded.source_hash, "full" = excluded."full",
  gist = excluded.gist, micro = excluded.micro;

-- name: add_receipt
-- Keep one receipt, unless one is kept by that id.
INSERT INTO receipts (space_id, id, at_us, text) VALUES (%s, %s, %s, %s) ON CONFLICT (space_id, id) DO NOTHING;

-- name: drop_all_chunks
-- Remove every present chunk.
DELETE FROM chunks WHERE space_id = %(space)s;

-- name: stage_chunk
-- Add one chunk of a re-embedding under way.
INSERT INTO next_chunks (space_id, item_key, ordinal, start, stop, words, dated, length, terms, vector)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s);

-- name: unstaged
-- The present items that a re-embedding under way has no chunks of, the last stored first.
SELECT key FROM knowledge_items AS item WHERE space_id = %(space)s AND NOT EXISTS (
  SELECT 1 FROM next_chunks AS next WHERE next.space_id = %(space)s AND next.item_key = item.key
) ORDER BY key DESC;

-- name: is_staged
-- Whether a re-embedding under way has chunks of an item.
SELECT EXISTS (SELECT 1 FROM next_chunks WHERE space_id = %(space)s AND item_key = %(key)s);

-- name: all_keys
-- The keys of all present items, the last stored first.
SELECT key FROM knowledge_items WHERE space_id = %(space)s ORDER BY key DESC;

-- name: take_staged
-- Make the chunks of a re-embedding those of the present, but for their vectors.
INSERT INTO chunks (space_id, item_key, ordinal, start, stop, words, dated, length, terms, tsv)
SELECT space_id, item_key, ordinal, start, stop, words, dated, length, terms, terms_words(space_id, terms)
FROM next_chunks WHERE space_id = %(space)s;

-- name: take_staged_vectors
-- Make the vectors of a re-embedding those of the present, after its chunks.
INSERT INTO embeddings (space_id, item_key, ordinal, vector)
SELECT space_id, item_key, ordinal, vector FROM next_chunks WHERE space_id = %(space)s;

-- name: drop_staged
-- Remove the chunks of a re-embedding.
DELETE FROM next_chunks WHERE space_id = %(space)s;

-- name: blank_archived_vectors
-- Empty the archived vectors: those of another model can never be compared again.
UPDATE chunks_archive SET vector = ''::bytea, embedded = NULL WHERE space_id = %(space)s AND vector <> ''::bytea;

-- name: counts
-- The numbers of present items, present chunks and archived versions, and the first and last time.
SELECT (SELECT count(*) FROM knowledge_items WHERE space_id = %(space)s), (SELECT count(*) FROM chunks WHERE space_id = %(space)s),
       (SELECT count(*) FROM knowledge_items_archive WHERE space_id = %(space)s),
       (SELECT min(happened_us) FROM knowledge_items WHERE space_id = %(space)s), (SELECT max(happened_us) FROM knowledge_items WHERE space_id = %(space)s);

-- name: history_since
-- When the oldest state that is still kept whole began.
SELECT at_us FROM revisions WHERE space_id = %(space)s AND revision >= %(floor)s ORDER BY revision LIMIT 1;

-- name: count_items
-- The number of present items.
SELECT count(*) FROM knowledge_items WHERE space_id = %(space)s;

-- name: by_kind
-- How many present items there are of each kind.
SELECT kind, count(*) FROM knowledge_items WHERE space_id = %(space)s GROUP BY kind ORDER BY kind;

-- name: by_source
-- How many present items there are from each source.
SELECT source, count(*) FROM knowledge_items WHERE space_id = %(space)s GROUP BY source ORDER BY source;

-- name: by_language
-- How many present items there are in each language.
SELECT language, count(*) FROM knowledge_items WHERE space_id = %(space)s GROUP BY language ORDER BY language;

-- name: orphans
-- How many chunks, mentions and surrogates belong to no item, in the present and in the archive.
SELECT (SELECT count(*) FROM chunks WHERE space_id = %(space)s AND item_key NOT IN (SELECT key FROM knowledge_items WHERE space_id = %(space)s))
     + (SELECT count(*) FROM entity_mentions WHERE space_id = %(space)s AND item_key NOT IN (SELECT key FROM knowledge_items WHERE space_id = %(space)s))
     + (SELECT count(*) FROM surrogates WHERE space_id = %(space)s AND item_key NOT IN (SELECT key FROM knowledge_items WHERE space_id = %(space)s))
     + (SELECT count(*) FROM chunks_archive WHERE space_id = %(space)s AND item_key NOT IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s))
     + (SELECT count(*) FROM entity_mentions_archive WHERE space_id = %(space)s AND item_key NOT IN (SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s));

-- name: keys_in_both
-- How many keys are both present and archived.
SELECT count(*) FROM knowledge_items JOIN knowledge_items_archive USING (space_id, key)
WHERE space_id = %(space)s;

-- name: births
-- The key and birth of every present item, by key.
SELECT key, born FROM knowledge_items WHERE space_id = %(space)s ORDER BY key;

-- name: late_rows
-- How many rows claim a revision that the space has not reached, or died before they were born.
SELECT (SELECT count(*) FROM knowledge_items WHERE space_id = %(space)s AND born > %(revision)s)
     + (SELECT count(*) FROM knowledge_items_archive
        WHERE space_id = %(space)s AND (died > %(revision)s OR died <= born))
     + (SELECT count(*) FROM backgrounds WHERE space_id = %(space)s AND born > %(revision)s)
     + (SELECT count(*) FROM engagements WHERE space_id = %(space)s AND born > %(revision)s)
     + (SELECT count(*) FROM embeddings WHERE space_id = %(space)s AND embedded > %(revision)s)
     + (SELECT count(*) FROM chunks_archive WHERE space_id = %(space)s AND embedded > %(revision)s);

-- name: gaps
-- How many items have chunks whose ordinals do not count 0, 1, 2 and so on.
SELECT count(*) FROM (
  SELECT item_key FROM chunks WHERE space_id = %(space)s GROUP BY item_key
  HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1
) AS found;

-- name: chunk_ends
-- Every present item that has chunks, with the end of the last one and its content.
SELECT key, max(stop), min(content)
FROM chunks JOIN knowledge_items AS item
  ON item.space_id = chunks.space_id AND item.key = item_key
WHERE chunks.space_id = %(space)s GROUP BY key ORDER BY key;

-- name: odd_terms
-- How many term lists are no whole number of 9-byte entries: present, archived, of backgrounds.
SELECT (SELECT count(*) FROM chunks WHERE space_id = %(space)s AND length(terms) %% 9 <> 0)
     + (SELECT count(*) FROM chunks_archive WHERE space_id = %(space)s AND length(terms) %% 9 <> 0)
     + (SELECT count(*) FROM backgrounds WHERE space_id = %(space)s AND length(terms) %% 9 <> 0);

-- name: odd_vectors
-- How many vectors have not the space's dimension; archived ones may also be empty.
SELECT (SELECT count(*) FROM embeddings WHERE space_id = %(space)s AND length(vector) <> %(dimension)s)
     + (SELECT count(*) FROM chunks_archive
        WHERE space_id = %(space)s AND length(vector) NOT IN (%(dimension)s, 0));

-- name: odd_waiting
-- How many chunks wait for a vector and have one, or are in a space without vectors.
SELECT count(*) FROM embeddings WHERE space_id = %(space)s
  AND (embedded = 0 AND vector <> decode(repeat('00', length(vector)), 'hex')
       OR embedded IS NOT NULL AND length(vector) = 0);

-- name: all_items
-- The whole of every present item, its key first.
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items WHERE space_id = %(space)s ORDER BY key;

-- name: all_archived
-- The whole of every archived version, its key first.
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM knowledge_items_archive WHERE space_id = %(space)s ORDER BY key;

-- name: odd_times
-- How many times of backgrounds, engagement and receipts lie outside the years 1 to 9999.
SELECT (SELECT count(*) FROM backgrounds WHERE space_id = %(space)s
          AND (created_us NOT BETWEEN %(first)s AND %(last)s OR due_us NOT BETWEEN %(first)s AND %(last)s))
     + (SELECT count(*) FROM engagements WHERE space_id = %(space)s AND at_us NOT BETWEEN %(first)s AND %(last)s)
     + (SELECT count(*) FROM receipts WHERE space_id = %(space)s AND at_us NOT BETWEEN %(first)s AND %(last)s);

-- name: bytes_stored
-- How many bytes the rows of items, chunks and vectors take.
SELECT (SELECT coalesce(sum(pg_column_size(one.*)), 0) FROM knowledge_items AS one
        WHERE space_id = %(space)s)
     + (SELECT coalesce(sum(pg_column_size(one.*)), 0) FROM chunks AS one
        WHERE space_id = %(space)s)
     + (SELECT coalesce(sum(pg_column_size(one.*)), 0) FROM embeddings AS one
        WHERE space_id = %(space)s);
