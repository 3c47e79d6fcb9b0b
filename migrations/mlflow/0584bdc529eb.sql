-- MLflow's tables as MLflow 2.18 to 2.22 has them: alembic revision 0584bdc529eb.
-- Executed only in a database that has none of them. A database that MLflow made is left as it is.
-- Names, types, defaults, constraints and indices are MLflow's; a test compares them with MLflow's own catalog.

CREATE TABLE public.alembic_version (
    version_num varchar(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE public.experiments (
    experiment_id serial NOT NULL,
    name varchar(256) NOT NULL,
    artifact_location varchar(256),
    lifecycle_stage varchar(32),
    creation_time bigint,
    last_update_time bigint,
    CONSTRAINT experiment_pk PRIMARY KEY (experiment_id),
    CONSTRAINT experiments_name_key UNIQUE (name),
    CONSTRAINT experiments_lifecycle_stage CHECK (lifecycle_stage IN ('active', 'deleted'))
);

CREATE TABLE public.experiment_tags (
    key varchar(250) NOT NULL,
    value varchar(5000),
    experiment_id integer NOT NULL,
    CONSTRAINT experiment_tag_pk PRIMARY KEY (key, experiment_id),
    CONSTRAINT experiment_tags_experiment_id_fkey FOREIGN KEY (experiment_id) REFERENCES public.experiments (experiment_id)
);

CREATE TABLE public.runs (
    run_uuid varchar(32) NOT NULL,
    name varchar(250),
    source_type varchar(20),
    source_name varchar(500),
    entry_point_name varchar(50),
    user_id varchar(256),
    status varchar(9),
    start_time bigint,
    end_time bigint,
    source_version varchar(50),
    lifecycle_stage varchar(20),
    artifact_uri varchar(200),
    experiment_id integer,
    deleted_time bigint,
    CONSTRAINT run_pk PRIMARY KEY (run_uuid),
    CONSTRAINT runs_experiment_id_fkey FOREIGN KEY (experiment_id) REFERENCES public.experiments (experiment_id),
    CONSTRAINT runs_lifecycle_stage CHECK (lifecycle_stage IN ('active', 'deleted')),
    CONSTRAINT runs_status_check CHECK (status IN ('SCHEDULED', 'FAILED', 'FINISHED', 'RUNNING', 'KILLED')),
    CONSTRAINT source_type CHECK (source_type IN ('NOTEBOOK', 'JOB', 'LOCAL', 'UNKNOWN', 'PROJECT'))
);

CREATE TABLE public.params (
    key varchar(250) NOT NULL,
    value varchar(8000) NOT NULL,
    run_uuid varchar(32) NOT NULL,
    CONSTRAINT param_pk PRIMARY KEY (key, run_uuid),
    CONSTRAINT params_run_uuid_fkey FOREIGN KEY (run_uuid) REFERENCES public.runs (run_uuid)
);
CREATE INDEX index_params_run_uuid ON public.params (run_uuid);

CREATE TABLE public.tags (
    key varchar(250) NOT NULL,
    value varchar(8000),
    run_uuid varchar(32) NOT NULL,
    CONSTRAINT tag_pk PRIMARY KEY (key, run_uuid),
    CONSTRAINT tags_run_uuid_fkey FOREIGN KEY (run_uuid) REFERENCES public.runs (run_uuid)
);
CREATE INDEX index_tags_run_uuid ON public.tags (run_uuid);

CREATE TABLE public.metrics (
    key varchar(250) NOT NULL,
    value double precision NOT NULL,
    timestamp bigint NOT NULL,
    run_uuid varchar(32) NOT NULL,
    step bigint NOT NULL DEFAULT '0'::bigint,
    is_nan boolean NOT NULL DEFAULT false,
    CONSTRAINT metric_pk PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan),
    CONSTRAINT metrics_run_uuid_fkey FOREIGN KEY (run_uuid) REFERENCES public.runs (run_uuid)
);
CREATE INDEX index_metrics_run_uuid ON public.metrics (run_uuid);

CREATE TABLE public.latest_metrics (
    key varchar(250) NOT NULL,
    value double precision NOT NULL,
    timestamp bigint,
    step bigint NOT NULL,
    is_nan boolean NOT NULL,
    run_uuid varchar(32) NOT NULL,
    CONSTRAINT latest_metric_pk PRIMARY KEY (key, run_uuid),
    CONSTRAINT latest_metrics_run_uuid_fkey FOREIGN KEY (run_uuid) REFERENCES public.runs (run_uuid)
);
CREATE INDEX index_latest_metrics_run_uuid ON public.latest_metrics (run_uuid);

CREATE TABLE public.datasets (
    dataset_uuid varchar(36) NOT NULL,
    experiment_id integer NOT NULL,
    name varchar(500) NOT NULL,
    digest varchar(36) NOT NULL,
    dataset_source_type varchar(36) NOT NULL,
    dataset_source text NOT NULL,
    dataset_schema text,
    dataset_profile text,
    CONSTRAINT dataset_pk PRIMARY KEY (experiment_id, name, digest),
    CONSTRAINT fk_datasets_experiment_id_experiments FOREIGN KEY (experiment_id) REFERENCES public.experiments (experiment_id) ON DELETE CASCADE
);
CREATE INDEX index_datasets_dataset_uuid ON public.datasets (dataset_uuid);
CREATE INDEX index_datasets_experiment_id_dataset_source_type ON public.datasets (experiment_id, dataset_source_type);

CREATE TABLE public.inputs (
    input_uuid varchar(36) NOT NULL,
    source_type varchar(36) NOT NULL,
    source_id varchar(36) NOT NULL,
    destination_type varchar(36) NOT NULL,
    destination_id varchar(36) NOT NULL,
    CONSTRAINT inputs_pk PRIMARY KEY (source_type, source_id, destination_type, destination_id)
);
CREATE INDEX index_inputs_input_uuid ON public.inputs (input_uuid);
CREATE INDEX index_inputs_destination_type_destination_id_source_type ON public.inputs (destination_type, destination_id, source_type);

CREATE TABLE public.input_tags (
    input_uuid varchar(36) NOT NULL,
    name varchar(255) NOT NULL,
    value varchar(500) NOT NULL,
    CONSTRAINT input_tags_pk PRIMARY KEY (input_uuid, name)
);

CREATE TABLE public.registered_models (
    name varchar(256) NOT NULL,
    creation_time bigint,
    last_updated_time bigint,
    description varchar(5000),
    CONSTRAINT registered_model_pk PRIMARY KEY (name)
);

CREATE TABLE public.registered_model_tags (
    key varchar(250) NOT NULL,
    value varchar(5000),
    name varchar(256) NOT NULL,
    CONSTRAINT registered_model_tag_pk PRIMARY KEY (key, name),
    CONSTRAINT registered_model_tags_name_fkey FOREIGN KEY (name) REFERENCES public.registered_models (name) ON UPDATE CASCADE
);

CREATE TABLE public.registered_model_aliases (
    alias varchar(256) NOT NULL,
    version integer NOT NULL,
    name varchar(256) NOT NULL,
    CONSTRAINT registered_model_alias_pk PRIMARY KEY (name, alias),
    CONSTRAINT registered_model_alias_name_fkey FOREIGN KEY (name) REFERENCES public.registered_models (name) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE public.model_versions (
    name varchar(256) NOT NULL,
    version integer NOT NULL,
    creation_time bigint,
    last_updated_time bigint,
    description varchar(5000),
    user_id varchar(256),
    current_stage varchar(20),
    source varchar(500),
    run_id varchar(32),
    status varchar(20),
    status_message varchar(500),
    run_link varchar(500),
    storage_location varchar(500),
    CONSTRAINT model_version_pk PRIMARY KEY (name, version),
    CONSTRAINT model_versions_name_fkey FOREIGN KEY (name) REFERENCES public.registered_models (name) ON UPDATE CASCADE
);

CREATE TABLE public.model_version_tags (
    key varchar(250) NOT NULL,
    value varchar(5000),
    name varchar(256) NOT NULL,
    version integer NOT NULL,
    CONSTRAINT model_version_tag_pk PRIMARY KEY (key, name, version),
    CONSTRAINT model_version_tags_name_version_fkey FOREIGN KEY (name, version) REFERENCES public.model_versions (name, version) ON UPDATE CASCADE
);

CREATE TABLE public.trace_info (
    request_id varchar(50) NOT NULL,
    experiment_id integer NOT NULL,
    timestamp_ms bigint NOT NULL,
    execution_time_ms bigint,
    status varchar(50) NOT NULL,
    CONSTRAINT trace_info_pk PRIMARY KEY (request_id),
    CONSTRAINT fk_trace_info_experiment_id FOREIGN KEY (experiment_id) REFERENCES public.experiments (experiment_id)
);
CREATE INDEX index_trace_info_experiment_id_timestamp_ms ON public.trace_info (experiment_id, timestamp_ms);

CREATE TABLE public.trace_tags (
    key varchar(250) NOT NULL,
    value varchar(8000),
    request_id varchar(50) NOT NULL,
    CONSTRAINT trace_tag_pk PRIMARY KEY (key, request_id),
    CONSTRAINT fk_trace_tags_request_id FOREIGN KEY (request_id) REFERENCES public.trace_info (request_id) ON DELETE CASCADE
);
CREATE INDEX index_trace_tags_request_id ON public.trace_tags (request_id);

CREATE TABLE public.trace_request_metadata (
    key varchar(250) NOT NULL,
    value varchar(8000),
    request_id varchar(50) NOT NULL,
    CONSTRAINT trace_request_metadata_pk PRIMARY KEY (key, request_id),
    CONSTRAINT fk_trace_request_metadata_request_id FOREIGN KEY (request_id) REFERENCES public.trace_info (request_id) ON DELETE CASCADE
);
CREATE INDEX index_trace_request_metadata_request_id ON public.trace_request_metadata (request_id);

INSERT INTO public.alembic_version (version_num) VALUES ('0584bdc529eb');
