-- Requests that may come again, each noted with the attempt that wrote first.

-- name: note_request
-- Note an attempt unless there is one; return the one that is noted.
INSERT INTO requests AS noted (space_id, digest, mark, at_us)
VALUES (%(space)s, %(digest)s, %(mark)s, %(at_us)s)
ON CONFLICT (space_id, digest) DO UPDATE SET mark = noted.mark RETURNING mark;

-- name: forget_request
-- Forget an attempt that failed.
DELETE FROM requests WHERE space_id = %(space)s AND digest = %(digest)s AND mark = %(mark)s;

-- name: forget_requests
-- Forget what is old.
DELETE FROM requests WHERE space_id = %(space)s AND at_us < %(before_us)s;
