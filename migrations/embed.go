// Package migrations holds the SQL that makes a tracker database.
package migrations

import (
	"embed"
	_ "embed"
)

// FS has our own schema's migrations in its root, in goose's form. They touch schema spherelab only.
//
//go:embed *.sql
var FS embed.FS

// MLflowRevision is the alembic revision of MLflow's tables in MLflow.
const MLflowRevision = "0584bdc529eb"

// MLflow makes MLflow's tables in schema public of an empty database and stamps them with MLflowRevision.
//
//go:embed mlflow/0584bdc529eb.sql
var MLflow string
