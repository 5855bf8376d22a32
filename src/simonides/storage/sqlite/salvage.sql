-- The statements of a repair: what a damaged file still tells, and how it gets into a new one.

-- Texts are asked for as bytes: what is no text any more would else hide the row that it is in.

-- name: facts
-- What the space says of itself.
SELECT CAST(key AS BLOB), CASE typeof(value) WHEN 'text' THEN CAST(value AS BLOB) ELSE value END
FROM meta;

-- name: every_id
-- Every id of which a version is kept.
SELECT id FROM item UNION SELECT id FROM item_archive ORDER BY id;

-- name: last_key
-- The highest key of an item that was ever given out, if that is known.
SELECT seq FROM sqlite_sequence WHERE name = 'item';

-- name: set_last_key
-- Say which keys were given out, so that none is used again; all of them may be of past items.
DELETE FROM sqlite_sequence WHERE name = 'item';
INSERT INTO sqlite_sequence (name, seq) VALUES ('item', :key);
