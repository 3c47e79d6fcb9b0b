// Package postgres is a tracker's backend on a PostgreSQL database with MLflow's tables and a schema of our own: the
// user's, or a private cluster that it starts. What needs SQL is here too: lists, queries, the queue of jobs, backups.
package postgres
