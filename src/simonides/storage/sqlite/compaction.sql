-- The statements of compaction: what nobody can ask for any more goes, a few rows at a time.

-- name: past_due
-- Archived versions that died up to a revision, those that died first before the others.
SELECT key, id, version, died, cause FROM item_archive
WHERE died <= :before ORDER BY died, key LIMIT :limit;

-- name: drop_archived_chunks
-- Remove the chunks of one archived version.
DELETE FROM chunk_archive WHERE item_key = :key;

-- name: drop_archived_mentions
-- Remove the mentions of one archived version.
DELETE FROM mention_archive WHERE item_key = :key;

-- name: drop_archived_item
-- Remove one archived version, after its chunks and mentions.
DELETE FROM item_archive WHERE key = :key;

-- name: other_version
-- One version of an id that is kept, if there is any.
SELECT key FROM item WHERE id = :id
UNION ALL
SELECT key FROM item_archive WHERE id = :id
LIMIT 1;

-- name: drop_engagement
-- Remove all engagement with one item.
DELETE FROM engagement WHERE item_id = :id;

-- name: engagement_to_sum_up
-- Engagement with one item of one sort up to a revision, where it takes more than one row.
SELECT item_id, how, count(*) AS number, sum(times) AS times, max(at_us) AS at_us, max(born) AS born
FROM engagement WHERE born <= :floor GROUP BY item_id, how HAVING number > 1 LIMIT :limit;

-- name: drop_summed_up
-- Remove the rows that one sum stands for.
DELETE FROM engagement WHERE item_id = :item_id AND how = :how AND born <= :born;

-- name: add_sum
-- Add one row for many.
INSERT INTO engagement (item_id, at_us, how, born, times)
VALUES (:item_id, :at_us, :how, :born, :times);

-- name: drop_decided_proposals
-- Remove proposals that were decided on up to a time, but for those that were rejected: a no holds, and
-- without its row the same would be proposed again.
DELETE FROM proposal WHERE id IN (
  SELECT id FROM proposal WHERE status IN ('accepted', 'undone') AND decided_us <= :decided_us
  ORDER BY id LIMIT :limit
);

-- name: drop_revisions
-- Remove the times of revisions before the last one noted up to a revision.
DELETE FROM revision WHERE revision IN (
  SELECT revision FROM revision
  WHERE revision < (SELECT max(revision) FROM revision WHERE revision <= :floor)
  ORDER BY revision LIMIT :limit
);

-- name: count_due
-- How many archived versions and deleted snapshots could go, counted up to a limit each.
SELECT (SELECT count(*) FROM (SELECT 1 FROM item_archive WHERE died <= :before LIMIT :limit))
     + (SELECT count(*) FROM (SELECT 1 FROM background WHERE due_us <= :now_us LIMIT :limit));
