-- Requests that may come again, each noted with the attempt that wrote first.

-- name: note_request
-- Note an attempt unless there is one; return the one that is noted.
INSERT INTO request (digest, mark, at_us) VALUES (:digest, :mark, :at_us)
ON CONFLICT (digest) DO UPDATE SET mark = mark RETURNING mark;

-- name: forget_request
-- Forget an attempt that failed.
DELETE FROM request WHERE digest = :digest AND mark = :mark;

-- name: forget_requests
-- Forget what is old.
DELETE FROM request WHERE at_us < :before_us;
