-- Run by psql as a superuser in the coordinator's database `simonides`: tells it its own name and its workers.
-- It may be run again: a node that is known stays as it is. Spaces move to a new one by
-- citus_rebalance_start().
\set ON_ERROR_STOP on
SELECT citus_set_coordinator_host('coordinator', 5432);
SELECT citus_add_node(name, 5432)
FROM (VALUES ('worker-1'), ('worker-2')) AS workers (name)
WHERE name NOT IN (SELECT nodename FROM pg_dist_node);
