-- Summaries of runs that have ended: the rows that run_wide and epoch would have to put together from every param, tag and
-- point of a run. A summary holds while its run has the status and the end of then. Programs of spherelab remove it in the
-- transaction that changes anything else of the run, and their start makes those that are missing and finds what other
-- programs have changed. Without a summary the views read the points, so they say the same at every time.

-- +goose Up

-- No foreign key to MLflow's runs: it would stand in the way of MLflow's own upgrades. The views leave out rows whose run
-- is gone.
CREATE TABLE spherelab.run_summary (
    run_uuid varchar(32) NOT NULL,
    status varchar(9) NOT NULL,
    end_time bigint NOT NULL,
    tag_count bigint NOT NULL, -- to see that a tag was deleted
    results_in_metrics boolean NOT NULL, -- as earlier versions stored them, and none in evaluation_result
    config_key text, config_hash text, seed numeric,
    model text, variant text, dataset text, graph text, graph_digest text,
    dimension bigint, gamma double precision, epsilon double precision, tau double precision, alpha double precision,
    beta double precision, epochs bigint, steps bigint, batch bigint, negatives bigint, sampling text,
    temperature double precision, learning_rate double precision, beta1 double precision, beta2 double precision,
    adam_epsilon double precision,
    last_epoch bigint, best_epoch bigint, evaluated_epoch bigint, loss double precision,
    valid_head_f1 double precision, valid_tail_f1 double precision, valid_mrr double precision,
    cut text, head_f1 double precision, tail_f1 double precision, head_rr double precision, tail_rr double precision,
    nn_f1 double precision, head_precision double precision, head_recall double precision,
    tail_precision double precision, tail_recall double precision,
    head_novel_f1 double precision, tail_novel_f1 double precision,
    head_union_f1 double precision, tail_union_f1 double precision,
    mrr double precision, mr double precision, hits_1 double precision, hits_3 double precision, hits_10 double precision,
    checkpoint_digest text, numerics_version bigint, git_head text,
    params jsonb,
    PRIMARY KEY (run_uuid) INCLUDE (status, end_time)
);

CREATE INDEX run_summary_config ON spherelab.run_summary (config_key);
CREATE INDEX run_summary_metrics ON spherelab.run_summary (run_uuid) WHERE results_in_metrics;
CREATE INDEX evaluation_result_category ON spherelab.evaluation_result (run_uuid) INCLUDE (category, metric, value)
    WHERE latest AND split = 'test' AND cut = '' AND category <> '';

-- The epochs of summarised runs.
CREATE TABLE spherelab.epoch_summary (
    run_uuid varchar(32) NOT NULL,
    epoch bigint NOT NULL,
    at timestamptz,
    loss double precision, learning_rate double precision, epoch_seconds double precision,
    valid_head_f1 double precision, valid_tail_f1 double precision, valid_head_rr double precision,
    valid_tail_rr double precision, valid_nn_f1 double precision, valid_mrr double precision,
    PRIMARY KEY (run_uuid, epoch)
);

CREATE INDEX epoch_summary_valid ON spherelab.epoch_summary (run_uuid, epoch)
    INCLUDE (loss, valid_head_f1, valid_tail_f1, valid_mrr) WHERE valid_mrr IS NOT NULL;

-- One row: what other programs wrote in transactions before this one is in the summaries.
CREATE TABLE spherelab.summary_horizon (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    transaction xid8 NOT NULL
);

-- The views' functions for any run, from its points, get other names.
ALTER FUNCTION spherelab.run_wide_rows() RENAME TO run_wide_of_points;
ALTER FUNCTION spherelab.epoch_rows() RENAME TO epoch_of_points;

-- A CASE, of which the planner expects half of all rows. Of two equal columns it would expect next to none.
-- +goose StatementBegin
CREATE FUNCTION spherelab.holds(of_status text, of_end bigint, status text, end_time bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN of_status = status AND of_end = end_time THEN true ELSE false END
$body$;
-- +goose StatementEnd

-- The active runs without a summary that holds. The setting keeps the function from being inlined: it is asked once, and
-- the points of few runs are read.
-- +goose StatementBegin
CREATE FUNCTION spherelab.unsummarised_runs() RETURNS TABLE (run_id text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog AS $body$
    SELECT r.run_uuid FROM public.runs r LEFT JOIN spherelab.run_summary s ON s.run_uuid = r.run_uuid
    WHERE r.lifecycle_stage = 'active' AND spherelab.holds(s.status, s.end_time, r.status, r.end_time) IS NOT TRUE
$body$;
-- +goose StatementEnd

-- The active runs whose results are metrics, and others that have none at all.
-- +goose StatementBegin
CREATE FUNCTION spherelab.runs_with_results_in_metrics() RETURNS TABLE (run_id text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog AS $body$
    SELECT r.run_uuid FROM spherelab.run_summary s JOIN public.runs r ON r.run_uuid = s.run_uuid
    WHERE s.results_in_metrics AND spherelab.holds(s.status, s.end_time, r.status, r.end_time)
    UNION ALL
    SELECT u.run_id FROM spherelab.unsummarised_runs() u WHERE NOT EXISTS (
        SELECT FROM spherelab.evaluation_result x WHERE x.run_uuid = u.run_id AND x.split = 'test')
$body$;
-- +goose StatementEnd

-- The functions of result and category keep their bodies except for how they find these runs.
-- +goose StatementBegin
DO $body$
DECLARE
    f regprocedure;
    old text;
    new text;
BEGIN
    FOREACH f IN ARRAY ARRAY['spherelab.result_rows()', 'spherelab.category_rows()']::regprocedure[] LOOP
        old := pg_get_functiondef(f);
        new := regexp_replace(old, 'AND NOT EXISTS \(\s*SELECT FROM spherelab.evaluation_result x '
            'WHERE x.run_uuid = r.run_uuid AND x.split = ''test''\)',
            'AND r.run_uuid IN (SELECT run_id FROM spherelab.runs_with_results_in_metrics())');
        IF new = old THEN
            RAISE EXCEPTION '% has another body than this migration knows', f;
        END IF;
        EXECUTE new;
    END LOOP;
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
        spherelab.unix_time(r.start_time), spherelab.unix_time(r.end_time),
        ((r.end_time - r.start_time) / 1000.0)::double precision,
        s.config_key, s.config_hash, s.seed, s.model, s.variant, s.dataset, s.graph, s.graph_digest,
        s.dimension, s.gamma, s.epsilon, s.tau, s.alpha, s.beta, s.epochs, s.steps, s.batch, s.negatives, s.sampling,
        s.temperature, s.learning_rate, s.beta1, s.beta2, s.adam_epsilon, s.params,
        s.last_epoch, s.best_epoch, s.evaluated_epoch, s.loss, s.valid_head_f1, s.valid_tail_f1, s.valid_mrr,
        s.cut, s.head_f1, s.tail_f1, s.head_rr, s.tail_rr, s.nn_f1, s.head_precision, s.head_recall,
        s.tail_precision, s.tail_recall, s.head_novel_f1, s.tail_novel_f1, s.head_union_f1, s.tail_union_f1,
        s.mrr, s.mr, s.hits_1, s.hits_3, s.hits_10, s.checkpoint_digest, s.numerics_version, s.git_head,
        r.user_id::text, r.artifact_uri::text, r.run_uuid::text, r.name::text
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN spherelab.run_summary s ON s.run_uuid = r.run_uuid AND spherelab.holds(s.status, s.end_time, r.status, r.end_time)
    WHERE r.lifecycle_stage = 'active'
    UNION ALL
    SELECT p.* FROM spherelab.unsummarised_runs() u JOIN spherelab.run_wide_of_points() p ON p.run_id = u.run_id
$body$;
-- +goose StatementEnd

CREATE OR REPLACE VIEW spherelab.run_wide AS SELECT * FROM spherelab.run_wide_rows();

-- +goose StatementBegin
CREATE FUNCTION spherelab.epoch_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, model text, variant text, epoch bigint,
    loss double precision, learning_rate double precision,
    valid_head_f1 double precision, valid_tail_f1 double precision, valid_head_rr double precision, valid_tail_rr double precision,
    valid_nn_f1 double precision, valid_mrr double precision,
    epoch_seconds double precision, at timestamptz
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, s.model, s.variant, p.epoch, p.loss, p.learning_rate,
        p.valid_head_f1, p.valid_tail_f1, p.valid_head_rr, p.valid_tail_rr, p.valid_nn_f1, p.valid_mrr, p.epoch_seconds, p.at
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN spherelab.run_summary s ON s.run_uuid = r.run_uuid AND spherelab.holds(s.status, s.end_time, r.status, r.end_time)
    JOIN spherelab.epoch_summary p ON p.run_uuid = r.run_uuid
    WHERE r.lifecycle_stage = 'active'
    UNION ALL
    SELECT p.* FROM spherelab.unsummarised_runs() u JOIN spherelab.epoch_of_points() p ON p.run_id = u.run_id
$body$;
-- +goose StatementEnd

CREATE OR REPLACE VIEW spherelab.epoch AS SELECT * FROM spherelab.epoch_rows();

-- +goose Down
CREATE OR REPLACE VIEW spherelab.run_wide AS SELECT * FROM spherelab.run_wide_of_points();
CREATE OR REPLACE VIEW spherelab.epoch AS SELECT * FROM spherelab.epoch_of_points();
DROP FUNCTION spherelab.run_wide_rows();
DROP FUNCTION spherelab.epoch_rows();
-- +goose StatementBegin
DO $body$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['spherelab.result_rows()', 'spherelab.category_rows()']::regprocedure[] LOOP
        EXECUTE replace(pg_get_functiondef(f),
            'AND r.run_uuid IN (SELECT run_id FROM spherelab.runs_with_results_in_metrics())',
            'AND NOT EXISTS (SELECT FROM spherelab.evaluation_result x WHERE x.run_uuid = r.run_uuid AND x.split = ''test'')');
    END LOOP;
END
$body$;
-- +goose StatementEnd
DROP FUNCTION spherelab.runs_with_results_in_metrics();
DROP FUNCTION spherelab.unsummarised_runs();
DROP FUNCTION spherelab.holds(text, bigint, text, bigint);
ALTER FUNCTION spherelab.run_wide_of_points() RENAME TO run_wide_rows;
ALTER FUNCTION spherelab.epoch_of_points() RENAME TO epoch_rows;
DROP TABLE spherelab.summary_horizon;
DROP TABLE spherelab.epoch_summary;
DROP TABLE spherelab.run_summary;
DROP INDEX spherelab.evaluation_result_category;
