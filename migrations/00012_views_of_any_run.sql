-- Views of what any run has, also those that Python's MLflow logged: metrics, points, params and tags, without deleted
-- runs, NaN and the infinities as SQL has them. As in 00002, each view selects from a function whose body is a string,
-- and each function is inlined.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION spherelab.metric_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, key text, value double precision, step bigint, at timestamptz
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, m.key::text, spherelab.metric_value(m.value, m.is_nan), m.step,
        spherelab.unix_time(m.timestamp)
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN public.latest_metrics m ON m.run_uuid = r.run_uuid
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

-- The points of a run are found by its id. Without DISTINCT, which changes nothing as the points' primary key has all of
-- these columns, the planner may read all points of a key instead: it takes the rows of a run, whose ids are random, to lie
-- anywhere. A condition on the key reaches the inner SELECT.
-- +goose StatementBegin
CREATE FUNCTION spherelab.point_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, key text, step bigint, value double precision, at timestamptz
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, m.key, m.step, spherelab.metric_value(m.value, m.is_nan),
        spherelab.unix_time(m.timestamp)
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    CROSS JOIN LATERAL (
        SELECT DISTINCT key::text AS key, step, timestamp, value, is_nan FROM public.metrics WHERE run_uuid = r.run_uuid
    ) m
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION spherelab.param_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, key text, value text, number double precision
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, p.key::text, p.value::text, spherelab.param_float(p.value)
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN public.params p ON p.run_uuid = r.run_uuid
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION spherelab.tag_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, key text, value text
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, t.key::text, t.value::text
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN public.tags t ON t.run_uuid = r.run_uuid
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

CREATE VIEW spherelab.metric AS SELECT * FROM spherelab.metric_rows();
CREATE VIEW spherelab.point AS SELECT * FROM spherelab.point_rows();
CREATE VIEW spherelab.param AS SELECT * FROM spherelab.param_rows();
CREATE VIEW spherelab.tag AS SELECT * FROM spherelab.tag_rows();

COMMENT ON VIEW spherelab.metric IS 'one row per run and metric: its latest value';
COMMENT ON VIEW spherelab.point IS 'one row per logged point of a metric';
COMMENT ON VIEW spherelab.param IS 'one row per run and param';
COMMENT ON VIEW spherelab.tag IS 'one row per run and tag';

-- +goose Down
DROP VIEW spherelab.tag;
DROP VIEW spherelab.param;
DROP VIEW spherelab.point;
DROP VIEW spherelab.metric;
DROP FUNCTION spherelab.tag_rows();
DROP FUNCTION spherelab.param_rows();
DROP FUNCTION spherelab.point_rows();
DROP FUNCTION spherelab.metric_rows();
