package sphere

import "sync"

// crew is a fixed set of goroutines that do one job together at a time. The caller's goroutine is worker 0.
type crew struct {
	jobs []chan func(worker int)
	done sync.WaitGroup
}

func newCrew(workers int) *crew {
	c := &crew{jobs: make([]chan func(int), workers-1)}
	for i := range c.jobs {
		job := make(chan func(int))
		c.jobs[i] = job
		go func() {
			for f := range job {
				f(i + 1)
				c.done.Done()
			}
		}()
	}
	return c
}

// run calls f once per worker and returns when all have finished.
func (c *crew) run(f func(worker int)) {
	c.done.Add(len(c.jobs))
	for _, job := range c.jobs {
		job <- f
	}
	f(0)
	c.done.Wait()
}

func (c *crew) close() {
	for _, job := range c.jobs {
		close(job)
	}
	c.jobs = nil
}
