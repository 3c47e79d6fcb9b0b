-- Every number of a run's evaluations, in a typed table. Earlier versions made a metric of each, hundreds per run, among
-- which MLflow's pages lost the few that they are for; those are metrics still. The views read both forms.

-- +goose Up

-- No foreign key to MLflow's runs: it would stand in the way of MLflow's own upgrades. The views leave out rows whose run
-- is gone.
CREATE TABLE spherelab.evaluation_result (
    run_uuid varchar(32) NOT NULL,
    split text NOT NULL,
    cut text NOT NULL,      -- '' is the run's own cut, which tag criterion names, or none, as for ranks
    category text NOT NULL, -- of relations; '' is all
    metric text NOT NULL,
    step bigint NOT NULL,   -- the epoch of the model
    value double precision NOT NULL,
    low double precision,   -- the ends of a 95 % interval
    high double precision,
    at bigint NOT NULL,     -- when it was logged, in Unix milliseconds as in MLflow's tables
    latest boolean NOT NULL DEFAULT true, -- no result of this name has a later step
    PRIMARY KEY (run_uuid, split, cut, category, metric, step),
    CHECK ((low IS NULL) = (high IS NULL))
);

-- The names that any run has, and one metric of all runs.
CREATE INDEX evaluation_result_name ON spherelab.evaluation_result (split, cut, category, metric) WHERE latest;
CREATE INDEX evaluation_result_test ON spherelab.evaluation_result (metric, cut, run_uuid) INCLUDE (value, low, high)
    WHERE latest AND split = 'test' AND category = '';

-- +goose StatementBegin
CREATE FUNCTION spherelab.is_of_sets(metric text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT metric NOT IN ('mrr', 'head_mrr', 'tail_mrr', 'mr', 'head_mr', 'tail_mr')
        AND metric NOT LIKE 'hits\_%' AND metric NOT LIKE '%\_hits\_%'
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spherelab.result_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, cut text, is_default boolean, metric text,
    value double precision, low double precision, high double precision
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text,
        CASE WHEN s.cut <> '' THEN s.cut WHEN spherelab.is_of_sets(s.metric) THEN t.value::text END,
        s.cut = '' AND spherelab.is_of_sets(s.metric), s.metric, s.value, s.low, s.high
    FROM spherelab.evaluation_result s
    JOIN public.runs r ON r.run_uuid = s.run_uuid AND r.lifecycle_stage = 'active'
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    LEFT JOIN public.tags t ON t.run_uuid = s.run_uuid AND t.key = 'criterion'
    WHERE s.latest AND s.split = 'test' AND s.category = ''
    UNION ALL
    -- Runs of earlier versions. test/METRIC is of the run's own cut, or of ranks, which have no cut; test/CUT/METRIC is of
    -- another cut. METRIC_lo and METRIC_hi are the ends of an interval.
    SELECT r.run_uuid::text, r.name::text, e.name::text,
        CASE WHEN m.cut <> '' THEN m.cut WHEN spherelab.is_of_sets(m.metric) THEN
            (SELECT value::text FROM public.tags WHERE run_uuid = r.run_uuid AND key = 'criterion') END,
        m.cut = '' AND spherelab.is_of_sets(m.metric), m.metric, m.value, m.low, m.high
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    CROSS JOIN LATERAL (
        SELECT k.cut, k.metric,
            max(k.v) FILTER (WHERE k.part = '') AS value,
            max(k.v) FILTER (WHERE k.part = '_lo') AS low,
            max(k.v) FILTER (WHERE k.part = '_hi') AS high
        FROM (
            SELECT spherelab.metric_value(l.value, l.is_nan) AS v,
                CASE WHEN split_part(l.key, '/', 3) <> '' THEN split_part(l.key, '/', 2) ELSE '' END AS cut, n.part,
                left(n.metric, length(n.metric) - length(n.part)) AS metric
            FROM public.latest_metrics l
            CROSS JOIN LATERAL (SELECT
                CASE WHEN right(l.key, 3) IN ('_lo', '_hi') THEN right(l.key, 3) ELSE '' END AS part,
                CASE WHEN split_part(l.key, '/', 3) <> '' THEN split_part(l.key, '/', 3) ELSE split_part(l.key, '/', 2) END AS metric
            ) n
            WHERE l.run_uuid = r.run_uuid AND l.key LIKE 'test/%' AND l.key NOT LIKE '%/category/%'
        ) k
        GROUP BY k.cut, k.metric
    ) m
    WHERE r.lifecycle_stage = 'active' AND NOT EXISTS (
        SELECT FROM spherelab.evaluation_result x WHERE x.run_uuid = r.run_uuid AND x.split = 'test')
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spherelab.category_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, cut text, category text, metric text, value double precision
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, t.value::text, s.category, s.metric, s.value
    FROM spherelab.evaluation_result s
    JOIN public.runs r ON r.run_uuid = s.run_uuid AND r.lifecycle_stage = 'active'
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    LEFT JOIN public.tags t ON t.run_uuid = s.run_uuid AND t.key = 'criterion'
    WHERE s.latest AND s.split = 'test' AND s.cut = '' AND s.category <> ''
    UNION ALL
    SELECT r.run_uuid::text, r.name::text, e.name::text,
        (SELECT value::text FROM public.tags WHERE run_uuid = r.run_uuid AND key = 'criterion'),
        split_part(l.key, '/', 3), split_part(l.key, '/', 4), spherelab.metric_value(l.value, l.is_nan)
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN public.latest_metrics l ON l.run_uuid = r.run_uuid AND l.key LIKE 'test/category/%'
    WHERE r.lifecycle_stage = 'active' AND NOT EXISTS (
        SELECT FROM spherelab.evaluation_result x WHERE x.run_uuid = r.run_uuid AND x.split = 'test')
$body$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spherelab.result_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, cut text, is_default boolean, metric text,
    value double precision, low double precision, high double precision
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text,
        CASE WHEN m.cut <> '' THEN m.cut WHEN m.of_sets THEN
            (SELECT value::text FROM public.tags WHERE run_uuid = r.run_uuid AND key = 'criterion') END,
        m.cut = '' AND m.of_sets, m.metric, m.value, m.low, m.high
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    CROSS JOIN LATERAL (
        -- test/METRIC is of the run's own cut, or of ranks, which have no cut; test/CUT/METRIC is of another cut.
        -- METRIC_lo and METRIC_hi are the ends of an interval.
        SELECT k.cut, k.metric,
            k.metric NOT IN ('mrr', 'head_mrr', 'tail_mrr', 'mr', 'head_mr', 'tail_mr')
                AND k.metric NOT LIKE 'hits\_%' AND k.metric NOT LIKE '%\_hits\_%' AS of_sets,
            max(k.v) FILTER (WHERE k.part = '') AS value,
            max(k.v) FILTER (WHERE k.part = '_lo') AS low,
            max(k.v) FILTER (WHERE k.part = '_hi') AS high
        FROM (
            SELECT spherelab.metric_value(l.value, l.is_nan) AS v,
                CASE WHEN split_part(l.key, '/', 3) <> '' THEN split_part(l.key, '/', 2) ELSE '' END AS cut, n.part,
                left(n.metric, length(n.metric) - length(n.part)) AS metric
            FROM public.latest_metrics l
            CROSS JOIN LATERAL (SELECT
                CASE WHEN right(l.key, 3) IN ('_lo', '_hi') THEN right(l.key, 3) ELSE '' END AS part,
                CASE WHEN split_part(l.key, '/', 3) <> '' THEN split_part(l.key, '/', 3) ELSE split_part(l.key, '/', 2) END AS metric
            ) n
            WHERE l.run_uuid = r.run_uuid AND l.key LIKE 'test/%' AND l.key NOT LIKE '%/category/%'
        ) k
        GROUP BY k.cut, k.metric
    ) m
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spherelab.category_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, cut text, category text, metric text, value double precision
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text,
        (SELECT value::text FROM public.tags WHERE run_uuid = r.run_uuid AND key = 'criterion'),
        split_part(l.key, '/', 3), split_part(l.key, '/', 4), spherelab.metric_value(l.value, l.is_nan)
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN public.latest_metrics l ON l.run_uuid = r.run_uuid AND l.key LIKE 'test/category/%'
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

DROP FUNCTION spherelab.is_of_sets(text);
DROP TABLE spherelab.evaluation_result;
