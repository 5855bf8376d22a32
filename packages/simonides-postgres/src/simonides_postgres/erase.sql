-- The statements of an erasure: rows go for good, and with them all that names the item.

-- name: version_keys
-- The key of every version of one id, whether it is the present one, and its id at its source.
SELECT key, 1, source_id FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s
UNION ALL
SELECT key, 0, source_id FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s;

-- name: last_version
-- The highest version that one id has had.
SELECT max(version) FROM (
  SELECT version FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s
  UNION ALL
  SELECT version FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s
) AS found;

-- name: erase_surrogates
-- Remove the surrogates of one version.
DELETE FROM surrogates WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: erase_chunks
-- Remove the chunks of a present version.
DELETE FROM chunks WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: erase_mentions
-- Remove the mentions of a present version.
DELETE FROM entity_mentions WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: erase_item
-- Remove a present version, after its chunks and mentions.
DELETE FROM knowledge_items WHERE space_id = %(space)s AND key = %(key)s;

-- name: erase_archived_chunks
-- Remove the chunks of a past version.
DELETE FROM chunks_archive WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: erase_archived_mentions
-- Remove the mentions of a past version.
DELETE FROM entity_mentions_archive WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: erase_archived_item
-- Remove a past version, after its chunks and mentions.
DELETE FROM knowledge_items_archive WHERE space_id = %(space)s AND key = %(key)s;

-- name: erase_engagement
-- Remove all engagement with one item.
DELETE FROM engagements WHERE space_id = %(space)s AND item_id = %(id)s;

-- name: mark_erased
-- Keep the hash of an erased id, and the last version that it had.
INSERT INTO erased_items (space_id, id_hash, at_us, version) VALUES (%(space)s, %(id_hash)s, %(at_us)s, %(version)s)
ON CONFLICT (space_id, id_hash) DO UPDATE SET
  at_us = excluded.at_us, version = greatest(erased_items.version, excluded.version);

-- name: any_erased
-- Whether any id was erased.
SELECT EXISTS (SELECT 1 FROM erased_items WHERE space_id = %(space)s);

-- name: is_erased
-- The last version that an erased id had, if it was erased and no version of it is kept.
SELECT version FROM erased_items WHERE space_id = %(space)s AND id_hash = %(id_hash)s
  AND NOT EXISTS (SELECT 1 FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s)
  AND NOT EXISTS (SELECT 1 FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s);

-- name: unmark_erased
-- Let an erased id come back.
DELETE FROM erased_items WHERE space_id = %(space)s AND id_hash = %(id_hash)s;

-- name: receipt_texts
-- Every stored receipt.
SELECT id, text FROM receipts WHERE space_id = %(space)s ORDER BY id;

-- name: erase_receipt
-- Remove one stored receipt.
DELETE FROM receipts WHERE space_id = %(space)s AND id = %(id)s;

-- name: proposal_bodies
-- Every proposal, decided or not.
SELECT id, body FROM proposals WHERE space_id = %(space)s ORDER BY id;

-- name: erase_proposal
-- Remove one proposal.
DELETE FROM proposals WHERE space_id = %(space)s AND id = %(id)s;

-- name: due_backgrounds
-- The snapshots that were deleted and whose time has come, the first put first; a limit of -1 is none.
SELECT id FROM backgrounds WHERE space_id = %(space)s AND due_us <= %(at_us)s ORDER BY key LIMIT nullif(%(limit)s::bigint, -1);

-- name: erase_background
-- Remove one snapshot.
DELETE FROM backgrounds WHERE space_id = %(space)s AND id = %(id)s;

-- name: sweep_due
-- Whether an erasure was not brought to its end.
SELECT sweep_due <> 0 FROM spaces WHERE space_id = %(space)s;
