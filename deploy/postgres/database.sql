-- Run once by psql as a superuser: the role that serves, and its database. The role owns its tables and
-- is no superuser, so that row-level security holds for it. Its password: SIMONIDES_DATABASE_PASSWORD.
\set ON_ERROR_STOP on
\getenv password SIMONIDES_DATABASE_PASSWORD
CREATE ROLE simonides LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE simonides OWNER simonides TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE simonides FROM PUBLIC;
\connect simonides
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
