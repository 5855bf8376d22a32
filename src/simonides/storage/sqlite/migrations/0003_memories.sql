-- Format 3. What memories that change need: erased ids that must not come back, and proposals.

-- Content-free: the hash of an erased item's id, so that no import brings it back.
CREATE TABLE erased (
  id_hash BLOB    PRIMARY KEY CHECK (length(id_hash) = 16),
  at_us   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a model proposed to remember, and what became of it. `body` is JSON: the memory as it would
-- be added, where it comes from, and what a decision did, so that it can be undone.
CREATE TABLE proposal (
  id         TEXT    PRIMARY KEY CHECK (id <> ''),
  created_us INTEGER NOT NULL,
  status     TEXT    NOT NULL CHECK (status IN ('pending', 'accepted', 'rejected', 'undone')),
  decided_us INTEGER,
  body       TEXT    NOT NULL CHECK (json_valid(body))
) STRICT;

CREATE INDEX proposal_status ON proposal (status, created_us, id);
