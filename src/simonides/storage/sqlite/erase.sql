-- The statements of an erasure: rows go for good, and with them all that names the item.

-- name: version_keys
-- The key of every version of one id, whether it is the present one, and its id at its source.
SELECT key, 1, source_id FROM item WHERE id = :id
UNION ALL
SELECT key, 0, source_id FROM item_archive WHERE id = :id;

-- name: last_version
-- The highest version that one id has had.
SELECT max(version) FROM (
  SELECT version FROM item WHERE id = :id
  UNION ALL
  SELECT version FROM item_archive WHERE id = :id
);

-- name: erase_surrogates
-- Remove the surrogates of one version.
DELETE FROM surrogate WHERE item_key = :key;

-- name: erase_chunks
-- Remove the chunks of a present version.
DELETE FROM chunk WHERE item_key = :key;

-- name: erase_mentions
-- Remove the mentions of a present version.
DELETE FROM mention WHERE item_key = :key;

-- name: erase_item
-- Remove a present version, after its chunks and mentions.
DELETE FROM item WHERE key = :key;

-- name: erase_archived_chunks
-- Remove the chunks of a past version.
DELETE FROM chunk_archive WHERE item_key = :key;

-- name: erase_archived_mentions
-- Remove the mentions of a past version.
DELETE FROM mention_archive WHERE item_key = :key;

-- name: erase_archived_item
-- Remove a past version, after its chunks and mentions.
DELETE FROM item_archive WHERE key = :key;

-- name: erase_engagement
-- Remove all engagement with one item.
DELETE FROM engagement WHERE item_id = :id;

-- name: mark_erased
-- Keep the hash of an erased id, and the last version that it had.
INSERT INTO erased (id_hash, at_us, version) VALUES (:id_hash, :at_us, :version)
ON CONFLICT (id_hash) DO UPDATE SET
  at_us = excluded.at_us, version = max(version, excluded.version);

-- name: any_erased
-- Whether any id was erased.
SELECT EXISTS (SELECT 1 FROM erased);

-- name: is_erased
-- The last version that an erased id had, if it was erased and no version of it is kept.
SELECT version FROM erased WHERE id_hash = :id_hash
  AND NOT EXISTS (SELECT 1 FROM item WHERE id = :id)
  AND NOT EXISTS (SELECT 1 FROM item_archive WHERE id = :id);

-- name: unmark_erased
-- Let an erased id come back.
DELETE FROM erased WHERE id_hash = :id_hash;

-- name: receipt_texts
-- Every stored receipt.
SELECT id, text FROM receipt ORDER BY id;

-- name: erase_receipt
-- Remove one stored receipt.
DELETE FROM receipt WHERE id = :id;

-- name: proposal_bodies
-- Every proposal, decided or not.
SELECT id, body FROM proposal ORDER BY id;

-- name: erase_proposal
-- Remove one proposal.
DELETE FROM proposal WHERE id = :id;

-- name: due_backgrounds
-- The snapshots that were deleted and whose time has come, the first put first; a limit of -1 is none.
SELECT id FROM background WHERE due_us <= :at_us ORDER BY key LIMIT :limit;

-- name: erase_background
-- Remove one snapshot.
DELETE FROM background WHERE id = :id;

-- name: sweep_due
-- Whether an erasure was not brought to its end, if it says.
SELECT value FROM meta WHERE key = :key;
