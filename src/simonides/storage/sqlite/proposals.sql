-- The statements on proposals, and those by which a decision on memories stays true.

-- name: add_proposal
-- Add one proposal, unless one is kept by that id.
INSERT INTO proposal (id, created_us, status, decided_us, body) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING;

-- name: proposal
-- One proposal.
SELECT id, created_us, status, decided_us, body FROM proposal WHERE id = :id;

-- name: proposals
-- Proposals of some statuses, latest first, after one of them or from the first on.
SELECT id, created_us, status, decided_us, body FROM proposal
WHERE status IN (SELECT value FROM json_each(:statuses))
  AND (:before = '' OR (created_us, id) < (SELECT created_us, id FROM proposal WHERE id = :before))
ORDER BY created_us DESC, id DESC LIMIT :limit;

-- name: all_proposals
-- Every proposal.
SELECT id, created_us, status, decided_us, body FROM proposal ORDER BY id;

-- name: decide_proposal
-- Say what was decided of one proposal.
UPDATE proposal SET status = :status, decided_us = :decided_us, body = :body WHERE id = :id;

-- name: memory_written_since
-- One row if a memory was added, replaced or forgotten after a revision. Keys and revisions rise
-- together, so that only what lies above the last key of then is looked at.
SELECT 1 FROM item
WHERE key > coalesce((SELECT key FROM item WHERE born <= :since ORDER BY key DESC LIMIT 1), 0)
  AND kind = 'memory'
UNION ALL
SELECT 1 FROM item_archive WHERE died > :since AND kind = 'memory'
LIMIT 1;
