package tracker

import "time"

// Pulse is what changes while a program works on a run.
type Pulse struct {
	Status Status
	Step   int64     // the latest of any metric
	Time   time.Time // of the newest value of any metric; zero without metrics
}
