-- Format 4. Rows behind a wall are looked up in an index only by functions that are known to tell
-- nothing of rows that they turn away (LEAKPROOF). The match of words is one of them: what it says or
-- refuses depends on the question alone, and the words of each space begin with its number. Without
-- the mark every question reads all chunks of its space. Only a superuser may set it.

DO $$
BEGIN
  ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'this role may not mark the match of words: %', SQLERRM;
END $$;
