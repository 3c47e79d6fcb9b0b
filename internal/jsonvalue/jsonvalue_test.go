package jsonvalue

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

func TestNumbers(t *testing.T) {
	got, err := json.Marshal(Numbers(map[string]float64{"a": 0.1, "b": math.NaN(), "c": math.Inf(1), "d": 1e300}))
	if want := `{"a":0.1,"b":null,"c":null,"d":1e+300}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if Numbers(nil) != nil {
		t.Error("a nil map became another one")
	}
}

func TestExactIsReadBackBitByBit(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 0.1, -1e-320, math.MaxFloat64, 1.0 / 3, math.NaN(),
		math.Inf(1), math.Inf(-1)} {
		raw, err := json.Marshal(Exact(f))
		expect.NoError(t, err)
		var back Exact
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		same := math.Float64bits(float64(back)) == math.Float64bits(f) || math.IsNaN(f) && math.IsNaN(float64(back))
		if !same {
			t.Errorf("%v became %v by way of %s", f, float64(back), raw)
		}
	}
	var e Exact
	for _, wrong := range []string{`"1"`, `"Infinity"`, `{}`, `null`} {
		if err := json.Unmarshal([]byte(wrong), &e); err == nil && wrong != "null" {
			t.Errorf("%s was read as %v", wrong, e)
		}
	}
}

func TestObjectKeepsOrder(t *testing.T) {
	got, err := json.Marshal(Object{{"b", 1}, {"a", Number(math.NaN())}, {`"`, Object{}}})
	if want := `{"b":1,"a":null,"\"":{}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if _, err := json.Marshal(Object{{"f", func() {}}}); err == nil {
		t.Error("a function was written")
	}
}
