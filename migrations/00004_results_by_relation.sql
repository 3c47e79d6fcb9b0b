-- Results per relation of a run's final evaluation, in a typed table: MLflow's metrics have one number per key, and a
-- relation's name does not fit in a key. As in 00002, the view selects from a function whose body is a string.

-- +goose Up

-- No foreign key to MLflow's runs: it would stand in the way of MLflow's own upgrades. The view leaves out rows whose run
-- is gone.
CREATE TABLE spherelab.relation_result (
    run_uuid varchar(32) NOT NULL,
    cut text NOT NULL,
    relation text NOT NULL,
    side text NOT NULL CHECK (side IN ('head', 'tail')),
    category text NOT NULL,
    triples bigint NOT NULL,
    queries bigint NOT NULL,
    f1 double precision NOT NULL,
    "precision" double precision NOT NULL,
    recall double precision NOT NULL,
    rr double precision NOT NULL,
    size double precision NOT NULL,
    query_f1 double precision NOT NULL,
    union_f1 double precision NOT NULL,
    novel_triples bigint NOT NULL,
    novel_f1 double precision NOT NULL -- 0 where novel_triples is 0
);

-- The hash, because an index takes no text above 2.7 kB and an IRI may be longer.
CREATE UNIQUE INDEX relation_result_key ON spherelab.relation_result (run_uuid, cut, md5(relation), side);

-- +goose StatementBegin
CREATE FUNCTION spherelab.relation_rows() RETURNS TABLE (
    run_id text, run_name text, experiment text, cut text, is_default boolean, relation text, side text, category text,
    triples bigint, queries bigint, f1 double precision, "precision" double precision, recall double precision,
    rr double precision, size double precision, query_f1 double precision, union_f1 double precision,
    novel_triples bigint, novel_f1 double precision
) LANGUAGE sql STABLE AS $body$
    SELECT r.run_uuid::text, r.name::text, e.name::text, s.cut, s.cut = t.value, s.relation, s.side, s.category,
        s.triples, s.queries, s.f1, s.precision, s.recall, s.rr, s.size, s.query_f1, s.union_f1,
        s.novel_triples, CASE WHEN s.novel_triples > 0 THEN s.novel_f1 END
    FROM public.runs r
    JOIN public.experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active'
    JOIN spherelab.relation_result s ON s.run_uuid = r.run_uuid
    LEFT JOIN public.tags t ON t.run_uuid = r.run_uuid AND t.key = 'criterion'
    WHERE r.lifecycle_stage = 'active'
$body$;
-- +goose StatementEnd

CREATE VIEW spherelab.relation AS SELECT * FROM spherelab.relation_rows();

COMMENT ON VIEW spherelab.relation IS 'one row per run, cut, relation and side of the final evaluation';

-- +goose Down
DROP VIEW spherelab.relation;
DROP FUNCTION spherelab.relation_rows();
DROP TABLE spherelab.relation_result;
