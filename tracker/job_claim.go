package tracker

// Claim is a program's right to write a run that workers share. The zero Claim is for a run without a job.
type Claim struct {
	Job, Fence int64
	Run        string // the job's run when it was claimed; not compared
}
