-- The statements on keys and on what was noted of their use, in <home>/access.sqlite3.

-- name: make_access
-- Make the tables of a new file. Nothing of what is kept in spaces ever stands here.
CREATE TABLE api_key (
  id TEXT PRIMARY KEY CHECK (id <> ''),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  prefix TEXT NOT NULL,
  space TEXT NOT NULL CHECK (space <> ''),
  shared TEXT NOT NULL CHECK (json_valid(shared)),
  permissions TEXT NOT NULL CHECK (json_valid(permissions)),
  name TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  expires_us INTEGER,
  revoked_us INTEGER
) STRICT;
CREATE TABLE audit (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at_us INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  verb TEXT NOT NULL,
  space TEXT NOT NULL,
  status INTEGER NOT NULL,
  count INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_by_key ON audit (key_id, number);
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'what was noted is never changed'); END;
CREATE TRIGGER audit_goes_not BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'what was noted is never removed'); END;

-- name: add_key
-- Add one key.
INSERT INTO api_key
  (id, digest, prefix, space, shared, permissions, name, created_us, expires_us, revoked_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: key
-- One key.
SELECT id, digest, prefix, space, shared, permissions, name, created_us, expires_us, revoked_us
FROM api_key WHERE id = ?;

-- name: keys
-- Every key, the first made first.
SELECT id, digest, prefix, space, shared, permissions, name, created_us, expires_us, revoked_us
FROM api_key ORDER BY created_us, id;

-- name: any_key
-- One row if a key was ever made.
SELECT 1 FROM api_key LIMIT 1;

-- name: revoke_key
-- Revoke one key; the time of the first revocation stays.
UPDATE api_key SET revoked_us = coalesce(revoked_us, :at_us) WHERE id = :id;

-- name: note
-- Add one note.
INSERT INTO audit (at_us, key_id, verb, space, status, count) VALUES (?, ?, ?, ?, ?, ?);

-- name: noted
-- Notes, latest first, below a number, of one key or of all, of one space or of all.
SELECT number, at_us, key_id, verb, space, status, count FROM audit
WHERE (:before = 0 OR number < :before) AND (:key_id = '' OR key_id = :key_id)
  AND (:space = '' OR space = :space)
ORDER BY number DESC LIMIT :limit;
