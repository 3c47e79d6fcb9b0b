package interp

import (
	"fmt"
	"math"
	"time"

	"github.com/cosmos72/gomacro/base"

	"go/token"
)

// time runs code once and prints how long it took.
func (e *Engine) time(x *execution, code string, line int) (value, error) {
	start := time.Now()
	v, failure := e.evaluateCode(x, code, line)
	took := time.Since(start)
	if failure != nil {
		return value{}, failure
	}
	fmt.Fprintf(e.stdout.File, "time: %s\n", duration(took))
	return v, nil
}

// timeit compiles code once, runs it in rounds of about a tenth of a second and prints mean and standard deviation of the rounds.
func (e *Engine) timeit(x *execution, code string, line int) error {
	p, failure := e.compile(x.number, code, line)
	defer e.sources.release(p.src)
	if failure != nil {
		return failure
	}
	round := func(n int) (time.Duration, error) {
		start := time.Now()
		for i := 0; i < n; i++ {
			if x.interrupted.Load() {
				return 0, e.runtimeError(x, base.SigInterrupt, p.src, token.NoPos)
			}
			if _, failure := e.runProgram(x, p); failure != nil {
				return 0, failure
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
	for i := 0; i < rounds; i++ {
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
	fmt.Fprintf(e.stdout.File, "%s ± %s per run (mean ± standard deviation of %d rounds of %d runs)\n",
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
