package tracker

import (
	"context"
)

// Backend stores runs. The tracker, its runs and the spool use a store only through it. A method makes one try, and the
// tracker repeats a try whose Fault is Temporary. Writing what is already stored must change nothing, because a try
// whose answer was lost is repeated too. A backend embeds Unsupported for what it cannot do or need not do.
type Backend interface {
	// Identity returns what the store is.
	Identity() Identity
	// Close ends all connections.
	Close() error

	// Create makes a RUNNING run and its folder, and repeats its tries itself. It calls named with the run's id as soon
	// as the id is certain and, if the backend chooses the id, before the run can be seen. If named returns an error,
	// the run is undone.
	Create(ctx context.Context, run NewRun, named func(id string) error) (Place, error)
	// OpenGroup marks a group RUNNING and returns its id. It creates the group if it does not exist. It repeats its
	// tries itself.
	OpenGroup(ctx context.Context, g GroupSpec, tags map[string]string) (id string, err error)
	// Take assigns a run to a claim's job, so that no other program can write it. It makes a folder of its own with
	// copies of the run's files. It repeats its tries itself.
	Take(ctx context.Context, run RunInfo, by Claim) (Place, error)
	// Resume marks a run RUNNING and returns its params, results and the last point of each key and step. at is what
	// Take returned. CodeBusy means that a living program elsewhere writes the run.
	Resume(ctx context.Context, run string, by Claim, at Place) (Batch, error)
	// Refresh updates this machine's copy of the files of a resumed run to the store's, and repeats its tries itself.
	Refresh(ctx context.Context, run RunInfo) error
	// Write stores a part of a spool, its files and the run's end, if the claim is valid. Otherwise the error has
	// CodeFenced.
	Write(ctx context.Context, run string, by Claim, b Batch) error
	// Check returns an error with CodeFenced if a claim is not valid.
	Check(ctx context.Context, by Claim) error
	// Beat is Check, and also records that the run's program is alive.
	Beat(ctx context.Context, run string, by Claim) error
	// EndDead marks a run FAILED at a time in Unix milliseconds unless it has ended, releases its job, and returns its
	// status.
	EndDead(ctx context.Context, run string, by Claim, at int64) (Status, error)
	// Stale ends runs without signs of life, except for those with a spool on this machine, and returns their ids.
	Stale(ctx context.Context, spooled []string) ([]string, error)
	// Writer returns the program that writes a run, by the store's signs of life; nil if there is none.
	Writer(ctx context.Context, run string) (*Writer, error)
	// SetStage deletes or restores a run, as MLflow does.
	SetStage(ctx context.Context, run string, deleted bool) error
	// SetTag sets a tag of a run that another program may write, or deletes it if the value is "". TagRunName renames
	// the run.
	SetTag(ctx context.Context, run, key, value string) error
	// Tag returns the value of a tag, "" if the run lacks it.
	Tag(ctx context.Context, run, key string) (string, error)

	// State returns the current state of a run.
	State(ctx context.Context, run string) (State, error)
	// Candidates returns the runs that a reference may mean, newest first, by the first rule that finds any: "last",
	// the id, the name, the beginning of an id. They may lack params, tags and metrics. named is true if the name
	// matched.
	Candidates(ctx context.Context, ref string, deleted bool) (list []RunInfo, named bool, err error)
	// Complete adds what a run of Candidates lacks.
	Complete(ctx context.Context, run RunInfo) (RunInfo, error)
	// Names returns the ids and names of the newest runs, newest first.
	Names(ctx context.Context, deleted bool) ([]RunName, error)
	// Runs returns the runs that pass a filter, newest first.
	Runs(ctx context.Context, f Filter) ([]RunInfo, error)
	// Points returns the points of a metric, or of all metrics without a key, by step, time, key and value.
	Points(ctx context.Context, run string, key *string) ([]MetricPoint, error)
	// Keys returns the names of a run's metrics.
	Keys(ctx context.Context, run string) ([]string, error)
	// Results returns the results of a run's evaluations in the order of CompareResults: at least those of a key, or
	// all of them without a key.
	Results(ctx context.Context, run string, key *string) ([]EvaluationResult, error)
	// Relations returns a run's results per relation, by cut, relation and side.
	Relations(ctx context.Context, run string) ([]RelationResult, error)

	// Fetch downloads files of a run that this machine lacks to the run's folder: those of the given names, or all. It
	// repeats its tries itself.
	Fetch(ctx context.Context, run RunInfo, only ...string) error
	// Objects lists the files of a run that are in a bucket.
	Objects(ctx context.Context, run RunInfo) ([]Object, error)
	// Withdraw removes files of a run from its bucket.
	Withdraw(ctx context.Context, run RunInfo, names ...string) error
}

// Identity is what a store is.
type Identity struct {
	Instance string // written into spools: a spool is replayed only into the store of its run
	Kind     string // for people: "the database"
	Where    string // for people, without a password
	Sends    bool   // files of all runs are sent to the store, and not only those in a bucket
}

// NewRun is a run to create.
type NewRun struct {
	RunSpec
	ID   string // for a backend that does not choose ids itself
	User string
}

// Place is where a run that this program writes is.
type Place struct {
	ID       string
	Dir      string // existing folder for its artifacts on this machine
	URI      string // address of its artifacts
	InBucket bool   // Dir is a copy
	Bare     bool   // params and inputs are not stored yet, so the run logs them
}

// Writer is a program that writes a run.
type Writer struct {
	Known  bool // the store keeps signs of life; otherwise only spools of this machine do
	Name   string
	Host   string
	PID    int
	Recent bool // its last sign of life is younger than Options.StaleAfter
}

// State is the current state of a run.
type State struct {
	Name    string
	Status  Status
	Missing bool // the run does not exist
	Gone    bool // and it will not come to exist
}

// RunName has what a run can be found by.
type RunName struct {
	ID   string `db:"run_uuid"`
	Name string
}

// Unsupported has the methods of a backend without signs of life, claims and buckets. Such a backend embeds it.
type Unsupported struct{}

// Take returns an error: there are no claims.
func (Unsupported) Take(_ context.Context, run RunInfo, _ Claim) (Place, error) {
	return Place{}, Errorf(CodeUnsupported, nil, "run %s cannot be taken over here: its store has no jobs", run.ID)
}

// Refresh does nothing: there is no copy.
func (Unsupported) Refresh(context.Context, RunInfo) error { return nil }

// Check does nothing: there are no claims.
func (Unsupported) Check(context.Context, Claim) error { return nil }

// Beat does nothing.
func (Unsupported) Beat(context.Context, string, Claim) error { return nil }

// Writer returns nil: there are no signs of life.
func (Unsupported) Writer(context.Context, string) (*Writer, error) { return &Writer{}, nil }

// Objects returns an error: files are not in a bucket of this program.
func (Unsupported) Objects(_ context.Context, run RunInfo) ([]Object, error) {
	return nil, Errorf(CodeUnsupported, nil, "the artifacts of run %s are not in a bucket of this program", run.ID)
}

// Withdraw does nothing.
func (Unsupported) Withdraw(context.Context, RunInfo, ...string) error { return nil }
