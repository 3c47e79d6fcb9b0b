package command

import (
	"context"
	"fmt"
	"math"
	"time"
)

// time runs code once and prints how long it took.
func (c *Cell) time(code string, line int) (Outcome, error) {
	start := time.Now()
	v, err := c.Session.Evaluate("", code, line)
	took := time.Since(start)
	if err != nil {
		return Outcome{}, err
	}
	fmt.Fprintf(c.Stdout, "time: %s\n", duration(took))
	return Outcome{Value: v}, nil
}

// timeit compiles code once, runs it in rounds of about a tenth of a second and prints mean and standard deviation of
// the rounds.
func (c *Cell) timeit(code string, line int) error {
	once, done, err := c.Session.Prepare(code, line)
	if err != nil {
		return err
	}
	defer done()
	round := func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if c.Session.Interrupted() {
				return 0, context.Canceled
			}
			if err := once(); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	const rounds, target = 7, 100 * time.Millisecond
	n := 1
	for {
		took, err := round(n)
		if err != nil {
			return err
		}
		if took >= target/10 {
			if per := took / time.Duration(n); per < target {
				n = int(target / max(per, 1))
			} else {
				n = 1
			}
			break
		}
		n *= 10
	}
	var sum, squares float64
	for range rounds {
		took, err := round(n)
		if err != nil {
			return err
		}
		per := float64(took) / float64(n)
		sum += per
		squares += per * per
	}
	mean := sum / rounds
	deviation := math.Sqrt(math.Max(0, squares/rounds-mean*mean))
	fmt.Fprintf(c.Stdout, "%s ± %s per run (mean ± standard deviation of %d rounds of %d runs)\n",
		duration(time.Duration(mean)), duration(time.Duration(deviation)), rounds, n)
	return nil
}

// duration rounds to three digits.
func duration(d time.Duration) string {
	for unit := time.Duration(1); unit < d; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.String()
}
