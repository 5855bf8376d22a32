-- Run once on each node, by psql as a superuser in the database `simonides`: the role that serves, and how
-- nodes log in to each other. Passwords: POSTGRES_PASSWORD and SIMONIDES_DATABASE_PASSWORD.
\set ON_ERROR_STOP on
\getenv admin POSTGRES_PASSWORD
\getenv password SIMONIDES_DATABASE_PASSWORD
CREATE ROLE simonides LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'password';
ALTER DATABASE simonides OWNER TO simonides;
REVOKE ALL ON DATABASE simonides FROM PUBLIC;
CREATE EXTENSION IF NOT EXISTS citus;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
-- 0 is every node, -1 a node itself. Quotes and backslashes of a password get a backslash.
INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
SELECT node, role, $$password='$$ || regexp_replace(secret, $$(['\\])$$, $$\\\1$$, 'g') || $$'$$
FROM (VALUES (0), (-1)) AS nodes (node),
     (VALUES ('postgres', :'admin'), ('simonides', :'password')) AS roles (role, secret);
