-- run_wide finds the best validation among the results of a run, of which an index knows the few that matter; among the
-- metrics it reads every point of the run. A run that was resumed may have been started by an earlier version, which made
-- metrics of its validations. The function keeps its body except for this column.

-- +goose Up

-- +goose StatementBegin
DO $body$
DECLARE
    before text := $text$coalesce(spherelab.param_integer(t.v ->> 'best_epoch'), (SELECT step FROM public.metrics$text$;
    after text := $text$coalesce(spherelab.param_integer(t.v ->> 'best_epoch'), (SELECT x.step FROM spherelab.evaluation_result x
            WHERE x.run_uuid = r.run_uuid AND x.split = 'valid' AND x.cut = '' AND x.category = ''
                AND x.metric IN ('head_f1', 'tail_f1') AND x.value <> 'NaN' AND NOT coalesce(t.v ? 'resumed', false)
            GROUP BY x.step HAVING count(*) = 2 ORDER BY sum(x.value) DESC, x.step LIMIT 1), (SELECT step FROM public.metrics$text$;
    old text := pg_get_functiondef('spherelab.run_wide_rows()'::regprocedure);
BEGIN
    IF position(before IN old) = 0 THEN
        RAISE EXCEPTION 'spherelab.run_wide_rows() has another body than this migration knows';
    END IF;
    EXECUTE replace(old, before, after);
END
$body$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $body$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('spherelab.run_wide_rows()'::regprocedure),
        '\(SELECT x[.]step FROM spherelab[.]evaluation_result x.*?LIMIT 1\), ', '');
END
$body$;
-- +goose StatementEnd
