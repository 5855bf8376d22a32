-- The statements of an export: everything that a person kept, in an order that is always the same.

-- name: kept_erased
-- The marks of what was erased.
SELECT id_hash, at_us, version FROM erased_items WHERE space_id = %(space)s ORDER BY id_hash;

-- name: kept_backgrounds
-- The snapshots that show, in the order in which they were put.
SELECT id, collection, text, created_us, born FROM backgrounds WHERE space_id = %(space)s AND due_us IS NULL ORDER BY key;

-- name: kept_versions
-- Every version, present or past, in the order in which they were kept, and what ended a past one.
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted, NULL::bigint, NULL::bigint, ''
FROM knowledge_items WHERE space_id = %(space)s
UNION ALL
SELECT key, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted, died, died_us, cause
FROM knowledge_items_archive WHERE space_id = %(space)s ORDER BY key;

-- name: kept_engagements
-- All engagement, in the order in which it was noted.
SELECT item_id, how, at_us, born, times FROM engagements WHERE space_id = %(space)s ORDER BY key;

-- name: kept_receipts
-- Every stored receipt.
SELECT id, at_us, text FROM receipts WHERE space_id = %(space)s ORDER BY id;

-- name: kept_proposals
-- Every proposal, in the order in which they were made.
SELECT id, created_us, status, decided_us, body FROM proposals WHERE space_id = %(space)s ORDER BY created_us, id;

-- name: holds_anything
-- Whether anything was ever kept in the space, or erased.
SELECT EXISTS (SELECT 1 FROM knowledge_items WHERE space_id = %(space)s) OR EXISTS (SELECT 1 FROM knowledge_items_archive WHERE space_id = %(space)s)
    OR EXISTS (SELECT 1 FROM backgrounds WHERE space_id = %(space)s) OR EXISTS (SELECT 1 FROM engagements WHERE space_id = %(space)s)
    OR EXISTS (SELECT 1 FROM receipts WHERE space_id = %(space)s) OR EXISTS (SELECT 1 FROM proposals WHERE space_id = %(space)s)
    OR EXISTS (SELECT 1 FROM erased_items WHERE space_id = %(space)s);

-- name: fill_background
-- Put a snapshot back with the revision that it had.
INSERT INTO backgrounds (space_id, id, collection, created_us, born, text, terms) VALUES (%s, %s, %s, %s, %s, %s, %s);

-- name: fill_engagement
-- Put engagement back with the revision that it had.
INSERT INTO engagements (space_id, item_id, how, at_us, born, times) VALUES (%s, %s, %s, %s, %s, %s);

-- name: fill_erased
-- Put the mark of an erased item back.
INSERT INTO erased_items (space_id, id_hash, at_us, version) VALUES (%s, %s, %s, %s) ON CONFLICT (space_id, id_hash) DO NOTHING;

-- name: fill_proposal
-- Put a proposal back, unless one of its id is there.
INSERT INTO proposals (space_id, id, created_us, status, decided_us, body) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (space_id, id) DO NOTHING;

-- name: same_engagement
-- Whether the very same engagement is noted, or a later sum in which it may be counted already.
SELECT 1 FROM engagements WHERE space_id = %s AND item_id = %s AND how = %s
  AND ((at_us = %s AND times = %s) OR (at_us >= %s AND times > 1));
