-- Leases: who does a work in the space, as a value of `meta` for each work, so that older versions read
-- the file as well. Time is that of the machine on which all processes of a file run. A value stays
-- when its lease ends, so that tokens rise.

-- name: take_lease
-- Take a lease that is free, ran out, or is the one of a token; return its token.
INSERT INTO meta (key, value) VALUES ('lease.' || :work,
  json_object('token', 1, 'holder', :holder, 'expires', unixepoch('subsec') + :for_s))
ON CONFLICT (key) DO UPDATE SET value = json_object(
  'token', (meta.value ->> 'token') + 1, 'holder', :holder,
  'expires', unixepoch('subsec') + :for_s)
WHERE meta.value ->> 'holder' = '' OR meta.value ->> 'expires' <= unixepoch('subsec')
  OR meta.value ->> 'token' = :instead_of
RETURNING value ->> 'token';

-- name: lease_holder
-- The holder of a lease, if its token is the last one and it was not given back.
SELECT value ->> 'holder' FROM meta
WHERE key = 'lease.' || :work AND value ->> 'token' = :token AND value ->> 'holder' <> '';

-- name: renew_lease
-- Let a lease stand from now on for some seconds, unless it was lost.
UPDATE meta SET value = json_set(value, '$.expires', unixepoch('subsec') + :for_s)
WHERE key = 'lease.' || :work AND value ->> 'token' = :token AND value ->> 'holder' <> '';

-- name: release_lease
-- Give a lease back, unless it was lost.
UPDATE meta SET value = json_set(value, '$.holder', '')
WHERE key = 'lease.' || :work AND value ->> 'token' = :token;

-- name: leases
-- The leases that stand, and for how many seconds more.
SELECT substr(key, 7), value ->> 'token', value ->> 'holder',
       (value ->> 'expires') - unixepoch('subsec')
FROM meta WHERE key GLOB 'lease.*' AND value ->> 'holder' <> ''
  AND value ->> 'expires' > unixepoch('subsec')
ORDER BY key;
