-- Every statement that the SQLite store runs on a space's rows. Each begins with `-- name:` and a
-- sentence that says what it returns or does; `queries.py` loads them by name.

-- name: meta
-- What the space is and where it stands, as (key, value).
SELECT key, value FROM meta WHERE key NOT GLOB 'lease.*';

-- name: set_meta
-- Set one value of the space.
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: floor_key
-- The highest present key born at or before a revision. Keys and revisions rise together, so that
-- whatever lies above was born after it.
SELECT key FROM item WHERE born <= :since ORDER BY key DESC LIMIT 1;

-- name: item_rows
-- The index's columns of the present items above a key, and their traits.
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM item WHERE key > :floor ORDER BY key;

-- name: chunk_rows
-- The index's columns of the chunks of the present items above a key.
SELECT item_key, ordinal, words, dated, length, terms, vector, embedded
FROM chunk WHERE item_key > :floor ORDER BY item_key, ordinal;

-- name: late_vectors
-- The vectors that came after a revision to chunks of present items up to a key.
SELECT item_key, ordinal, vector, embedded
FROM chunk WHERE embedded > :since AND item_key <= :floor ORDER BY item_key, ordinal;

-- name: waiting
-- The chunks of present items that wait for their vectors, those of the newest items first.
SELECT chunk.item_key, chunk.ordinal
FROM chunk JOIN item ON item.key = chunk.item_key WHERE embedded = 0
ORDER BY coalesce(item.happened_us, item.stored_us) DESC, item.key DESC, ordinal;

-- name: count_waiting
-- How many chunks of present items wait for their vectors.
SELECT count(*) FROM chunk WHERE embedded = 0;

-- name: put_vector
-- Give a chunk the vector that it waits for, in a revision.
UPDATE chunk SET vector = :vector, embedded = :revision
WHERE item_key = :key AND ordinal = :ordinal AND embedded = 0;

-- name: mention_rows
-- The mentions of the present items above a key.
SELECT item_key, entity, kind, name, role
FROM mention WHERE item_key > :floor ORDER BY item_key, ordinal;

-- name: deaths
-- The versions that left the present after a revision.
SELECT key, died FROM item_archive WHERE died > :since ORDER BY died, key;

-- name: item_by_key
-- The whole of one present item.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item WHERE key = :key;

-- name: item_by_id
-- The whole of the present item of one id.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item WHERE id = :id;

-- name: version
-- The whole of one version of one id, present or archived.
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item WHERE id = :id AND version = :version
UNION ALL
SELECT id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item_archive WHERE id = :id AND version = :version;

-- name: chunk_spans
-- Where one item's chunks begin and end in its content.
SELECT start, stop FROM chunk WHERE item_key = :key ORDER BY ordinal;

-- name: chunk_span
-- Where one of an item's chunks begins and ends in its content.
SELECT start, stop FROM chunk WHERE item_key = :key AND ordinal = :ordinal;

-- name: key
-- The key of the present item of one id.
SELECT key FROM item WHERE id = :id;

-- name: digest
-- The digest of the present item of one id.
SELECT digest FROM item WHERE id = :id;

-- name: metadata
-- The metadata of the present items above a key that may hold a text.
SELECT key, metadata FROM item WHERE key > :floor AND instr(metadata, :needle) ORDER BY key;

-- name: moved
-- The metadata of the present items that may say that their file was moved.
SELECT key, metadata FROM item WHERE instr(metadata, '"_moved":') ORDER BY key;

-- name: documents_of
-- The keys and ids of the present documents of a session.
SELECT key, id FROM item WHERE session = :session AND session <> '' AND kind = 'document'
ORDER BY key;

-- name: item_texts
-- The texts of every present item in which words are looked for.
SELECT key, title, summary, content FROM item ORDER BY key;

-- name: item_texts_of
-- The texts of one present item in which words are looked for.
SELECT key, title, summary, content FROM item WHERE key = :key;

-- name: background
-- The latest snapshot of a collection up to a time.
SELECT id, collection, text, created_us, born
FROM background WHERE collection = :collection AND due_us IS NULL AND created_us <= :until_us
ORDER BY created_us DESC, id DESC LIMIT 1;

-- name: backgrounds
-- The latest snapshots of a collection, latest first, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM background WHERE collection = :collection AND due_us IS NULL
ORDER BY created_us DESC, id DESC LIMIT :limit;

-- name: backgrounds_before
-- The snapshots of a collection that come after one that shows, latest first, and their terms.
SELECT id, collection, text, created_us, born, terms
FROM background WHERE collection = :collection AND due_us IS NULL AND (created_us, id) < (
  SELECT created_us, id FROM background
  WHERE id = :before AND collection = :collection AND due_us IS NULL
)
ORDER BY created_us DESC, id DESC LIMIT :limit;

-- name: background_by_id
-- One snapshot, due to go or not.
SELECT id, collection, text, created_us, born FROM background WHERE id = :id;

-- name: engagement
-- How often one item was engaged with up to a revision, and when last.
SELECT sum(times), max(at_us) FROM engagement WHERE item_id = :id AND born <= :revision;

-- name: surrogate
-- The surrogate of one present item by one algorithm, unless it is stale.
SELECT item_key, algorithm, surrogate.version, source_hash, "full", gist, micro
FROM surrogate JOIN item ON item.key = surrogate.item_key AND item.digest = source_hash
WHERE item_key = :key AND algorithm = :algorithm;

-- name: without_surrogates
-- Present items above a key that lack a surrogate, key and digest first, then the whole, unless their
-- content is too short even in bytes. SQLite would count characters only up to the first NUL.
SELECT key, digest, id, item.version, born, stored_us, digest, kind, source, source_id, collection,
       session, position, happened_us, language, tags, traits, people, metadata, title, summary,
       content, quoted
FROM item LEFT JOIN surrogate ON item_key = key AND algorithm = :algorithm
WHERE key > :floor AND octet_length(content) >= :bytes_min
  AND (item_key IS NULL OR surrogate.version <> :version OR source_hash <> digest)
ORDER BY key LIMIT :limit;

-- name: receipt
-- One receipt as it was kept.
SELECT text FROM receipt WHERE id = :id;

-- name: receipts
-- Receipts of briefs or of imports, last kept first, after one of them or from the first on.
SELECT id, at_us, text FROM receipt
WHERE (substr(id, 1, 7) = 'import:') = :imports AND (:before = '' OR (at_us, id) < (SELECT at_us, id FROM receipt WHERE id = :before))
ORDER BY at_us DESC, id DESC LIMIT :limit;

-- name: present
-- The key, version and digest of the present item of one id.
SELECT key, version, digest FROM item WHERE id = :id;

-- name: present_of
-- The id, key, version and digest of the present items of several ids, a JSON list.
SELECT id, key, version, digest FROM item WHERE id IN (SELECT value FROM json_each(:ids));

-- name: past_of
-- The id, version and cause of the last archived version of each of several ids, a JSON list.
SELECT past.id, past.version, past.cause FROM json_each(:ids) AS asked JOIN item_archive AS past
ON past.key = (SELECT max(key) FROM item_archive WHERE id = asked.value);

-- name: add_item
-- Add one version of one item to the present.
INSERT INTO item (version, born, stored_us, id, digest, kind, source, source_id, collection,
                  session, position, happened_us, language, tags, traits, people, metadata, title,
                  summary, content, quoted)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_chunk
-- Add one chunk of a present item.
INSERT INTO chunk (item_key, ordinal, start, stop, words, dated, length, terms, vector, embedded)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_mention
-- Add one mention of a present item.
INSERT INTO mention (item_key, ordinal, entity, kind, name, role) VALUES (?, ?, ?, ?, ?, ?);

-- name: archive_item
-- Copy one present item to the archive.
INSERT INTO item_archive (key, id, version, born, stored_us, digest, kind, source, source_id,
                          collection, session, position, happened_us, language, tags, traits,
                          people, metadata, title, summary, content, quoted, died, died_us, cause)
SELECT key, id, version, born, stored_us, digest, kind, source, source_id,
       collection, session, position, happened_us, language, tags, traits,
       people, metadata, title, summary, content, quoted, :died, :died_us, :cause
FROM item WHERE key = :key;

-- name: archive_chunks
-- Copy one present item's chunks to the archive.
INSERT INTO chunk_archive (item_key, ordinal, start, stop, words, dated, length, terms, vector,
                           embedded)
SELECT item_key, ordinal, start, stop, words, dated, length, terms, vector, embedded
FROM chunk WHERE item_key = :key;

-- name: archive_mentions
-- Copy one present item's mentions to the archive.
INSERT INTO mention_archive (item_key, ordinal, entity, kind, name, role)
SELECT item_key, ordinal, entity, kind, name, role FROM mention WHERE item_key = :key;

-- name: drop_chunks
-- Remove one item's chunks from the present.
DELETE FROM chunk WHERE item_key = :key;

-- name: drop_mentions
-- Remove one item's mentions from the present.
DELETE FROM mention WHERE item_key = :key;

-- name: drop_item
-- Remove one item from the present, after its chunks and mentions.
DELETE FROM item WHERE key = :key;

-- name: drop_surrogates
-- Remove one item's surrogates: they are derived, and no archive keeps them.
DELETE FROM surrogate WHERE item_key = :key;

-- name: put_background
-- Add one snapshot, or show the one of its id again if it was due to go.
INSERT INTO background (id, collection, created_us, born, text, terms) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET due_us = NULL WHERE due_us IS NOT NULL;

-- name: hide_background
-- Hide one snapshot that shows, and say when it is to go.
UPDATE background SET due_us = :due_us WHERE id = :id AND due_us IS NULL;

-- name: add_engagement
-- Note one engagement with one item.
INSERT INTO engagement (item_id, at_us, how, born) VALUES (?, ?, ?, ?);

-- name: put_surrogate
-- Add or replace the surrogate of one item by one algorithm, if that item is present.
REPLACE INTO surrogate (item_key, algorithm, version, source_hash, "full", gist, micro)
SELECT key, :algorithm, :version, :source_hash, :full, :gist, :micro
FROM item WHERE key = :item_key;

-- name: add_receipt
-- Keep one receipt, unless one is kept by that id.
INSERT INTO receipt (id, at_us, text) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING;

-- name: drop_all_chunks
-- Remove every present chunk.
DELETE FROM chunk;

-- name: stage_chunk
-- Add one chunk of a re-embedding under way.
INSERT INTO next_chunk (item_key, ordinal, start, stop, words, dated, length, terms, vector)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: unstaged
-- The present items that a re-embedding under way has no chunks of, the last stored first.
SELECT key FROM item WHERE NOT EXISTS (SELECT 1 FROM next_chunk WHERE item_key = key)
ORDER BY key DESC;

-- name: is_staged
-- Whether a re-embedding under way has chunks of an item.
SELECT EXISTS (SELECT 1 FROM next_chunk WHERE item_key = :key);

-- name: all_keys
-- The keys of all present items, the last stored first.
SELECT key FROM item ORDER BY key DESC;

-- name: take_staged
-- Make the chunks of a re-embedding those of the present.
INSERT INTO chunk (item_key, ordinal, start, stop, words, dated, length, terms, vector)
SELECT item_key, ordinal, start, stop, words, dated, length, terms, vector
FROM next_chunk ORDER BY item_key, ordinal;

-- name: drop_staged
-- Remove the chunks of a re-embedding.
DELETE FROM next_chunk;

-- name: drop_meta
-- Remove one value of the space.
DELETE FROM meta WHERE key = :key;

-- name: blank_archived_vectors
-- Empty the archived vectors: those of another model can never be compared again.
UPDATE chunk_archive SET vector = x'', embedded = NULL WHERE vector <> x'';

-- name: counts
-- The numbers of present items, present chunks and archived versions, and the first and last time.
SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM chunk),
       (SELECT count(*) FROM item_archive),
       (SELECT min(happened_us) FROM item), (SELECT max(happened_us) FROM item);

-- name: history_since
-- When the oldest state that is still kept whole began.
SELECT at_us FROM revision WHERE revision >= :floor ORDER BY revision LIMIT 1;

-- name: count_items
-- The number of present items.
SELECT count(*) FROM item;

-- name: by_kind
-- How many present items there are of each kind.
SELECT kind, count(*) FROM item GROUP BY kind ORDER BY kind;

-- name: by_source
-- How many present items there are from each source.
SELECT source, count(*) FROM item GROUP BY source ORDER BY source;

-- name: by_language
-- How many present items there are in each language.
SELECT language, count(*) FROM item GROUP BY language ORDER BY language;

-- name: orphans
-- How many chunks, mentions and surrogates belong to no item, in the present and in the archive.
SELECT (SELECT count(*) FROM chunk WHERE item_key NOT IN (SELECT key FROM item))
     + (SELECT count(*) FROM mention WHERE item_key NOT IN (SELECT key FROM item))
     + (SELECT count(*) FROM surrogate WHERE item_key NOT IN (SELECT key FROM item))
     + (SELECT count(*) FROM chunk_archive WHERE item_key NOT IN (SELECT key FROM item_archive))
     + (SELECT count(*) FROM mention_archive WHERE item_key NOT IN (SELECT key FROM item_archive));

-- name: keys_in_both
-- How many keys are both present and archived.
SELECT count(*) FROM item JOIN item_archive USING (key);

-- name: births
-- The key and birth of every present item, by key.
SELECT key, born FROM item ORDER BY key;

-- name: late_rows
-- How many rows claim a revision that the space has not reached, or died before they were born.
SELECT (SELECT count(*) FROM item WHERE born > :revision)
     + (SELECT count(*) FROM item_archive WHERE died > :revision OR died <= born)
     + (SELECT count(*) FROM background WHERE born > :revision)
     + (SELECT count(*) FROM engagement WHERE born > :revision)
     + (SELECT count(*) FROM chunk WHERE embedded > :revision)
     + (SELECT count(*) FROM chunk_archive WHERE embedded > :revision);

-- name: gaps
-- How many items have chunks whose ordinals do not count 0, 1, 2 and so on.
SELECT count(*) FROM (
  SELECT item_key FROM chunk GROUP BY item_key
  HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1
);

-- name: chunk_ends
-- Every present item that has chunks, with the end of the last one and its content.
SELECT item.key, max(chunk.stop), item.content
FROM chunk JOIN item ON item.key = chunk.item_key GROUP BY item.key ORDER BY item.key;

-- name: odd_terms
-- How many term lists are no whole number of 9-byte entries: present, archived, of backgrounds.
SELECT (SELECT count(*) FROM chunk WHERE length(terms) % 9 <> 0)
     + (SELECT count(*) FROM chunk_archive WHERE length(terms) % 9 <> 0)
     + (SELECT count(*) FROM background WHERE length(terms) % 9 <> 0);

-- name: odd_vectors
-- How many vectors have not the space's dimension; archived ones may also be empty.
SELECT (SELECT count(*) FROM chunk WHERE length(vector) <> :dimension)
     + (SELECT count(*) FROM chunk_archive WHERE length(vector) NOT IN (:dimension, 0));

-- name: odd_waiting
-- How many chunks wait for a vector and have one, or are in a space without vectors.
SELECT count(*) FROM chunk WHERE embedded = 0 AND vector <> zeroblob(octet_length(vector))
   OR embedded IS NOT NULL AND vector = x'';

-- name: all_items
-- The whole of every present item, its key first.
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item ORDER BY key;

-- name: all_archived
-- The whole of every archived version, its key first.
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM item_archive ORDER BY key;

-- name: odd_times
-- How many times of backgrounds, engagement and receipts lie outside the years 1 to 9999.
SELECT (SELECT count(*) FROM background WHERE created_us NOT BETWEEN :first AND :last
                                          OR due_us NOT BETWEEN :first AND :last)
     + (SELECT count(*) FROM engagement WHERE at_us NOT BETWEEN :first AND :last)
     + (SELECT count(*) FROM receipt WHERE at_us NOT BETWEEN :first AND :last);

-- name: odd_receipts
-- How many receipts are no JSON.
SELECT count(*) FROM receipt WHERE NOT json_valid(text);
