-- Format 6. Requests with an Idempotency-Key, noted in the transaction of their first write: a hash, and
-- which attempt it was. They go after a day. Nothing of what is kept stands here, and no export has it.

CREATE TABLE requests (
  space_id bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  digest   text COLLATE "C" NOT NULL CHECK (digest <> ''),
  mark     text COLLATE "C" NOT NULL CHECK (mark <> ''),
  at_us    bigint NOT NULL,
  PRIMARY KEY (space_id, digest)
);
CREATE INDEX requests_at ON requests (space_id, at_us);

ALTER TABLE requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE requests FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON requests
  USING (space_id = nullif(current_setting('simonides.space', true), '')::bigint);
