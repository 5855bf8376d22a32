-- The statements of an export: everything that a person kept, in an order that is always the same.

-- name: kept_erased
-- The marks of what was erased.
SELECT id_hash, at_us, version FROM erased ORDER BY id_hash;

-- name: kept_backgrounds
-- The snapshots that show, in the order in which they were put.
SELECT id, collection, text, created_us, born FROM background WHERE due_us IS NULL ORDER BY key;

-- name: kept_versions
-- Every version, present or past, in the order in which they were kept, and what ended a past one.
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted, NULL, NULL, ''
FROM item
UNION ALL
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted, died, died_us, cause
FROM item_archive ORDER BY key;

-- name: kept_engagements
-- All engagement, in the order in which it was noted.
SELECT item_id, how, at_us, born, times FROM engagement ORDER BY key;

-- name: kept_receipts
-- Every stored receipt.
SELECT id, at_us, text FROM receipt ORDER BY id;

-- name: kept_proposals
-- Every proposal, in the order in which they were made.
SELECT id, created_us, status, decided_us, body FROM proposal ORDER BY created_us, id;

-- name: holds_anything
-- Whether anything was ever kept in the space, or erased.
SELECT EXISTS (SELECT 1 FROM item) OR EXISTS (SELECT 1 FROM item_archive)
    OR EXISTS (SELECT 1 FROM background) OR EXISTS (SELECT 1 FROM engagement)
    OR EXISTS (SELECT 1 FROM receipt) OR EXISTS (SELECT 1 FROM proposal)
    OR EXISTS (SELECT 1 FROM erased);

-- name: fill_background
-- Put a snapshot back with the revision that it had.
INSERT INTO background (id, collection, created_us, born, text, terms) VALUES (?, ?, ?, ?, ?, ?);

-- name: fill_engagement
-- Put engagement back with the revision that it had.
INSERT INTO engagement (item_id, how, at_us, born, times) VALUES (?, ?, ?, ?, ?);

-- name: fill_erased
-- Put the mark of an erased item back.
INSERT INTO erased (id_hash, at_us, version) VALUES (?, ?, ?) ON CONFLICT (id_hash) DO NOTHING;

-- name: fill_proposal
-- Put a proposal back, unless one of its id is there.
INSERT INTO proposal (id, created_us, status, decided_us, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING;

-- name: same_engagement
-- Whether the very same engagement is noted, or a later sum in which it may be counted already.
SELECT 1 FROM engagement WHERE item_id = ? AND how = ?
  AND ((at_us = ? AND times = ?) OR (at_us >= ? AND times > 1));

-- name: own_texts
-- What the file says by itself: its schema, and its own facts.
SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
UNION ALL
SELECT key || ' ' || value FROM meta;
