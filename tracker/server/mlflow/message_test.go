package mlflow

import (
	"encoding/json"
	"math"
	"testing"
)

// Every number that a column of the database can hold has a form in JSON, and is read back.
func TestFloatsOfMessages(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, math.Copysign(0, -1), 1e-320, math.MaxFloat64, math.Inf(1), math.Inf(-1),
		math.NaN()} {
		raw, err := json.Marshal(float(x))
		if err != nil {
			t.Errorf("%g: %v", x, err)
			continue
		}
		var back float
		if err := json.Unmarshal(raw, &back); err != nil ||
			math.Float64bits(float64(back)) != math.Float64bits(x) && x == x || (back != back) != (x != x) {
			t.Errorf("%g is %s, read as %g, %v", x, raw, back, err)
		}
	}
}
