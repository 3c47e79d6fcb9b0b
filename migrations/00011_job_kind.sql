-- Searches that workers share: a job of kind search draws trials and enqueues them; a trial may end at an epoch, where its
-- run stays saved.

-- +goose Up

ALTER TABLE spherelab.job
    ADD COLUMN kind text NOT NULL DEFAULT 'run' CHECK (kind IN ('run', 'search')),
    ADD COLUMN until integer NOT NULL DEFAULT 0; -- epoch; 0: to the end of the training

-- +goose Down
ALTER TABLE spherelab.job DROP COLUMN kind, DROP COLUMN until;
