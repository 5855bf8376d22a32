-- Every statement of the lanes, laid out as those of the store: each names the space first.

-- name: standing
-- The revision, epoch, floor and dimension of a space, and what was counted of it at which revision.
SELECT own.revision, own.epoch, own.floor, own.dimension, counted.revision, counted.epoch,
       chunks, length_total, vectors, vector_total, counts
FROM spaces AS own LEFT JOIN space_statistics AS counted ON counted.space_id = own.space_id
WHERE own.space_id = %(space)s;

-- name: known_key
-- The highest present key born at or before a revision.
SELECT key FROM knowledge_items WHERE space_id = %(space)s AND born <= %(since)s ORDER BY key DESC LIMIT 1;

-- name: dead_chunks
-- How many chunks left the present after a revision, their lengths, and the vectors that those had then
-- which count in the mean.
SELECT count(*), sum(length), string_agg(CASE WHEN coalesce(embedded, 0) <= %(since)s THEN vector
         ELSE decode(repeat('00', length(vector)), 'hex') END, ''::bytea) FILTER (WHERE ordinal < %(counted)s)
FROM chunks_archive AS chunk JOIN knowledge_items_archive AS item
  ON item.space_id = chunk.space_id AND item.key = chunk.item_key
WHERE chunk.space_id = %(space)s AND item.space_id = %(space)s AND item.died > %(since)s AND item.born <= %(since)s;

-- name: dead_items
-- How many items of each kind, source and language left the present after a revision.
SELECT kind, source, language, count(*) FROM knowledge_items_archive
WHERE space_id = %(space)s AND died > %(since)s AND born <= %(since)s GROUP BY kind, source, language;

-- name: born_items
-- How many present items of each kind, source and language lie above a key.
SELECT kind, source, language, count(*) FROM knowledge_items
WHERE space_id = %(space)s AND key > %(known)s GROUP BY kind, source, language;

-- name: born_chunks
-- The next present chunks above a place: their lengths and vectors, and whether the lane has these.
-- Each is looked up by its key: what was added just now is in no statistics that a join is planned by.
SELECT item_key, ordinal,
  (SELECT length FROM chunks AS own WHERE own.space_id = %(space)s
   AND own.item_key = one.item_key AND own.ordinal = one.ordinal),
  vector,
  (SELECT true FROM lane_vectors AS own WHERE own.space_id = %(space)s
   AND own.item_key = one.item_key AND own.ordinal = one.ordinal)
FROM embeddings AS one
WHERE space_id = %(space)s AND item_key >= %(after_key)s AND item_key > %(known)s
  AND (item_key, ordinal) > (%(after_key)s, %(after_ordinal)s)
ORDER BY item_key, ordinal LIMIT 2000;

-- name: late_vectors
-- The vectors that came after a revision to chunks of present items up to a key.
SELECT item_key, ordinal, vector FROM embeddings
WHERE space_id = %(space)s AND embedded > %(since)s AND item_key <= %(known)s ORDER BY item_key, ordinal;

-- name: place_vectors
-- Add vectors to the lane.
INSERT INTO lane_vectors (space_id, item_key, ordinal, embedding)
SELECT own.space_id, one.key, one.ordinal, one.vector::halfvec
FROM spaces AS own
CROSS JOIN unnest(%(keys)s::bigint[], %(ordinals)s::integer[], %(vectors)s::text[]) AS one (key, ordinal, vector)
WHERE own.space_id = %(space)s;

-- name: put_statistics
-- Say what was counted of a space at a revision.
INSERT INTO space_statistics (space_id, revision, epoch, chunks, length_total, vectors, vector_total, counts)
VALUES (%(space)s, %(revision)s, %(epoch)s, %(chunks)s, %(length_total)s, %(vectors)s, %(vector_total)s, %(counts)s)
ON CONFLICT (space_id) DO UPDATE SET
  revision = excluded.revision, epoch = excluded.epoch, chunks = excluded.chunks,
  length_total = excluded.length_total, vectors = excluded.vectors,
  vector_total = excluded.vector_total, counts = excluded.counts;

-- name: waiting
-- How many chunks of present items wait for their vectors.
SELECT count(*) FROM embeddings WHERE space_id = %(space)s AND embedded = 0;

-- name: names_of
-- The names by which present items mention an entity.
SELECT DISTINCT name FROM entity_mentions WHERE space_id = %(space)s AND entity = %(entity)s;

-- name: holding
-- The present chunks that hold any of some terms, in any order, as columns: four numbers of each (item
-- key, ordinal, length, number of terms), the terms of all, their counts. Numbers are big-endian, terms
-- are as they were written. What is asked for is read once, not for each row.
SELECT string_agg(int8send(item_key) || int4send(ordinal) || int4send(length) || int4send(length(terms) / 9),
                  ''::bytea),
       string_agg(substr(terms, 1, length(terms) / 9 * 8), ''::bytea),
       string_agg(substr(terms, length(terms) / 9 * 8 + 1), ''::bytea)
FROM chunks WHERE space_id = %(space)s AND tsv @@ (SELECT %(terms)s::tsquery);

-- name: nearest
-- The items of the wanted chunks nearest to a query. Ordered by distance alone in the scan: two more
-- keys in its sort took a third of its time.
SELECT item_key FROM (
  SELECT item_key, ordinal, embedding <=> (SELECT %(query)s::halfvec) AS distance FROM lane_vectors AS lane
  WHERE lane.space_id = %(space)s AND item_key = ANY(ARRAY(
    SELECT item.key FROM knowledge_items AS item WHERE item.space_id = %(space)s {wanted}))
  ORDER BY distance LIMIT %(limit)s) AS near
ORDER BY distance, item_key, ordinal;

-- name: nearest_of_all
-- The items of the chunks nearest to a query. What is put into it lets an index of the space be met.
SELECT item_key FROM (
  SELECT item_key, ordinal, embedding::halfvec{sized} <=> (SELECT %(query)s::halfvec{sized}) AS distance FROM lane_vectors
  WHERE space_id = %(space)s {indexed} ORDER BY distance LIMIT %(limit)s) AS near
ORDER BY distance, item_key, ordinal;

-- name: unwanted
-- Those of some items that are not wanted.
SELECT item.key FROM knowledge_items AS item
WHERE item.space_id = %(space)s AND item.key = ANY(%(among)s) AND NOT (true {wanted});

-- name: latest
-- The latest wanted items; the undated ones last. In two parts, so that the index of times gives the dated ones.
SELECT key FROM (
  (SELECT key, happened_us FROM knowledge_items AS item
   WHERE item.space_id = %(space)s AND happened_us IS NOT NULL {wanted}
   ORDER BY happened_us DESC, key DESC LIMIT %(limit)s)
  UNION ALL
  (SELECT key, NULL FROM knowledge_items AS item
   WHERE item.space_id = %(space)s AND happened_us IS NULL {wanted} ORDER BY key DESC LIMIT %(limit)s)) AS found
ORDER BY happened_us DESC NULLS LAST, key DESC LIMIT %(limit)s;

-- name: earliest
-- The earliest wanted items; the undated ones last.
SELECT key FROM knowledge_items AS item WHERE item.space_id = %(space)s {wanted}
ORDER BY happened_us NULLS LAST, key LIMIT %(limit)s;

-- name: saying
-- The latest wanted items that hold any of some texts.
SELECT key FROM knowledge_items AS item WHERE item.space_id = %(space)s {wanted}
  AND lower(concat_ws(chr(10), title, summary, content)) LIKE ANY(%(texts)s)
ORDER BY happened_us DESC NULLS LAST, key DESC LIMIT %(limit)s;

-- name: around
-- The keys of all items of the sessions of some items, big-endian and in order, a row for each session.
SELECT string_agg(int8send(key), ''::bytea ORDER BY happened_us NULLS FIRST, coalesce(position, -1), id)
FROM knowledge_items WHERE space_id = %(space)s AND session <> '' AND session = ANY(ARRAY(
  SELECT session FROM knowledge_items WHERE space_id = %(space)s AND key = ANY(%(among)s)))
GROUP BY session;

-- name: written_to
-- One item by the owner alone to each author of some items.
SELECT DISTINCT ON (partner.entity) partner.item_key
FROM entity_mentions AS author
JOIN entity_mentions AS partner ON partner.space_id = author.space_id
  AND partner.entity = author.entity AND partner.role NOT IN ('author', 'mentioned')
JOIN entity_mentions AS owner ON owner.space_id = partner.space_id
  AND owner.item_key = partner.item_key AND owner.role = 'author'
WHERE author.space_id = %(space)s AND partner.space_id = %(space)s AND owner.space_id = %(space)s
  AND author.item_key = ANY(%(among)s) AND author.role = 'author' AND owner.entity = ANY(%(owner)s)
  AND NOT EXISTS (
    SELECT FROM entity_mentions AS other
    WHERE other.space_id = %(space)s AND other.item_key = owner.item_key AND other.role = 'author'
      AND other.entity <> owner.entity
  )
ORDER BY partner.entity, partner.item_key;

-- name: item_rows
-- The index's columns of some present items, and their traits.
SELECT key, id, kind, source, collection, session, position, happened_us, stored_us, born,
       language, tags, traits
FROM knowledge_items WHERE space_id = %(space)s AND key = ANY(%(among)s) ORDER BY key;

-- name: chunk_rows
-- The index's columns of the chunks of some present items, but for their terms.
SELECT chunk.item_key, chunk.ordinal, words, dated, length, ''::bytea, vector, embedded
FROM chunks AS chunk JOIN embeddings AS own ON own.space_id = chunk.space_id
  AND own.item_key = chunk.item_key AND own.ordinal = chunk.ordinal
WHERE chunk.space_id = %(space)s AND chunk.item_key = ANY(%(among)s)
  AND own.space_id = %(space)s AND own.item_key = ANY(%(among)s) ORDER BY chunk.item_key, chunk.ordinal;

-- name: mention_rows
-- The mentions of some present items. Words of our own hold no NUL, and are read as they are.
SELECT item_key, entity, kind::varchar, name, role::varchar FROM entity_mentions
WHERE space_id = %(space)s AND item_key = ANY(%(among)s) ORDER BY item_key, ordinal;

-- name: metadata
-- The metadata of some present items above a key that may hold a text.
SELECT key, metadata FROM knowledge_items
WHERE space_id = %(space)s AND key = ANY(%(among)s) AND key > %(floor)s
  AND strpos(metadata, %(needle)s) > 0 ORDER BY key;

-- name: tagged
-- The tags of the present items that have some.
SELECT key, tags FROM knowledge_items WHERE space_id = %(space)s AND tags <> '[]' ORDER BY key;
