-- Trainings that workers on any machine take, with leases. A job gets a new fence number whenever it changes hands; the
-- writes of a run that a job trains carry the number of their worker and are refused after that.

-- +goose Up

-- One for all jobs: two jobs may train the same run, one after the other.
CREATE SEQUENCE spherelab.fence;

CREATE TABLE spherelab.sweep (
    name text PRIMARY KEY,
    paused boolean NOT NULL DEFAULT false, -- running jobs go on, no other is taken
    priority integer NOT NULL DEFAULT 0,   -- greater first
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- No foreign key to MLflow's runs: it would stand in the way of MLflow's own upgrades.
CREATE TABLE spherelab.job (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sweep text NOT NULL REFERENCES spherelab.sweep ON DELETE CASCADE,
    key text NOT NULL,    -- what makes it this job: enqueued twice, it is one
    title text NOT NULL,
    config text NOT NULL, -- YAML
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed', 'canceled')),
    run_uuid varchar(32),
    fence bigint NOT NULL DEFAULT 0,
    holder text,            -- the worker that has it or had it last
    lease_until timestamptz, -- of a running job; a worker that lives moves it on. A waiting job is not taken before it
    takes integer NOT NULL DEFAULT 0,
    losses integer NOT NULL DEFAULT 0, -- how often a lease ran out
    failures integer NOT NULL DEFAULT 0,
    error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at timestamptz, -- first taken
    ended_at timestamptz,
    UNIQUE (sweep, key)
);

CREATE INDEX job_waiting ON spherelab.job (sweep, id) WHERE state = 'waiting';
CREATE INDEX job_running ON spherelab.job (lease_until) WHERE state = 'running';
CREATE INDEX job_run ON spherelab.job (run_uuid) WHERE run_uuid IS NOT NULL;

-- +goose Down
DROP TABLE spherelab.job;
DROP TABLE spherelab.sweep;
DROP SEQUENCE spherelab.fence;
