// Package tracker stores runs, their params, tags and metrics in PostgreSQL, in the tables of MLflow, so that MLflow's
// own tools read the same database.
//
// A log call returns when the record is in the run's local spool file; a background writer moves it to the database.
// A killed process or an unreachable database loses nothing: the spool is replayed by the next flush, or by the next
// Open on the same data directory.
//
// All methods of Tracker and Run may be called from several goroutines.
package tracker
