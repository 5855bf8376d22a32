-- Format 5. Who does a work in a space, on whichever machine: one holder at a time, until a time by the
-- server's clock. Rows stay when a lease ends, so that tokens rise. What nobody holds has no holder.

CREATE TABLE leases (
  space_id   bigint NOT NULL REFERENCES spaces ON DELETE CASCADE,
  work       text COLLATE "C" NOT NULL CHECK (work <> ''),
  token      bigint NOT NULL CHECK (token >= 1),
  holder     text   NOT NULL,
  expires_us bigint NOT NULL,
  PRIMARY KEY (space_id, work)
);

ALTER TABLE leases ENABLE ROW LEVEL SECURITY;
ALTER TABLE leases FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON leases
  USING (space_id = nullif(current_setting('simonides.space', true), '')::bigint);
-- Who looks at the list of all names (`simonides db check`) sees who is at work, too.
CREATE POLICY all_names ON leases FOR SELECT
  USING (current_setting('simonides.name', true) = '*');
