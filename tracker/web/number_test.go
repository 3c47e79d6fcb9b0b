package web

import (
	"math"
	"testing"
)

// TestNumbersForPeople: what was rounded keeps its digits, what was not keeps those that it has. A mean has no digits
// that its deviation takes the sense from.
func TestNumbersForPeople(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0.8: "0.8", 0.80000123: "0.80000", 64: "64", 0.30000000000000004: "0.30000", 12345.6: "12346",
		1.0 / 3e12: "3.3333e-13", 123456: "1.2346e+05", -2.0 / 3: "-0.66667", math.Inf(-1): "-Inf"} {
		if got := number(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
	for m, want := range map[mean]string{
		{Mean: 0.86159, Deviation: 0.0076, N: 2, Of: 2}:      "0.8616 ± 0.0076",
		{Mean: 0.804321234, Deviation: 1.3e-5, N: 2, Of: 2}:  "0.804321 ± 0.000013",
		{Mean: 12345.6, Deviation: 234.5, N: 3, Of: 4}:       "12346 ± 234 (3 of 4)",
		{Mean: 3e-9, Deviation: 1.2e-10, N: 2, Of: 2}:        "3e-09 ± 1.2e-10",
		{Mean: 2, Deviation: 0, N: 2, Of: 2}:                 "2 ± 0",
		{Mean: 1e300, Deviation: math.Inf(1), N: 2, Of: 2}:   "1e+300 ± +Inf",
		{Mean: math.Pi, N: 1, Of: 1}:                         "3.1416",
		{Mean: -0.00001, Deviation: 0.31, N: 2, Of: 2}:       "-0.00 ± 0.31",
		{Mean: 0.1, Deviation: 0.0999999999999, N: 2, Of: 2}: "0.100 ± 0.100",
		{Mean: math.MaxFloat64, Deviation: 1, N: 2, Of: 2}:   "1.7977e+308 ± 1",
		{N: 0, Of: 2}: "",
	} {
		if got := m.String(); got != want {
			t.Errorf("%+v is %q, want %q", m, got, want)
		}
	}
}
