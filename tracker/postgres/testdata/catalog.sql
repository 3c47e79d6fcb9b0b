-- Describes schema public as lines of text: what MLflow's tables look like. The golden file mlflow_catalog.txt is the
-- answer in a database that MLflow 2.22 made; a test compares it with the answer in one that we made.
SELECT line FROM (
    SELECT 1 AS part, c.relname AS a, lpad((row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum))::text, 3, '0') AS b,
        'column ' || c.relname || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
            || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    UNION ALL
    SELECT 2, c.relname, k.conname, 'constraint ' || c.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE k.connamespace = 'public'::regnamespace AND k.contype <> 'n' -- PostgreSQL 18 lists NOT NULL here too
    UNION ALL
    SELECT 3, tablename, indexname, 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL
    SELECT 4, s.relname, '', 'sequence ' || s.relname || ' ' || format_type(q.seqtypid, NULL) || ' start ' || q.seqstart || ' increment ' || q.seqincrement
    FROM pg_class s JOIN pg_sequence q ON q.seqrelid = s.oid WHERE s.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT 5, c.relname, '', 'other ' || c.relkind::text || ' ' || c.relname FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind NOT IN ('r', 'i', 'S')
) x ORDER BY part, a COLLATE "C", b COLLATE "C", line COLLATE "C"
