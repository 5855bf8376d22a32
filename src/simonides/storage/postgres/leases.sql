-- Leases: who does a work in a space. Time is that of the server, read when the statement runs: a
-- transaction may have waited for its turn. A row stays when its lease ends, so that tokens rise.

-- name: take_lease
-- Take a lease that is free, ran out, or is the one of a token; return its token.
INSERT INTO leases (space_id, work, token, holder, expires_at)
VALUES (%(space)s, %(work)s, 1, %(holder)s,
  clock_timestamp() + make_interval(secs => %(for_s)s::double precision))
ON CONFLICT (space_id, work) DO UPDATE SET
  token = leases.token + 1, holder = excluded.holder, expires_at = excluded.expires_at
WHERE leases.holder = '' OR leases.expires_at <= clock_timestamp() OR leases.token = %(instead_of)s
RETURNING token;

-- name: lease_holder
-- The holder of a lease, if its token is the last one and it was not given back.
SELECT holder FROM leases
WHERE space_id = %(space)s AND work = %(work)s AND token = %(token)s AND holder <> '';

-- name: renew_lease
-- Let a lease stand from now on for some seconds, unless it was lost.
UPDATE leases SET
  expires_at = clock_timestamp() + make_interval(secs => %(for_s)s::double precision)
WHERE space_id = %(space)s AND work = %(work)s AND token = %(token)s AND holder <> '';

-- name: release_lease
-- Give a lease back, unless it was lost.
UPDATE leases SET holder = ''
WHERE space_id = %(space)s AND work = %(work)s AND token = %(token)s;

-- name: leases
-- The leases that stand, and for how many seconds more.
SELECT work, token, holder, extract(epoch FROM expires_at - clock_timestamp())::double precision
FROM leases WHERE space_id = %(space)s AND holder <> '' AND expires_at > clock_timestamp()
ORDER BY work;
