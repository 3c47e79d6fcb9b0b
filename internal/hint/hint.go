// Package hint has what a user may do next, as values. Errors and notes carry hints; the command line and the notebook
// each put them into their own words. So no package below them names a command, a flag or a function of cells.
package hint

import "slices"

// Hint is something the user may do next.
type Hint struct {
	Action  Action
	Subject string // what the action is done to, as documented at each Action; "" for an action without a subject
}

// Action is the kind of a Hint.
type Action string

// The actions. The Subject is in brackets.
const (
	TrainConfig     Action = "train config"     // train a config [its name; "" for the bundled ones]
	TrainPatterns   Action = "train patterns"   // train every model on every inference pattern
	TrainDimensions Action = "train dimensions" // train the models of spheres in 2 to 20 dimensions
	ResumeRun       Action = "resume run"       // train a run to its end from its saved state [its id]
	FinishRun       Action = "finish run"       // evaluate and end a run as it is [its id]
	ListRuns        Action = "list runs"        // see which runs there are
	RestoreRun      Action = "restore run"      // undo the deletion of a run [its id]
	ExportRun       Action = "export run"       // write a run to a file [its id; "" for any]
	ImportResults   Action = "import results"   // store the embedded results in the tracker
	FetchGraph      Action = "fetch graph"      // download a data set [its name]
	NameDataFolder  Action = "name data folder" // set the folder that contains the data sets
	MigrateTracker  Action = "migrate tracker"  // bring the database's schema up to date
	NameTracker     Action = "name tracker"     // set the database that runs are logged in
	NameToken       Action = "name token"       // set the credentials for a tracking server
	NameHome        Action = "name home"        // choose another data directory
	NameDatabase    Action = "name database"    // use a database server that runs already
	NameReader      Action = "name reader"      // set the login that runs SQL queries
	NameKernel      Action = "name kernel"      // choose another name for the Jupyter kernel
	NamePrefix      Action = "name prefix"      // set the prefix under which Jupyter is installed
	InstallForUser  Action = "install for user" // install the Jupyter kernel for one user
	ShowFull        Action = "show full"        // write every row and number, in a format for machines
	ShowRuns        Action = "show runs"        // see every run in a table, not only the chosen ones
	ShowVariant     Action = "show variant"     // see a table of another variant [its name]
	CompareRuns     Action = "compare runs"     // evaluate two trained runs on the same queries
	NameColumns     Action = "name columns"     // set what the columns of a file hold [words for them]
	NameRelation    Action = "name relation"    // set the one relation of all lines of a file [its name]
	ChooseQuotes    Action = "choose quotes"    // set whether fields of a file may be in quotes [how]
	NameModel       Action = "name model"       // set which model a file's tensors are of [the names it can be]
	NameNormFlag    Action = "name norm flag"   // set the norm_flag of a TransE of OpenKE
	NameRows        Action = "name rows"        // set the folder with the names of a model's rows
	MeasureRun      Action = "measure run"      // see the numbers of the run that was measured, not of its refit [its id]
	MeasureHidden   Action = "measure hidden"   // rank facts that a run has not seen [its id]
	UseCut          Action = "use cut"          // choose the cut of answers [its name]
)

// hinted is an error or a note that carries hints.
type hinted interface{ Hints() []Hint }

// Error is an error with hints.
type Error struct {
	Err  error
	List []Hint
}

// With adds hints to an error.
func With(err error, hints ...Hint) error { return &Error{err, hints} }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Hints returns what may be done about the error.
func (e *Error) Hints() []Hint { return e.List }

// Of returns the hints of err and the errors that it wraps, the outermost first and each once.
func Of(err error) []Hint {
	var hints []Hint
	var walk func(err error)
	walk = func(err error) {
		if err == nil {
			return
		}
		if h, ok := err.(hinted); ok {
			for _, next := range h.Hints() {
				if !slices.Contains(hints, next) {
					hints = append(hints, next)
				}
			}
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				walk(err)
			}
		}
	}
	walk(err)
	return hints
}

// Note is a sentence below a table or an answer, with hints.
type Note struct {
	Text string
	List []Hint
}

// Hints returns what may be done about the note.
func (n Note) Hints() []Hint { return n.List }
