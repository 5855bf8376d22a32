-- Format 3. What questions that are answered in the database need: the right words of each chunk with
-- the number of the space before them, so that a look-up of a word meets no other space's chunks;
-- vectors as pgvector has them, apart, because a scan by meaning reads nothing else; and what is
-- counted over a whole space, as exact integers. Without pgvector on the server the column of vectors
-- is not made, and questions are answered from memory alone; so it is with one before 0.7.

DROP FUNCTION terms_words(bytea);

-- The terms of a packed list as words of a tsvector: n hashes of 8 bytes, then n counts of a byte.
CREATE FUNCTION terms_words(space bigint, terms bytea) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT array_to_tsvector(coalesce(array_agg(DISTINCT
     to_hex(space) || '.' || encode(substr(terms, n * 8 + 1, 8), 'hex')), '{}'))
   FROM generate_series(0, length(terms) / 9 - 1) AS n $$;

ALTER TABLE chunks NO FORCE ROW LEVEL SECURITY;
UPDATE chunks SET tsv = terms_words(space_id, terms);
ALTER TABLE chunks FORCE ROW LEVEL SECURITY;

-- `counts` is JSON: how many present items are of each kind, source and language.
CREATE TABLE space_statistics (
  space_id     bigint PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
  revision     bigint NOT NULL,
  epoch        bigint NOT NULL,
  chunks       bigint NOT NULL,
  length_total bigint NOT NULL,
  vectors      bigint NOT NULL,
  vector_total bigint[] NOT NULL,
  counts       text   NOT NULL
);

CREATE TABLE lane_vectors (
  space_id bigint  NOT NULL,
  item_key bigint  NOT NULL,
  ordinal  integer NOT NULL,
  PRIMARY KEY (space_id, item_key, ordinal),
  FOREIGN KEY (space_id, item_key, ordinal) REFERENCES embeddings ON DELETE CASCADE
);

DO $$
DECLARE one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['space_statistics', 'lane_vectors'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one);
    EXECUTE format('CREATE POLICY own_space ON %I USING '
      '(space_id = nullif(current_setting(''simonides.space'', true), '''')::bigint)', one);
  END LOOP;
  IF to_regtype('halfvec') IS NULL AND to_regtype('vector') IS NULL
    AND EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
    BEGIN
      CREATE EXTENSION vector;
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE NOTICE 'this role may not install pgvector: %', SQLERRM;
    END;
  END IF;
  IF to_regtype('halfvec') IS NOT NULL THEN
    ALTER TABLE lane_vectors ADD COLUMN embedding halfvec NOT NULL;
    ALTER TABLE lane_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
  END IF;
END $$;
