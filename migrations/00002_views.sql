-- The analysts' views. A view directly on MLflow's tables would block MLflow's own upgrades ("cannot alter type of a
-- column used by a view"). So each view selects from a function whose body is a string, which PostgreSQL does not bind
-- to the tables. Both functions are inlined, so conditions reach MLflow's indices. The views leave out deleted runs and
-- experiments.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION spherelab.metric_value(value double precision, is_nan boolean) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    -- MLflow stores NaN as (0, is_nan) and the infinities as the largest finite numbers.
    SELECT CASE
        WHEN is_nan THEN 'NaN'::double precision
        WHEN value >= 1.7976931348623157e308 THEN 'Infinity'::double precision
        WHEN value <= -1.7976931348623157e308 THEN '-Infinity'::double precision
        ELSE value
    END
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION spherelab.param_number(value text) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    -- NULL for what is not a number, so that one odd parameter does not spoil a whole table.
    SELECT CASE WHEN value ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$' THEN value::numeric END
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION spherelab.run_wide_rows() RETURNS TABLE (
    id text, name text, experiment text, status text, start_time timestamptz, end_time timestamptz, seconds double precision,
    model text, variant text, dataset text, dimension numeric, seed numeric, epochs numeric,
    batch numeric, negatives numeric, learning_rate numeric, temperature numeric,
    last_epoch bigint, loss double precision,
    valid_head_f1 double precision, valid_tail_f1 double precision,
    head_f1 double precision, tail_f1 double precision, head_rr double precision, tail_rr double precision, nn_f1 double precision,
    head_precision double precision, head_recall double precision, tail_precision double precision, tail_recall double precision,
    mrr double precision, mr double precision, hits_1 double precision, hits_3 double precision, hits_10 double precision,
    checkpoint_digest text, git_head text, user_name text, artifact_uri text
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, r.status::text,
        to_timestamp(r.start_time / 1000.0), to_timestamp(r.end_time / 1000.0), ((r.end_time - r.start_time) / 1000.0)::double precision,
        p.model, p.variant, p.dataset, p.dimension, p.seed, p.epochs, p.batch, p.negatives, p.learning_rate, p.temperature,
        m.last_epoch, m.loss, m.valid_head_f1, m.valid_tail_f1,
        m.head_f1, m.tail_f1, m.head_rr, m.tail_rr, m.nn_f1,
        m.head_precision, m.head_recall, m.tail_precision, m.tail_recall,
        m.mrr, m.mr, m.hits_1, m.hits_3, m.hits_10,
        t.checkpoint_digest, t.git_head, r.user_id::text, r.artifact_uri::text
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    LEFT JOIN LATERAL (
        SELECT max(value) FILTER (WHERE key = 'model') AS model,
            max(value) FILTER (WHERE key = 'variant') AS variant,
            max(value) FILTER (WHERE key = 'data') AS dataset,
            spherelab.param_number(max(value) FILTER (WHERE key = 'dimension')) AS dimension,
            spherelab.param_number(max(value) FILTER (WHERE key = 'seed')) AS seed,
            spherelab.param_number(max(value) FILTER (WHERE key = 'train.epochs')) AS epochs,
            spherelab.param_number(max(value) FILTER (WHERE key = 'train.batch')) AS batch,
            spherelab.param_number(max(value) FILTER (WHERE key = 'train.negatives')) AS negatives,
            spherelab.param_number(max(value) FILTER (WHERE key = 'train.learning_rate')) AS learning_rate,
            spherelab.param_number(max(value) FILTER (WHERE key = 'train.temperature')) AS temperature
        FROM public.params WHERE run_uuid = r.run_uuid
    ) p ON true
    LEFT JOIN LATERAL (
        SELECT max(step) FILTER (WHERE key = 'loss') AS last_epoch,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'loss') AS loss,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'valid/head_f1') AS valid_head_f1,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'valid/tail_f1') AS valid_tail_f1,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/head_f1') AS head_f1,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/tail_f1') AS tail_f1,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/head_rr') AS head_rr,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/tail_rr') AS tail_rr,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/nn_f1') AS nn_f1,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/head_precision') AS head_precision,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/head_recall') AS head_recall,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/tail_precision') AS tail_precision,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/tail_recall') AS tail_recall,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/mrr') AS mrr,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/mr') AS mr,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/hits_1') AS hits_1,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/hits_3') AS hits_3,
            max(spherelab.metric_value(value, is_nan)) FILTER (WHERE key = 'test/hits_10') AS hits_10
        FROM public.latest_metrics WHERE run_uuid = r.run_uuid
    ) m ON true
    LEFT JOIN LATERAL (
        SELECT max(value) FILTER (WHERE key = 'checkpoint_digest') AS checkpoint_digest,
            max(value) FILTER (WHERE key IN ('git_head', 'mlflow.source.git.commit')) AS git_head
        FROM public.tags WHERE run_uuid = r.run_uuid
    ) t ON true
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

CREATE VIEW spherelab.run_wide AS SELECT * FROM spherelab.run_wide_rows();

-- +goose StatementBegin
CREATE FUNCTION spherelab.epoch_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, model text, variant text, epoch bigint,
    loss double precision, learning_rate double precision,
    valid_head_f1 double precision, valid_tail_f1 double precision, valid_head_rr double precision, valid_tail_rr double precision,
    valid_nn_f1 double precision, valid_mrr double precision,
    epoch_seconds double precision, at timestamptz
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text,
        (SELECT value::text FROM public.params WHERE run_uuid = r.run_uuid AND key = 'model'),
        (SELECT value::text FROM public.params WHERE run_uuid = r.run_uuid AND key = 'variant'),
        m.step, m.loss, m.learning_rate, m.valid_head_f1, m.valid_tail_f1, m.valid_head_rr, m.valid_tail_rr, m.valid_nn_f1, m.valid_mrr,
        m.epoch_seconds, to_timestamp(m.written / 1000.0)
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    CROSS JOIN LATERAL (
        SELECT step,
            max(v) FILTER (WHERE key = 'loss') AS loss,
            max(v) FILTER (WHERE key = 'learning_rate') AS learning_rate,
            max(v) FILTER (WHERE key = 'valid/head_f1') AS valid_head_f1,
            max(v) FILTER (WHERE key = 'valid/tail_f1') AS valid_tail_f1,
            max(v) FILTER (WHERE key = 'valid/head_rr') AS valid_head_rr,
            max(v) FILTER (WHERE key = 'valid/tail_rr') AS valid_tail_rr,
            max(v) FILTER (WHERE key = 'valid/nn_f1') AS valid_nn_f1,
            max(v) FILTER (WHERE key = 'valid/mrr') AS valid_mrr,
            max(v) FILTER (WHERE key = 'system/epoch_seconds') AS epoch_seconds,
            max(written) AS written
        FROM (
            -- a key logged twice at a step: the later value counts
            SELECT DISTINCT ON (key, step) key, step, spherelab.metric_value(value, is_nan) AS v, timestamp AS written
            FROM public.metrics
            WHERE run_uuid = r.run_uuid AND key IN ('loss', 'learning_rate', 'valid/head_f1', 'valid/tail_f1', 'valid/head_rr',
                'valid/tail_rr', 'valid/nn_f1', 'valid/mrr', 'system/epoch_seconds')
            ORDER BY key, step, timestamp DESC, value DESC
        ) latest
        GROUP BY step
    ) m
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

CREATE VIEW spherelab.epoch AS SELECT * FROM spherelab.epoch_rows();

COMMENT ON VIEW spherelab.run_wide IS 'one row per run: settings, last loss, final test metrics (fractions)';
COMMENT ON VIEW spherelab.epoch IS 'one row per run and epoch: loss, learning rate, validation metrics, seconds';

-- +goose Down
DROP VIEW spherelab.epoch;
DROP FUNCTION spherelab.epoch_rows();
DROP VIEW spherelab.run_wide;
DROP FUNCTION spherelab.run_wide_rows();
DROP FUNCTION spherelab.param_number(text);
DROP FUNCTION spherelab.metric_value(double precision, boolean);
