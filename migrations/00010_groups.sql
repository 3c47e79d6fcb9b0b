-- A run with the tag spherelab.group stands for others, such as the runs of a sweep. It has no training of its own, so the
-- views leave it out. There are few of them: the planner reads their tags once, by the index of keys.

-- +goose Up

-- +goose StatementBegin
DO $body$
DECLARE
    f regprocedure;
    old text;
    new text;
BEGIN
    FOREACH f IN ARRAY ARRAY['spherelab.run_wide_rows()', 'spherelab.epoch_rows()', 'spherelab.result_rows()',
        'spherelab.category_rows()', 'spherelab.relation_rows()', 'spherelab.run_wide_of_points()',
        'spherelab.epoch_of_points()', 'spherelab.unsummarised_runs()']::regprocedure[]
    LOOP
        old := pg_get_functiondef(f);
        new := replace(old, 'r.lifecycle_stage = ''active''', 'r.lifecycle_stage = ''active'' AND NOT EXISTS ('
            'SELECT FROM public.tags g WHERE g.run_uuid = r.run_uuid AND g.key = ''spherelab.group'')');
        IF new = old THEN
            RAISE EXCEPTION '% has another body than this migration knows', f;
        END IF;
        EXECUTE new;
    END LOOP;
END
$body$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
DO $body$
DECLARE
    f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['spherelab.run_wide_rows()', 'spherelab.epoch_rows()', 'spherelab.result_rows()',
        'spherelab.category_rows()', 'spherelab.relation_rows()', 'spherelab.run_wide_of_points()',
        'spherelab.epoch_of_points()', 'spherelab.unsummarised_runs()']::regprocedure[]
    LOOP
        EXECUTE replace(pg_get_functiondef(f), ' AND NOT EXISTS ('
            'SELECT FROM public.tags g WHERE g.run_uuid = r.run_uuid AND g.key = ''spherelab.group'')', '');
    END LOOP;
END
$body$;
-- +goose StatementEnd
