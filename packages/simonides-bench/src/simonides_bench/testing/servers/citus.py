"""A stand-in for the extension Citus: its functions, which check what Citus demands and note it.

No package has Citus. On a plain PostgreSQL 18 this takes its name, so that what is sent to it is
really run; rows stay where they are. What it checks is from Citus's documentation and source: keys
that hold the column, references to tables that are distributed with the table, and no COPY of rows
under row-level security. It cannot tell how Citus plans a statement.
"""

from simonides_bench.testing.servers.postgres import PostgresServer

CONTROL = "default_version = '{version}'\nrelocatable = false\n"

FUNCTIONS = """
CREATE TABLE pg_dist_partition (
  logicalrelid regclass PRIMARY KEY, partmethod "char", partkey text, colocationid integer
);
CREATE TABLE citus_calls (number bigserial, call text);
GRANT SELECT ON pg_dist_partition, citus_calls TO PUBLIC;

CREATE FUNCTION column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2';

CREATE FUNCTION create_distributed_table(
  one regclass, col text, distribution_type text DEFAULT 'hash',
  colocate_with text DEFAULT 'default', shard_count integer DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  wanted integer; bad text; its_number smallint;
BEGIN
  its_number := (SELECT attnum FROM pg_attribute WHERE attrelid = one AND attname = col);
  IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = one) THEN
    RAISE EXCEPTION 'table % is already distributed', one;
  END IF;
  SELECT indexrelid::regclass INTO bad FROM pg_index
    WHERE indrelid = one AND indisunique AND NOT its_number = ANY(indkey::smallint[]);
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'cannot create constraint on %: % does not include the column', one, bad;
  END IF;
  wanted := CASE colocate_with WHEN 'none'
    THEN (SELECT coalesce(max(colocationid), 0) + 1 FROM pg_dist_partition)
    ELSE (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass)
  END;
  IF wanted IS NULL THEN
    RAISE EXCEPTION 'relation % is not distributed', colocate_with;
  END IF;
  SELECT confrelid::regclass INTO bad FROM pg_constraint WHERE conrelid = one AND contype = 'f'
    AND NOT EXISTS (SELECT FROM pg_dist_partition JOIN pg_attribute ON attrelid = confrelid
      AND attname = partkey WHERE logicalrelid = confrelid AND colocationid = wanted
      AND array_position(confkey, attnum) = array_position(conkey, its_number));
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION 'referenced table % must be a distributed table or a reference table', bad;
  END IF;
  IF pg_relation_size(one) > 0 AND (SELECT relforcerowsecurity FROM pg_class WHERE oid = one)
    AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user) THEN
    RAISE EXCEPTION 'COPY FROM not supported with row-level security';
  END IF;
  INSERT INTO pg_dist_partition VALUES (one, 'h', col, wanted);
  INSERT INTO citus_calls (call) VALUES (format('table %s', one));
END $$;

CREATE FUNCTION create_distributed_function(one regprocedure)
RETURNS void LANGUAGE sql SECURITY DEFINER AS
$$ INSERT INTO citus_calls (call) VALUES (format('function %s', one)) $$;

CREATE FUNCTION truncate_local_data_after_distributing_table(one regclass)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE confrelid = one AND contype = 'f'
    AND conrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition)) THEN
    RAISE EXCEPTION 'cannot truncate a table referenced in a foreign key by a local table';
  END IF;
  INSERT INTO citus_calls (call) VALUES (format('truncate %s', one));
END $$;
"""


def offer_citus(server: PostgresServer, database: str, *, version: str = "13.0-1") -> None:
    """Let `CREATE EXTENSION citus` in a database make the stand-in; end its connections."""
    folder = server.data.parent / f"citus-{version}" / "extension"
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    (folder / "citus.control").write_text(CONTROL.format(version=version), encoding="utf-8")
    (folder / f"citus--{version}.sql").write_text(FUNCTIONS, encoding="utf-8")
    for path in (folder.parent, folder):
        path.chmod(0o755)
    server.run(
        f"ALTER DATABASE \"{database}\" SET extension_control_path = '$system:{folder.parent}'"
    )
    server.cut_connections(database)


def add_citus(server: PostgresServer, database: str, *, version: str = "13.0-1") -> None:
    """Add the stand-in to a database."""
    offer_citus(server, database, version=version)
    server.run("CREATE EXTENSION citus", database=database)
