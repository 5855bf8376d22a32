-- The statements on revisions, and on the versions of one item.

-- name: add_revision
-- Note when a revision was committed.
INSERT INTO revision (revision, at_us, epoch) VALUES (:revision, :at_us, :epoch)
ON CONFLICT (revision) DO NOTHING;

-- name: revision_at
-- The last revision, up to one, that was committed at or before a time.
SELECT revision FROM revision WHERE revision <= :revision AND at_us <= :at_us
ORDER BY revision DESC LIMIT 1;

-- name: revision_row
-- The last revision noted up to one, with its time and epoch.
SELECT revision, at_us, epoch FROM revision WHERE revision <= :revision
ORDER BY revision DESC LIMIT 1;

-- name: late_death
-- The first revision over the floor, up to one, that was committed after a time and took a version out.
SELECT revision FROM revision
WHERE revision > :floor AND revision <= :until AND at_us > :at_us
  AND EXISTS (SELECT 1 FROM item_archive WHERE died = revision)
ORDER BY revision LIMIT 1;

-- name: derive_revisions
-- Note the revisions that rows tell of, as far as they are not noted.
INSERT INTO revision (revision, at_us, epoch)
SELECT born, max(at_us), 0 FROM (
  SELECT born, stored_us AS at_us FROM item
  UNION ALL SELECT born, stored_us FROM item_archive
  UNION ALL SELECT died, died_us FROM item_archive
  UNION ALL SELECT born, created_us FROM background
  UNION ALL SELECT born, at_us FROM engagement
) WHERE true GROUP BY born
ON CONFLICT (revision) DO NOTHING;

-- name: versions
-- Every version of one id born up to a revision, by rising key: how it died first, then the whole.
SELECT died, died_us, cause, id, version, born, stored_us, digest, kind, source, source_id,
       collection, session, position, happened_us, language, tags, traits, people, metadata, title,
       summary, content, quoted
FROM (
  SELECT *, NULL AS died, NULL AS died_us, NULL AS cause FROM item WHERE id = :id
  UNION ALL
  SELECT * FROM item_archive WHERE id = :id
)
WHERE born <= :revision ORDER BY key;
