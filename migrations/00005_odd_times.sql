-- Times that PostgreSQL cannot hold are NULL. MLflow's clients may store any number as a time, and one in nanoseconds made
-- the views fail for every run. The views' functions keep their bodies except for the conversion.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION spherelab.unix_time(ms bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN ms BETWEEN 0 AND 253402300799999 THEN to_timestamp(ms / 1000.0) END
$body$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $body$
DECLARE
    f regprocedure;
BEGIN
    FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'spherelab'::regnamespace
            AND prosrc ~ 'to_timestamp\([rm][.]\w+ / 1000[.]0\)' LOOP
        EXECUTE regexp_replace(pg_get_functiondef(f), 'to_timestamp\(([rm][.]\w+) / 1000[.]0\)',
            'spherelab.unix_time(\1)', 'g');
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
    FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'spherelab'::regnamespace
            AND prosrc LIKE '%spherelab.unix_time(%' LOOP
        EXECUTE regexp_replace(pg_get_functiondef(f), 'spherelab.unix_time\(([rm][.]\w+)\)',
            'to_timestamp(\1 / 1000.0)', 'g');
    END LOOP;
END
$body$;
-- +goose StatementEnd
DROP FUNCTION spherelab.unix_time(bigint);
