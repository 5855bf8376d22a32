-- Format 4. What the past needs: when each revision was committed, engagement that can be summed up,
-- and the last version of what left no other trace.

-- `epoch` is that of the space at the time: where it has grown since, rows were erased or made anew.
CREATE TABLE revision (
  revision INTEGER PRIMARY KEY CHECK (revision >= 1),
  at_us    INTEGER NOT NULL,
  epoch    INTEGER NOT NULL CHECK (epoch >= 0)
) STRICT;

INSERT INTO revision (revision, at_us, epoch)
SELECT born, max(at_us), 0 FROM (
  SELECT born, stored_us AS at_us FROM item
  UNION ALL SELECT born, stored_us FROM item_archive
  UNION ALL SELECT died, died_us FROM item_archive
  UNION ALL SELECT born, created_us FROM background
  UNION ALL SELECT born, at_us FROM engagement
) GROUP BY born;

-- How many engagements a row stands for: compaction makes one row of those past retention.
ALTER TABLE engagement ADD COLUMN times INTEGER NOT NULL DEFAULT 1 CHECK (times >= 1);

-- The last version that an id had, so that what comes back under it goes on counting.
ALTER TABLE erased ADD COLUMN version INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0);
