-- The statements on revisions, and on the versions of one item.

-- name: add_revision
-- Note when a revision was committed.
INSERT INTO revisions (space_id, revision, at_us, epoch) VALUES (%(space)s, %(revision)s, %(at_us)s, %(epoch)s)
ON CONFLICT (space_id, revision) DO NOTHING;

-- name: revision_at
-- The last revision, up to one, that was committed at or before a time.
SELECT revision FROM revisions WHERE space_id = %(space)s AND revision <= %(revision)s AND at_us <= %(at_us)s
ORDER BY revision DESC LIMIT 1;

-- name: revision_row
-- The last revision noted up to one, with its time and epoch.
SELECT revision, at_us, epoch FROM revisions WHERE space_id = %(space)s AND revision <= %(revision)s
ORDER BY revision DESC LIMIT 1;

-- name: late_death
-- The first revision over the floor, up to one, that was committed after a time and took a version out.
SELECT revision FROM revisions
WHERE space_id = %(space)s AND revision > %(floor)s AND revision <= %(until)s AND at_us > %(at_us)s
  AND EXISTS (SELECT 1 FROM knowledge_items_archive WHERE space_id = %(space)s AND died = revision)
ORDER BY revision LIMIT 1;

-- name: derive_revisions
-- Note the revisions that rows tell of, as far as they are not noted.
INSERT INTO revisions (space_id, revision, at_us, epoch)
SELECT space_id, born, max(at_us), 0 FROM (
  SELECT space_id, born, stored_us AS at_us FROM knowledge_items WHERE space_id = %(space)s
  UNION ALL
  SELECT space_id, born, stored_us FROM knowledge_items_archive WHERE space_id = %(space)s
  UNION ALL
  SELECT space_id, died, died_us FROM knowledge_items_archive WHERE space_id = %(space)s
  UNION ALL
  SELECT space_id, born, created_us FROM backgrounds WHERE space_id = %(space)s
  UNION ALL
  SELECT space_id, born, at_us FROM engagements WHERE space_id = %(space)s
) AS dated GROUP BY space_id, born
ON CONFLICT (space_id, revision) DO NOTHING;

-- name: versions
-- Every version of one id born up to a revision, by rising key: how it died first, then the whole.
SELECT died, died_us, cause, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
FROM (
  SELECT key, NULL::bigint AS died, NULL::bigint AS died_us, NULL::text AS cause, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
  FROM knowledge_items WHERE space_id = %(space)s AND id = %(id)s
  UNION ALL
  SELECT key, died, died_us, cause, id, version, born, stored_us, digest, kind, source, source_id, collection, session,
       position, happened_us, language, tags, traits, people, metadata, title, summary, content,
       quoted
  FROM knowledge_items_archive WHERE space_id = %(space)s AND id = %(id)s
) AS kept
WHERE born <= %(revision)s ORDER BY key;
