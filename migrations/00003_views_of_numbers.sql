-- Views whose numbers are numbers: settings as typed columns and as JSON, a key of the config without its seed, results
-- by cut and by config. As in 00002, each view selects from a function whose body is a string, and each function is
-- inlined. A column that needs a scan of its own is a scalar subquery: whoever does not select it does not pay for it.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spherelab.param_integer(value text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN value ~ '^[-+]?[0-9]{1,18}$' THEN value::bigint END
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spherelab.param_float(value text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    -- NULL for what is not a number or might not fit.
    SELECT CASE WHEN value ~ '^[-+]?([0-9]{1,40}[.]?[0-9]{0,40}|[.][0-9]{1,40})([eE][-+]?[0-9]{1,2})?$'
        THEN value::double precision END
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION spherelab.param_json(key text, value text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    -- Names and digests are text, also where they look like numbers.
    SELECT CASE
        WHEN key IN ('name', 'data', 'graph', 'graph_digest', 'config_hash', 'model', 'variant') THEN to_jsonb(value)
        WHEN value IN ('true', 'false') THEN to_jsonb(value = 'true')
        WHEN value ~ '^-?[0-9]{1,40}$' THEN to_jsonb(value::numeric)
        WHEN spherelab.param_float(value) IS NOT NULL THEN to_jsonb(spherelab.param_float(value))
        WHEN value ~ '^\[(-?[1-9][0-9]{0,17}(, ?-?[1-9][0-9]{0,17})*)?\]$' THEN value::jsonb
        ELSE to_jsonb(value)
    END
$body$;
-- +goose StatementEnd

-- CREATE OR REPLACE cannot change the type of a column. Where a view of a user stands on the old one, the old one stays
-- as run_wide_2, and the user's view selects from it.
-- +goose StatementBegin
DO $body$
BEGIN
    DROP VIEW IF EXISTS spherelab.run_wide;
    DROP FUNCTION IF EXISTS spherelab.run_wide_rows();
EXCEPTION WHEN dependent_objects_still_exist THEN
    ALTER VIEW spherelab.run_wide RENAME TO run_wide_2;
    ALTER FUNCTION spherelab.run_wide_rows() RENAME TO run_wide_rows_2;
END
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION spherelab.run_wide_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, status text,
    start_time timestamptz, end_time timestamptz, seconds double precision,
    config_key text, config_hash text, seed numeric,
    model text, variant text, dataset text, graph text, graph_digest text,
    dimension bigint, gamma double precision, epsilon double precision, tau double precision, alpha double precision,
    beta double precision, epochs bigint, steps bigint, batch bigint, negatives bigint, sampling text,
    temperature double precision, learning_rate double precision, beta1 double precision, beta2 double precision,
    adam_epsilon double precision, params jsonb,
    last_epoch bigint, best_epoch bigint, evaluated_epoch bigint, loss double precision,
    valid_head_f1 double precision, valid_tail_f1 double precision, valid_mrr double precision,
    cut text, head_f1 double precision, tail_f1 double precision, head_rr double precision, tail_rr double precision,
    nn_f1 double precision, head_precision double precision, head_recall double precision,
    tail_precision double precision, tail_recall double precision,
    head_novel_f1 double precision, tail_novel_f1 double precision,
    head_union_f1 double precision, tail_union_f1 double precision,
    mrr double precision, mr double precision, hits_1 double precision, hits_3 double precision, hits_10 double precision,
    checkpoint_digest text, numerics_version bigint, git_head text, user_name text, artifact_uri text,
    id text, name text
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, r.status::text,
        to_timestamp(r.start_time / 1000.0), to_timestamp(r.end_time / 1000.0),
        ((r.end_time - r.start_time) / 1000.0)::double precision,
        -- What decides the numbers of a run, except its seed: the params without those that change no number. Of the
        -- graph's folder only the last part counts.
        (SELECT substr(md5(string_agg(key || '=' || CASE key WHEN 'data' THEN regexp_replace(value, '^.*[/\\]', '') ELSE value END,
                E'\n' ORDER BY key COLLATE "C")), 1, 16)
            FROM public.params WHERE run_uuid = r.run_uuid AND key NOT IN ('seed', 'config_hash', 'numerics_version', 'threads',
                'name', 'tags', 'tracker.uri', 'tracker.experiment', 'train.save_every')),
        p.v ->> 'config_hash', spherelab.param_number(p.v ->> 'seed'),
        p.v ->> 'model', p.v ->> 'variant', p.v ->> 'data', p.v ->> 'graph', p.v ->> 'graph_digest',
        spherelab.param_integer(p.v ->> 'dimension'), spherelab.param_float(p.v ->> 'gamma'),
        spherelab.param_float(p.v ->> 'epsilon'), spherelab.param_float(p.v ->> 'tau'),
        spherelab.param_float(p.v ->> 'alpha'), spherelab.param_float(p.v ->> 'beta'),
        spherelab.param_integer(p.v ->> 'train.epochs'), spherelab.param_integer(p.v ->> 'train.steps'),
        spherelab.param_integer(p.v ->> 'train.batch'), spherelab.param_integer(p.v ->> 'train.negatives'),
        p.v ->> 'train.sampling', spherelab.param_float(p.v ->> 'train.temperature'),
        spherelab.param_float(p.v ->> 'train.learning_rate'), spherelab.param_float(p.v ->> 'train.beta1'),
        spherelab.param_float(p.v ->> 'train.beta2'), spherelab.param_float(p.v ->> 'train.adam_epsilon'),
        (SELECT jsonb_object_agg(key, spherelab.param_json(key, value)) FROM public.params WHERE run_uuid = r.run_uuid),
        m.last_epoch,
        -- The best validation: that which early stopping chose, else the highest sum of head and tail F1. Appending ''
        -- leads to the index by run; that by key would visit the key's values of all runs.
        coalesce(spherelab.param_integer(t.v ->> 'best_epoch'), (SELECT step FROM public.metrics
            WHERE run_uuid = r.run_uuid AND key || '' IN ('valid/head_f1', 'valid/tail_f1') AND NOT is_nan
            GROUP BY step HAVING count(DISTINCT key) = 2 ORDER BY sum(value) DESC, step LIMIT 1)),
        CASE WHEN m.test_epoch IS NOT NULL THEN coalesce(spherelab.param_integer(t.v ->> 'best_epoch'), m.test_epoch) END,
        m.loss, m.valid_head_f1, m.valid_tail_f1, m.valid_mrr,
        t.v ->> 'criterion', m.head_f1, m.tail_f1, m.head_rr, m.tail_rr, m.nn_f1,
        m.head_precision, m.head_recall, m.tail_precision, m.tail_recall,
        m.head_novel_f1, m.tail_novel_f1, m.head_union_f1, m.tail_union_f1,
        m.mrr, m.mr, m.hits_1, m.hits_3, m.hits_10,
        t.v ->> 'checkpoint_digest', spherelab.param_integer(p.v ->> 'numerics_version'),
        coalesce(t.v ->> 'git_head', t.v ->> 'mlflow.source.git.commit'), r.user_id::text, r.artifact_uri::text,
        r.run_uuid::text, r.name::text
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    LEFT JOIN LATERAL (SELECT jsonb_object_agg(key, value) AS v FROM public.params WHERE run_uuid = r.run_uuid) p ON true
    LEFT JOIN LATERAL (SELECT jsonb_object_agg(key, value) AS v FROM public.tags WHERE run_uuid = r.run_uuid) t ON true
    LEFT JOIN LATERAL (
        SELECT max(step) FILTER (WHERE key = 'loss') AS last_epoch,
            max(step) FILTER (WHERE key IN ('test/head_f1', 'test/mrr')) AS test_epoch,
            max(v) FILTER (WHERE key = 'loss') AS loss,
            max(v) FILTER (WHERE key = 'valid/head_f1') AS valid_head_f1,
            max(v) FILTER (WHERE key = 'valid/tail_f1') AS valid_tail_f1,
            max(v) FILTER (WHERE key = 'valid/mrr') AS valid_mrr,
            max(v) FILTER (WHERE key = 'test/head_f1') AS head_f1,
            max(v) FILTER (WHERE key = 'test/tail_f1') AS tail_f1,
            max(v) FILTER (WHERE key = 'test/head_rr') AS head_rr,
            max(v) FILTER (WHERE key = 'test/tail_rr') AS tail_rr,
            max(v) FILTER (WHERE key = 'test/nn_f1') AS nn_f1,
            max(v) FILTER (WHERE key = 'test/head_precision') AS head_precision,
            max(v) FILTER (WHERE key = 'test/head_recall') AS head_recall,
            max(v) FILTER (WHERE key = 'test/tail_precision') AS tail_precision,
            max(v) FILTER (WHERE key = 'test/tail_recall') AS tail_recall,
            max(v) FILTER (WHERE key = 'test/head_novel_f1') AS head_novel_f1,
            max(v) FILTER (WHERE key = 'test/tail_novel_f1') AS tail_novel_f1,
            max(v) FILTER (WHERE key = 'test/head_union_f1') AS head_union_f1,
            max(v) FILTER (WHERE key = 'test/tail_union_f1') AS tail_union_f1,
            max(v) FILTER (WHERE key = 'test/mrr') AS mrr,
            max(v) FILTER (WHERE key = 'test/mr') AS mr,
            max(v) FILTER (WHERE key = 'test/hits_1') AS hits_1,
            max(v) FILTER (WHERE key = 'test/hits_3') AS hits_3,
            max(v) FILTER (WHERE key = 'test/hits_10') AS hits_10
        FROM (
            SELECT key, step, spherelab.metric_value(value, is_nan) AS v FROM public.latest_metrics
            WHERE run_uuid = r.run_uuid AND key IN ('loss', 'valid/head_f1', 'valid/tail_f1', 'valid/mrr', 'test/head_f1',
                'test/tail_f1', 'test/head_rr', 'test/tail_rr', 'test/nn_f1', 'test/head_precision', 'test/head_recall',
                'test/tail_precision', 'test/tail_recall', 'test/head_novel_f1', 'test/tail_novel_f1', 'test/head_union_f1',
                'test/tail_union_f1', 'test/mrr', 'test/mr', 'test/hits_1', 'test/hits_3', 'test/hits_10')
        ) shown
    ) m ON true
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

CREATE VIEW spherelab.run_wide AS SELECT * FROM spherelab.run_wide_rows();

-- +goose StatementBegin
CREATE FUNCTION spherelab.result_rows() RETURNS TABLE (
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

CREATE VIEW spherelab.result AS SELECT * FROM spherelab.result_rows();

-- +goose StatementBegin
CREATE FUNCTION spherelab.category_rows() RETURNS TABLE (
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

CREATE VIEW spherelab.category AS SELECT * FROM spherelab.category_rows();

-- +goose StatementBegin
CREATE FUNCTION spherelab.config_rows() RETURNS TABLE (
    config_key text, run_name text, experiment text, model text, variant text, graph text, dimension bigint,
    gamma double precision, epochs bigint, learning_rate double precision, cut text,
    seed_count bigint, seeds jsonb, run_ids jsonb,
    head_f1 double precision, head_f1_deviation double precision,
    tail_f1 double precision, tail_f1_deviation double precision,
    head_rr double precision, head_rr_deviation double precision,
    tail_rr double precision, tail_rr_deviation double precision,
    nn_f1 double precision, nn_f1_deviation double precision,
    head_novel_f1 double precision, head_novel_f1_deviation double precision,
    tail_novel_f1 double precision, tail_novel_f1_deviation double precision,
    mrr double precision, mrr_deviation double precision,
    hits_10 double precision, hits_10_deviation double precision,
    seconds double precision, last_start timestamptz
) LANGUAGE sql STABLE AS $body$
    SELECT config_key, (array_agg(run_name ORDER BY start_time DESC))[1], (array_agg(experiment ORDER BY start_time DESC))[1],
        max(model), max(variant), max(graph), max(dimension), max(gamma), max(epochs), max(learning_rate), max(cut),
        count(*), jsonb_agg(seed ORDER BY seed), jsonb_agg(run_id ORDER BY seed),
        avg(head_f1), stddev_samp(head_f1), avg(tail_f1), stddev_samp(tail_f1),
        avg(head_rr), stddev_samp(head_rr), avg(tail_rr), stddev_samp(tail_rr), avg(nn_f1), stddev_samp(nn_f1),
        avg(head_novel_f1), stddev_samp(head_novel_f1), avg(tail_novel_f1), stddev_samp(tail_novel_f1),
        avg(mrr), stddev_samp(mrr), avg(hits_10), stddev_samp(hits_10), avg(seconds), max(start_time)
    FROM (
        -- of several finished runs with one config and seed the newest
        SELECT DISTINCT ON (config_key, seed) * FROM spherelab.run_wide_rows()
        WHERE status = 'FINISHED' AND config_key IS NOT NULL
        ORDER BY config_key, seed, start_time DESC, run_id
    ) newest
    GROUP BY config_key
$body$;
-- +goose StatementEnd

CREATE VIEW spherelab.config AS SELECT * FROM spherelab.config_rows();

COMMENT ON VIEW spherelab.run_wide IS 'one row per run: settings, epochs, final test metrics (fractions)';
COMMENT ON VIEW spherelab.result IS 'one row per run, cut and metric of the final evaluation, with 95 % intervals';
COMMENT ON VIEW spherelab.category IS 'one row per run, relation category and metric of the final evaluation';
COMMENT ON VIEW spherelab.config IS 'one row per config without its seed: means and deviations over the seeds';

-- +goose Down
DROP VIEW spherelab.config;
DROP FUNCTION spherelab.config_rows();
DROP VIEW spherelab.category;
DROP FUNCTION spherelab.category_rows();
DROP VIEW spherelab.result;
DROP FUNCTION spherelab.result_rows();
-- run_wide keeps its form, in which it has the columns of 00002 and more; 00002 drops it.
