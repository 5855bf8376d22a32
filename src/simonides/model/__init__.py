"""The project's vocabulary as frozen records: items, filters, queries, results, briefs."""
