-- Leases: who does a work in a space. A row stays when its lease ends, so that tokens rise.

-- name: clock_us
-- The time of the server now, not when the transaction began: it may have waited for its turn.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: lease
-- The last lease of a work.
SELECT token, holder, expires_us FROM leases WHERE space_id = %(space)s AND work = %(work)s;

-- name: leases
-- The last lease of every work that somebody holds, or held until it ran out.
SELECT work, token, holder, expires_us FROM leases
WHERE space_id = %(space)s AND holder <> '' ORDER BY work;

-- name: put_lease
-- Set the last lease of a work.
INSERT INTO leases (space_id, work, token, holder, expires_us)
VALUES (%(space)s, %(work)s, %(token)s, %(holder)s, %(expires_us)s)
ON CONFLICT (space_id, work) DO UPDATE SET
  token = excluded.token, holder = excluded.holder, expires_us = excluded.expires_us;
