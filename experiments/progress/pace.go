package progress

import "time"

// Pace estimates the remaining time of a task from its speed so far. What was done before the clock started, for
// example before a run was interrupted, does not count. The zero value has measured nothing.
type Pace struct {
	began       time.Time
	first, done int
	now         time.Time
}

// Begin starts the clock at a time, with what is already done.
func (p *Pace) Begin(done int, now time.Time) {
	*p = Pace{began: now, first: done, done: done, now: now}
}

// Reach records what is done at a time. It starts the clock if Begin was not called.
func (p *Pace) Reach(done int, now time.Time) {
	if p.began.IsZero() {
		p.Begin(done, now)
	}
	p.done, p.now = done, now
}

// Left returns how long the rest up to total takes at the mean speed so far. known is false before anything was
// measured.
func (p *Pace) Left(total int) (left time.Duration, known bool) {
	measured := p.done - p.first
	if measured <= 0 || total < p.done {
		return 0, false
	}
	return time.Duration(float64(p.now.Sub(p.began)) / float64(measured) * float64(total-p.done)), true
}
