-- Format 1. All spaces in one set of tables, the space first in every key, so that the same tables can
-- be distributed by space. The present and its archive are apart, as in a space's file; so are chunks
-- and their vectors, because a scan by meaning reads nothing else. A `key` names one version of one
-- item of a space and is never used again. Times are microseconds since 1970. JSON is kept as it was
-- written. U+FDD0 in a text begins what PostgreSQL cannot keep (a NUL).

CREATE TABLE space_names (
  space_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     text COLLATE "C" NOT NULL UNIQUE CHECK (name <> '')
);

CREATE TABLE spaces (
  space_id     bigint PRIMARY KEY,
  uuid         text   NOT NULL,
  created_us   bigint NOT NULL,
  revision     bigint NOT NULL CHECK (revision >= 0),
  epoch        bigint NOT NULL CHECK (epoch >= 0),
  floor        bigint NOT NULL DEFAULT 0,
  last_key     bigint NOT NULL DEFAULT 0,
  model        text   NOT NULL,
  dimension    bigint NOT NULL CHECK (dimension >= 0),
  window_words bigint NOT NULL,
  quantiser    text   NOT NULL,
  analysis     bigint NOT NULL,
  unicode      text   NOT NULL,
  reembedding  text   NOT NULL DEFAULT '',
  sweep_due    bigint NOT NULL DEFAULT 0
);

CREATE TABLE knowledge_items (
  space_id    bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  key         bigint NOT NULL,
  id          text COLLATE "C" NOT NULL CHECK (id <> ''),
  version     bigint NOT NULL CHECK (version >= 1),
  born        bigint NOT NULL CHECK (born >= 1),
  stored_us   bigint NOT NULL,
  digest      bytea  NOT NULL,
  kind        text   NOT NULL
              CHECK (kind IN ('email', 'document', 'task', 'event', 'memory', 'message')),
  source      text COLLATE "C" NOT NULL CHECK (source <> ''),
  source_id   text COLLATE "C" NOT NULL,
  collection  text COLLATE "C" NOT NULL CHECK (collection <> ''),
  session     text COLLATE "C" NOT NULL,
  position    bigint,
  happened_us bigint,
  language    text   NOT NULL,
  tags        text   NOT NULL,
  traits      text,
  people      text   NOT NULL,
  metadata    text   NOT NULL,
  title       text   NOT NULL,
  summary     text   NOT NULL,
  content     text   NOT NULL,
  quoted      text   NOT NULL,
  PRIMARY KEY (space_id, key),
  UNIQUE (space_id, id)
);

CREATE INDEX knowledge_items_source ON knowledge_items (space_id, source, source_id);
CREATE INDEX knowledge_items_happened ON knowledge_items (space_id, happened_us);
CREATE INDEX knowledge_items_session ON knowledge_items (space_id, session) WHERE session <> '';
CREATE INDEX knowledge_items_moved ON knowledge_items (space_id, key)
  WHERE strpos(metadata, '"_moved":') > 0;

-- `tsv` holds the terms of the chunk, which `terms` packs with their counts, as hexadecimal words.
CREATE TABLE chunks (
  space_id bigint  NOT NULL,
  item_key bigint  NOT NULL,
  ordinal  integer NOT NULL CHECK (ordinal >= 0),
  start    integer NOT NULL CHECK (start >= 0),
  stop     integer NOT NULL CHECK (stop >= start),
  words    integer NOT NULL CHECK (words >= 0),
  dated    smallint NOT NULL CHECK (dated IN (0, 1)),
  length   integer NOT NULL CHECK (length >= 0),
  terms    bytea   NOT NULL CHECK (length(terms) % 9 = 0),
  tsv      tsvector NOT NULL,
  PRIMARY KEY (space_id, item_key, ordinal),
  FOREIGN KEY (space_id, item_key) REFERENCES knowledge_items ON DELETE CASCADE
);

CREATE INDEX chunks_terms ON chunks USING gin (tsv);

-- `embedded` is NULL where a vector came with its item, 0 where it is still waited for (the vector is
-- then all zeros), and else the revision at which it came.
CREATE TABLE embeddings (
  space_id bigint  NOT NULL,
  item_key bigint  NOT NULL,
  ordinal  integer NOT NULL,
  vector   bytea   NOT NULL,
  embedded bigint  CHECK (embedded >= 0),
  PRIMARY KEY (space_id, item_key, ordinal),
  FOREIGN KEY (space_id, item_key, ordinal) REFERENCES chunks ON DELETE CASCADE
);

ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE PLAIN;
CREATE INDEX embeddings_late ON embeddings (space_id, embedded) WHERE embedded IS NOT NULL;

CREATE TABLE entity_mentions (
  space_id bigint  NOT NULL,
  item_key bigint  NOT NULL,
  ordinal  integer NOT NULL CHECK (ordinal >= 0),
  entity   text COLLATE "C" NOT NULL CHECK (entity <> ''),
  kind     text    NOT NULL CHECK (kind IN ('person', 'project', 'issue', 'topic')),
  name     text    NOT NULL,
  role     text    NOT NULL
           CHECK (role IN ('author', 'to', 'cc', 'attendee', 'assignee', 'mentioned')),
  PRIMARY KEY (space_id, item_key, ordinal),
  FOREIGN KEY (space_id, item_key) REFERENCES knowledge_items ON DELETE CASCADE
);

CREATE INDEX entity_mentions_entity ON entity_mentions (space_id, entity);

CREATE TABLE knowledge_items_archive (
  LIKE knowledge_items,
  died    bigint NOT NULL,
  died_us bigint NOT NULL,
  cause   text   NOT NULL CHECK (cause IN ('replaced', 'forgotten')),
  CHECK (died > born),
  PRIMARY KEY (space_id, key),
  FOREIGN KEY (space_id) REFERENCES spaces ON DELETE CASCADE
);

CREATE INDEX knowledge_items_archive_id ON knowledge_items_archive (space_id, id, key);
CREATE INDEX knowledge_items_archive_died ON knowledge_items_archive (space_id, died);

CREATE TABLE chunks_archive (
  space_id bigint  NOT NULL,
  item_key bigint  NOT NULL,
  ordinal  integer NOT NULL,
  start    integer NOT NULL,
  stop     integer NOT NULL,
  words    integer NOT NULL,
  dated    smallint NOT NULL,
  length   integer NOT NULL,
  terms    bytea   NOT NULL,
  vector   bytea   NOT NULL,
  embedded bigint  CHECK (embedded >= 0),
  PRIMARY KEY (space_id, item_key, ordinal),
  FOREIGN KEY (space_id, item_key) REFERENCES knowledge_items_archive ON DELETE CASCADE
);

CREATE TABLE entity_mentions_archive (
  LIKE entity_mentions,
  PRIMARY KEY (space_id, item_key, ordinal),
  FOREIGN KEY (space_id, item_key) REFERENCES knowledge_items_archive ON DELETE CASCADE
);

CREATE TABLE backgrounds (
  space_id   bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  key        bigint GENERATED ALWAYS AS IDENTITY,
  id         text COLLATE "C" NOT NULL CHECK (id <> ''),
  collection text COLLATE "C" NOT NULL CHECK (collection <> ''),
  created_us bigint NOT NULL,
  born       bigint NOT NULL CHECK (born >= 1),
  due_us     bigint,
  text       text   NOT NULL,
  terms      bytea  NOT NULL CHECK (length(terms) % 9 = 0),
  PRIMARY KEY (space_id, id)
);

CREATE INDEX backgrounds_latest ON backgrounds (space_id, collection, created_us DESC, id DESC)
  WHERE due_us IS NULL;

-- Names items by id, not by key: engagement is with the item, whichever version it has by now.
CREATE TABLE engagements (
  space_id bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  key      bigint GENERATED ALWAYS AS IDENTITY,
  item_id  text COLLATE "C" NOT NULL CHECK (item_id <> ''),
  at_us    bigint NOT NULL,
  how      text   NOT NULL CHECK (how IN ('used', 'cited', 'opened')),
  born     bigint NOT NULL CHECK (born >= 1),
  times    bigint NOT NULL DEFAULT 1 CHECK (times >= 1),
  PRIMARY KEY (space_id, key)
);

CREATE INDEX engagements_item ON engagements (space_id, item_id, born, at_us);

CREATE TABLE surrogates (
  space_id    bigint NOT NULL,
  item_key    bigint NOT NULL,
  algorithm   text COLLATE "C" NOT NULL CHECK (algorithm <> ''),
  version     bigint NOT NULL CHECK (version >= 1),
  source_hash bytea  NOT NULL,
  "full"      text   NOT NULL,
  gist        text   NOT NULL,
  micro       text   NOT NULL,
  PRIMARY KEY (space_id, item_key, algorithm),
  FOREIGN KEY (space_id, item_key) REFERENCES knowledge_items ON DELETE CASCADE
);

CREATE TABLE receipts (
  space_id bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  id       text COLLATE "C" NOT NULL CHECK (id <> ''),
  at_us    bigint NOT NULL,
  text     text   NOT NULL,
  PRIMARY KEY (space_id, id)
);

CREATE TABLE proposals (
  space_id   bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  id         text COLLATE "C" NOT NULL CHECK (id <> ''),
  created_us bigint NOT NULL,
  status     text   NOT NULL CHECK (status IN ('pending', 'accepted', 'rejected', 'undone')),
  decided_us bigint,
  body       text   NOT NULL,
  PRIMARY KEY (space_id, id)
);

CREATE INDEX proposals_status ON proposals (space_id, status, created_us, id);

-- Content-free: the hash of an erased item's id, so that no import brings it back.
CREATE TABLE erased_items (
  space_id bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  id_hash  bytea  NOT NULL CHECK (length(id_hash) = 16),
  at_us    bigint NOT NULL,
  version  bigint NOT NULL DEFAULT 0 CHECK (version >= 0),
  PRIMARY KEY (space_id, id_hash)
);

CREATE TABLE revisions (
  space_id bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  revision bigint NOT NULL CHECK (revision >= 1),
  at_us    bigint NOT NULL,
  epoch    bigint NOT NULL CHECK (epoch >= 0),
  PRIMARY KEY (space_id, revision)
);

-- The chunks of a re-embedding under way, until they take the place of all others.
CREATE TABLE next_chunks (
  space_id bigint  NOT NULL,
  item_key bigint  NOT NULL,
  ordinal  integer NOT NULL,
  start    integer NOT NULL,
  stop     integer NOT NULL,
  words    integer NOT NULL,
  dated    smallint NOT NULL,
  length   integer NOT NULL,
  terms    bytea   NOT NULL,
  vector   bytea   NOT NULL,
  PRIMARY KEY (space_id, item_key, ordinal),
  FOREIGN KEY (space_id, item_key) REFERENCES knowledge_items ON DELETE CASCADE
);

-- The terms of a packed list as words of a tsvector: 8 bytes of hash each, then a byte for the count.
CREATE FUNCTION terms_words(terms bytea) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT array_to_tsvector(coalesce(array_agg(DISTINCT encode(substr(terms, n * 9 + 1, 8), 'hex')), '{}'))
   FROM generate_series(0, length(terms) / 9 - 1) AS n $$;

-- What seed 004 keeps in tables of its own follows from items and mentions, and goes with them.
CREATE VIEW entities WITH (security_invoker = true) AS
  SELECT space_id, entity, min(kind) AS kind, min(name) AS name, count(*) AS mentions
  FROM entity_mentions GROUP BY space_id, entity;
CREATE VIEW chat_messages WITH (security_invoker = true) AS
  SELECT space_id, id, session, position, happened_us, content
  FROM knowledge_items WHERE kind = 'message';
CREATE VIEW chat_sessions WITH (security_invoker = true) AS
  SELECT space_id, session, min(happened_us) AS started_us, count(*) AS messages
  FROM knowledge_items WHERE kind = 'message' AND session <> '' GROUP BY space_id, session;

-- The second wall: a transaction that did not say its space sees no row of any.
DO $$
DECLARE one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['spaces', 'knowledge_items', 'chunks', 'embeddings', 'entity_mentions',
    'knowledge_items_archive', 'chunks_archive', 'entity_mentions_archive', 'backgrounds',
    'engagements', 'surrogates', 'receipts', 'proposals', 'erased_items', 'revisions', 'next_chunks']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one);
    EXECUTE format('CREATE POLICY own_space ON %I USING '
      '(space_id = nullif(current_setting(''simonides.space'', true), '''')::bigint)', one);
  END LOOP;
END $$;
