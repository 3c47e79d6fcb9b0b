package tracker

import "time"

// JobState is the state of a job of a sweep.
type JobState string

// The states of a job. The last three are final.
const (
	JobWaiting  JobState = "waiting"
	JobRunning  JobState = "running"
	JobDone     JobState = "done"
	JobFailed   JobState = "failed"
	JobCanceled JobState = "canceled"
)

// JobKind is what a worker does with a job.
type JobKind string

// The kinds of jobs.
const (
	JobRun    JobKind = "run"    // a training
	JobSearch JobKind = "search" // draws the trainings of a search, repeatedly until its end
)

// NewJob is a training to be done by any worker.
type NewJob struct {
	Kind   JobKind // "": JobRun
	Key    string  // identifies the job within its sweep
	Title  string  // for people
	Config string  // YAML
	Until  int     // epoch after which the training is saved and the job is done; 0: the training's end
	Run    string  // id of the finished run that the job would repeat: the job is then already done; otherwise ""
}

// Job is a training of a sweep that workers share.
type Job struct {
	ID       int64
	Kind     JobKind
	Until    int // see NewJob
	Sweep    string
	Key      string
	Title    string
	Config   string
	State    JobState
	Run      string // id of its run; "" before it has one
	Holder   string // the worker that has the job, or had it last
	Fence    int64  // increases whenever the job gets another worker
	Takes    int
	Losses   int // how often its worker died or was cut off
	Failures int
	Error    string    // of the last failure
	Started  time.Time // zero before it was taken
	Ended    time.Time // zero before its end
}

// SweepState is the progress of a sweep.
type SweepState struct {
	Name     string
	Paused   bool
	Priority int
	Count    map[JobState]int

	Trainings int // waiting jobs that are not a search
}

// Open returns the number of jobs that are waiting or running.
func (s SweepState) Open() int { return s.Count[JobWaiting] + s.Count[JobRunning] }
