-- +goose Up
-- One row: the identity of this database. A spool file names its database.
CREATE TABLE spherelab.instance (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id text NOT NULL
);

-- The latest heartbeat of each run, by this database's clock.
CREATE TABLE spherelab.heartbeat (
    run_uuid varchar(32) PRIMARY KEY,
    at timestamptz NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL
);

-- The login for SQL queries. Only the owner can read its password.
CREATE TABLE spherelab.reader (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    role text NOT NULL,
    password text NOT NULL
);

-- +goose Down
DROP TABLE spherelab.reader;
DROP TABLE spherelab.heartbeat;
DROP TABLE spherelab.instance;
