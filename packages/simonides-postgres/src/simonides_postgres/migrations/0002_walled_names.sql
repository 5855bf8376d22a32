-- Format 2. The list of names is behind the second wall, too: a transaction sees the name that it
-- asks for (`simonides.name`), that of its own space, and all names only where it asks for '*', which
-- no space is called. It may add no name but the one it asks for.

ALTER TABLE space_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE space_names FORCE ROW LEVEL SECURITY;
CREATE POLICY own_space ON space_names
  USING (
    current_setting('simonides.name', true) IN (name, '*')
    OR space_id = nullif(current_setting('simonides.space', true), '')::bigint
  )
  WITH CHECK (name = current_setting('simonides.name', true));
