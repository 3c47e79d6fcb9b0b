package tracker

// Listing selects a part of the list of runs. The zero Listing is all runs that are not deleted, newest first. Groups
// are left out unless the search names TagGroup.
type Listing struct {
	// Search is a filter in MLflow's language if filter.Is reports so. Otherwise it is a list of words. A run must have
	// all of them, in any case, in its name, experiment, status, or params graph, model, variant and data, or as the
	// beginning of its id.
	Search     string
	Experiment string
	// Sort is a column: one of "name", "experiment", "status", "user", "start" and "seconds", or "param/", "tag/" or
	// "metric/" and a key, which may be one of BestKey or CutKey. Runs without a value are last. "" is "start".
	Sort      string
	Ascending bool
	// Columns are the params, tags and metrics to read, in the form of Sort. Others are not in the runs.
	Columns       []string
	Offset, Limit int // Limit 0: all
	// Fold replaces the runs that belong to the same run, such as those of a sweep, by the first of them in the order.
	// The run that they belong to counts as one of them if it is listed itself.
	Fold bool
	// Within is the id of the run whose runs are listed: those that Fold replaces, and the first one. "" means all
	// runs.
	Within string
	// Deleted selects the deleted runs instead of the others.
	Deleted bool
	// Unarchived leaves out runs with TagArchived, unless the search names that tag.
	Unarchived bool
}

// Listed is the part of the list that a Listing selects.
type Listed struct {
	Runs  []RunInfo       // with only the requested params, tags and metrics
	Total int             // number of runs without the limit; with Fold, runs that stand for others count once
	All   int             // number of runs without the limit and Fold
	Folds map[string]Fold // by the ids of the runs that stand for others
}

// Fold is the set of runs that a run of a list stands for.
type Fold struct {
	Parent string // id of the run that the runs belong to
	Runs   int    // their number, including the listed one
}

// ExperimentInfo is an experiment with its newest run.
type ExperimentInfo struct {
	ID     string // MLflow's
	Name   string
	Runs   int     // that are not deleted and are not groups
	Newest RunInfo // without params, tags and metrics; the zero RunInfo if there is none
}
