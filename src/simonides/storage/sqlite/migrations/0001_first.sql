-- Format 1. The present lives in `item`, `chunk` and `mention`; what was replaced or forgotten is
-- moved whole to the `_archive` tables, so that reading the present never wades through history.
-- A `key` names one version of one item and is never used again. Times are microseconds since 1970.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE item (
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE CHECK (id <> ''),
  version     INTEGER NOT NULL CHECK (version >= 1),
  born        INTEGER NOT NULL CHECK (born >= 1),
  stored_us   INTEGER NOT NULL,
  digest      BLOB    NOT NULL,
  kind        TEXT    NOT NULL
              CHECK (kind IN ('email', 'document', 'task', 'event', 'memory', 'message')),
  source      TEXT    NOT NULL CHECK (source <> ''),
  source_id   TEXT    NOT NULL,
  collection  TEXT    NOT NULL CHECK (collection <> ''),
  session     TEXT    NOT NULL,
  position    INTEGER,
  happened_us INTEGER,
  language    TEXT    NOT NULL,
  tags        TEXT    NOT NULL CHECK (json_valid(tags)),
  traits      TEXT    CHECK (traits IS NULL OR json_valid(traits)),
  people      TEXT    NOT NULL CHECK (json_valid(people)),
  metadata    TEXT    NOT NULL CHECK (json_valid(metadata)),
  title       TEXT    NOT NULL,
  summary     TEXT    NOT NULL,
  content     TEXT    NOT NULL,
  quoted      TEXT    NOT NULL
) STRICT;

CREATE TABLE chunk (
  item_key INTEGER NOT NULL REFERENCES item (key),
  ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
  start    INTEGER NOT NULL CHECK (start >= 0),
  stop     INTEGER NOT NULL CHECK (stop >= start),
  words    INTEGER NOT NULL CHECK (words >= 0),
  dated    INTEGER NOT NULL CHECK (dated IN (0, 1)),
  length   INTEGER NOT NULL CHECK (length >= 0),
  terms    BLOB    NOT NULL CHECK (length(terms) % 9 = 0),
  vector   BLOB    NOT NULL,
  PRIMARY KEY (item_key, ordinal)
) STRICT;

CREATE TABLE mention (
  item_key INTEGER NOT NULL REFERENCES item (key),
  ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
  entity   TEXT    NOT NULL CHECK (entity <> ''),
  kind     TEXT    NOT NULL CHECK (kind IN ('person', 'project', 'issue', 'topic')),
  name     TEXT    NOT NULL,
  role     TEXT    NOT NULL
           CHECK (role IN ('author', 'to', 'cc', 'attendee', 'assignee', 'mentioned')),
  PRIMARY KEY (item_key, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE item_archive (
  key         INTEGER PRIMARY KEY,
  id          TEXT    NOT NULL,
  version     INTEGER NOT NULL,
  born        INTEGER NOT NULL,
  stored_us   INTEGER NOT NULL,
  digest      BLOB    NOT NULL,
  kind        TEXT    NOT NULL,
  source      TEXT    NOT NULL,
  source_id   TEXT    NOT NULL,
  collection  TEXT    NOT NULL,
  session     TEXT    NOT NULL,
  position    INTEGER,
  happened_us INTEGER,
  language    TEXT    NOT NULL,
  tags        TEXT    NOT NULL,
  traits      TEXT,
  people      TEXT    NOT NULL,
  metadata    TEXT    NOT NULL,
  title       TEXT    NOT NULL,
  summary     TEXT    NOT NULL,
  content     TEXT    NOT NULL,
  quoted      TEXT    NOT NULL,
  died        INTEGER NOT NULL CHECK (died > born),
  died_us     INTEGER NOT NULL,
  cause       TEXT    NOT NULL CHECK (cause IN ('replaced', 'forgotten'))
) STRICT;

CREATE INDEX item_archive_id ON item_archive (id);
CREATE INDEX item_archive_died ON item_archive (died);

CREATE TABLE chunk_archive (
  item_key INTEGER NOT NULL REFERENCES item_archive (key),
  ordinal  INTEGER NOT NULL,
  start    INTEGER NOT NULL,
  stop     INTEGER NOT NULL,
  words    INTEGER NOT NULL,
  dated    INTEGER NOT NULL,
  length   INTEGER NOT NULL,
  terms    BLOB    NOT NULL,
  vector   BLOB    NOT NULL,
  PRIMARY KEY (item_key, ordinal)
) STRICT;

CREATE TABLE mention_archive (
  item_key INTEGER NOT NULL REFERENCES item_archive (key),
  ordinal  INTEGER NOT NULL,
  entity   TEXT    NOT NULL,
  kind     TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  role     TEXT    NOT NULL,
  PRIMARY KEY (item_key, ordinal)
) STRICT, WITHOUT ROWID;
