package tracker

// Status is a run's state, in MLflow's words.
type Status string

// The states. Only the last three are final.
const (
	Running  Status = "RUNNING"
	Finished Status = "FINISHED"
	Failed   Status = "FAILED"
	Killed   Status = "KILLED"
)

// RunSpec describes a new run.
type RunSpec struct {
	Experiment string // created if there is none of this name; "": "Default"
	Name       string // "": made from the id
	Params     map[string]string
	Tags       map[string]string
	Claim      Claim     // claim to the job that this run does; zero without a job
	Inputs     []Dataset // the data that it uses
}

// GroupSpec describes a group. An experiment has at most one of its kind and name.
type GroupSpec struct {
	Experiment, Kind, Name string
	Tags                   map[string]string
	Files                  map[string][]byte // artifacts by name
}

// GroupState is a change of a group.
type GroupState struct {
	Status  Status // "": as before
	Tags    map[string]string
	Metrics map[string]float64
}
