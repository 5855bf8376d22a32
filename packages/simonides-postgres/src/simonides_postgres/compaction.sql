-- The statements of compaction: what nobody can ask for any more goes, a few rows at a time.

-- name: past_due
-- Archived versions that died up to a revision, those that died first before the others.
SELECT key, id, version, died, cause FROM knowledge_items_archive
WHERE space_id = %(space)s AND died <= %(before)s ORDER BY died, key LIMIT nullif(%(limit)s::bigint, -1);

-- name: drop_archived_chunks
-- Remove the chunks of one archived version.
DELETE FROM chunks_archive WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: drop_archived_mentions
-- Remove the mentions of one archived version.
DELETE FROM entity_mentions_archive WHERE space_id = %(space)s AND item_key = %(key)s;

-- name: drop_archived_item
-- Remove one archived version, after its chunks and mentions.
DELETE FROM knowledge_items_archive WHERE space_id = %(space)s AND key = %(key)s;

-- name: other_version
-- One version of an id that is kept, if there is any.
SELECT key FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s
UNION ALL
SELECT key FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s
LIMIT 1;

-- name: drop_engagement
-- Remove all engagement with one item.
DELETE FROM engagements WHERE space_id = %(space)s AND item_id = %(id)s;

-- name: engagement_to_sum_up
-- Engagement with one item of one sort up to a revision, where it takes more than one row.
SELECT item_id, how, count(*) AS number, sum(times)::bigint AS times, max(at_us) AS at_us, max(born) AS born
FROM engagements WHERE space_id = %(space)s AND born <= %(floor)s GROUP BY item_id, how HAVING count(*) > 1 LIMIT nullif(%(limit)s::bigint, -1);

-- name: drop_summed_up
-- Remove the rows that one sum stands for.
DELETE FROM engagements WHERE space_id = %(space)s AND item_id = %(item_id)s AND how = %(how)s AND born <= %(born)s;

-- name: add_sum
-- Add one row for many.
INSERT INTO engagements (space_id, item_id, at_us, how, born, times)
VALUES (%(space)s, %(item_id)s, %(at_us)s, %(how)s, %(born)s, %(times)s);

-- name: drop_decided_proposals
-- Remove proposals that were decided on up to a time, but for those that were rejected: a no holds, and
-- without its row the same would be proposed again.
DELETE FROM proposals WHERE space_id = %(space)s AND id IN (
  SELECT id FROM proposals WHERE space_id = %(space)s AND status IN ('accepted', 'undone') AND decided_us <= %(decided_us)s
  ORDER BY id LIMIT nullif(%(limit)s::bigint, -1)
);

-- name: drop_revisions
-- Remove the times of revisions before the last one noted up to a revision.
DELETE FROM revisions WHERE space_id = %(space)s AND revision IN (
  SELECT revision FROM revisions
  WHERE space_id = %(space)s AND revision < (SELECT max(revision) FROM revisions WHERE space_id = %(space)s AND revision <= %(floor)s)
  ORDER BY revision LIMIT nullif(%(limit)s::bigint, -1)
);

-- name: count_due
-- How many archived versions and deleted snapshots could go, counted up to a limit each.
SELECT (SELECT count(*) FROM (SELECT 1 FROM knowledge_items_archive WHERE space_id = %(space)s AND died <= %(before)s LIMIT nullif(%(limit)s::bigint, -1)) AS found)
     + (SELECT count(*) FROM (SELECT 1 FROM backgrounds WHERE space_id = %(space)s AND due_us <= %(now_us)s LIMIT nullif(%(limit)s::bigint, -1)) AS found);
