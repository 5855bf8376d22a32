-- Leases: who does a work in the space, as a value of `meta` for each work, so that older versions read
-- the file as well. A value stays when its lease ends, so that tokens rise.

-- name: clock_us
-- The time of the machine, on which all processes of a file run.
SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER);

-- name: lease
-- The last lease of a work.
SELECT value ->> 'token', value ->> 'holder', value ->> 'expires_us' FROM meta
WHERE key = 'lease.' || :work;

-- name: leases
-- The last lease of every work that somebody holds, or held until it ran out.
SELECT substr(key, 7), value ->> 'token', value ->> 'holder', value ->> 'expires_us'
FROM meta WHERE key GLOB 'lease.*' AND value ->> 'holder' <> '' ORDER BY key;

-- name: put_lease
-- Set the last lease of a work.
INSERT INTO meta (key, value) VALUES ('lease.' || :work,
  json_object('token', :token, 'holder', :holder, 'expires_us', :expires_us))
ON CONFLICT (key) DO UPDATE SET value = excluded.value;
