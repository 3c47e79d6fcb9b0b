// Package tracker logs runs, their params, tags, metrics and files, and reads them. A Backend stores them: packages
// postgres and mlflow have one each, and package open returns the right one for an address. The tables are those of
// MLflow, so that MLflow's own tools read the same database.
//
// A log call returns when the record is in the run's local spool file; a background writer moves it to the store. A
// killed program or a lost store loses nothing: the next flush, or the next start on the same data directory, stores
// what is in the spool.
package tracker
