// Package tracker stores runs, their params, tags and metrics in PostgreSQL, in the tables of MLflow, so that MLflow's
// own tools read the same database.
//
// A log call returns when the record is in the run's local spool file; a background writer moves it to the database. A
// killed program or a lost database loses nothing: the next flush, or the next Open on the same data directory, stores
// what is in the spool.
package tracker
