// Package form converts values to and from the forms in which MLflow stores them: numbers, times and ids.
package form

import (
	"math"
	"regexp"
	"time"
)

// ToMLflow converts a value to MLflow's form: NaN is (0, is_nan), the infinities are the largest finite numbers.
func ToMLflow(v float64) (float64, bool) {
	switch {
	case math.IsNaN(v):
		return 0, true
	case math.IsInf(v, 1):
		return math.MaxFloat64, false
	case math.IsInf(v, -1):
		return -math.MaxFloat64, false
	}
	return v, false
}

// FromMLflow is the inverse of toMLflow.
func FromMLflow(v float64, isNaN bool) float64 {
	switch {
	case isNaN:
		return math.NaN()
	case v >= math.MaxFloat64:
		return math.Inf(1)
	case v <= -math.MaxFloat64:
		return math.Inf(-1)
	}
	return v
}

// lastTime is the end of the year 9999 in Unix milliseconds. JSON has no later time, and MLflow's tables have what
// clients sent: a time in nanoseconds is one of the year 50,000,000.
const lastTime = 253402300799999

// UnixTime returns the time of Unix milliseconds, or the zero time if nothing, or an impossible value, is stored.
func UnixTime(ms *int64) time.Time {
	if ms == nil || *ms < 0 || *ms > lastTime {
		return time.Time{}
	}
	return time.UnixMilli(*ms).UTC()
}

var FullID = regexp.MustCompile(`^[0-9a-f]{32}$`)

var HexPattern = regexp.MustCompile(`^[0-9a-f]{1,32}$`)
