-- Format 7. Requests with an Idempotency-Key, noted in the transaction of their first write: a hash, and
-- which attempt it was. They go after a day. Nothing of what is kept stands here, and no export has it.

CREATE TABLE request (
  digest TEXT    NOT NULL PRIMARY KEY CHECK (digest <> ''),
  mark   TEXT    NOT NULL CHECK (mark <> ''),
  at_us  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX request_at ON request (at_us);
