-- Format 2. What a brief needs beside items: background, engagement, surrogates, stored receipts.
-- `background` and `engagement` are facts and take a revision; surrogates and receipts do not.
-- Surrogates and receipts are ordinary tables: their rows are too long to lie in a key's tree.

CREATE TABLE background (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE CHECK (id <> ''),
  collection TEXT    NOT NULL CHECK (collection <> ''),
  created_us INTEGER NOT NULL,
  born       INTEGER NOT NULL CHECK (born >= 1),
  due_us     INTEGER,
  text       TEXT    NOT NULL,
  terms      BLOB    NOT NULL CHECK (length(terms) % 9 = 0)
) STRICT;

-- The latest snapshot is the first entry: newest time, then largest id; those due to go are not in.
CREATE INDEX background_latest ON background (collection, created_us DESC, id DESC)
  WHERE due_us IS NULL;

-- Names items by id, not by key: engagement is with the item, whichever version it has by now.
CREATE TABLE engagement (
  key     INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id TEXT    NOT NULL CHECK (item_id <> ''),
  at_us   INTEGER NOT NULL,
  how     TEXT    NOT NULL CHECK (how IN ('used', 'cited', 'opened')),
  born    INTEGER NOT NULL CHECK (born >= 1)
) STRICT;

CREATE INDEX engagement_item ON engagement (item_id, born, at_us);

CREATE TABLE surrogate (
  item_key    INTEGER NOT NULL REFERENCES item (key),
  algorithm   TEXT    NOT NULL CHECK (algorithm <> ''),
  version     INTEGER NOT NULL CHECK (version >= 1),
  source_hash BLOB    NOT NULL,
  "full"      TEXT    NOT NULL,
  gist        TEXT    NOT NULL,
  micro       TEXT    NOT NULL,
  PRIMARY KEY (item_key, algorithm)
) STRICT;

CREATE TABLE receipt (
  id    TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
  at_us INTEGER NOT NULL,
  text  TEXT    NOT NULL CHECK (json_valid(text))
) STRICT;
