package sphere

import "sync"

// pool is a fixed set of workers that run one job at a time together. The caller's goroutine is worker 0. Unlike
// parallel.For it allocates nothing per job, and a step is five jobs.
type pool struct {
	jobs []chan func(worker int)
	done sync.WaitGroup
}

func newPool(workers int) *pool {
	c := &pool{jobs: make([]chan func(int), workers-1)}
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
func (c *pool) run(f func(worker int)) {
	c.done.Add(len(c.jobs))
	for _, job := range c.jobs {
		job <- f
	}
	f(0)
	c.done.Wait()
}

func (c *pool) close() {
	for _, job := range c.jobs {
		close(job)
	}
	c.jobs = nil
}
