// Package migrations holds the SQL that creates a tracker database.
package migrations

import (
	"embed"
	_ "embed"
)

// FS has the migrations of schema spherelab in its root, in goose's form. They change no other schema.
//
//go:embed *.sql
var FS embed.FS

// MLflow creates MLflow's tables in schema public of an empty database, stamped with alembic revision 0584bdc529eb.
//
//go:embed mlflow/0584bdc529eb.sql
var MLflow string
