-- The statements on proposals, and those by which a decision on memories stays true.

-- name: add_proposal
-- Add one proposal, unless one is kept by that id.
INSERT INTO proposals (space_id, id, created_us, status, decided_us, body) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (space_id, id) DO NOTHING;

-- name: proposal
-- One proposal.
SELECT id, created_us, status, decided_us, body FROM proposals WHERE space_id = %(space)s AND id = %(id)s;

-- name: proposals
-- Proposals of some statuses, latest first, after one of them or from the first on.
SELECT id, created_us, status, decided_us, body FROM proposals
WHERE space_id = %(space)s AND status IN (SELECT json_array_elements_text(%(statuses)s::json))
  AND (%(before)s = '' OR (created_us, id) < (SELECT created_us, id FROM proposals WHERE space_id = %(space)s AND id = %(before)s))
ORDER BY created_us DESC, id DESC LIMIT nullif(%(limit)s::bigint, -1);

-- name: all_proposals
-- Every proposal.
SELECT id, created_us, status, decided_us, body FROM proposals WHERE space_id = %(space)s ORDER BY id;

-- name: decide_proposal
-- Say what was decided of one proposal.
UPDATE proposals SET status = %(status)s, decided_us = %(decided_us)s, body = %(body)s WHERE space_id = %(space)s AND id = %(id)s;

-- name: memory_written_since
-- One row if a memory was added, replaced or forgotten after a revision. Keys and revisions rise
-- together, so that only what lies above the last key of then is looked at.
SELECT 1 FROM knowledge_items
WHERE space_id = %(space)s AND key > coalesce((SELECT key FROM knowledge_items WHERE space_id = %(space)s AND born <= %(since)s ORDER BY key DESC LIMIT 1), 0)
  AND kind = 'memory'
UNION ALL
SELECT 1 FROM knowledge_items_archive WHERE space_id = %(space)s AND died > %(since)s AND kind = 'memory'
LIMIT 1;
