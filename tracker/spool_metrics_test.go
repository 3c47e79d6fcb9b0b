package tracker

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/jsonvalue"
)

func sameEntry(a, b entry) bool {
	return a.Kind == b.Kind && a.Time == b.Time && a.Step == b.Step &&
		maps.EqualFunc(a.Values, b.Values, func(x, y jsonvalue.Exact) bool {
			return math.Float64bits(float64(x)) == math.Float64bits(float64(y)) ||
				math.IsNaN(float64(x)) && math.IsNaN(float64(y))
		})
}

func TestDecodeMetrics(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	keys := []string{"loss", "a:b", "system/rss_bytes", "with space", "a.b-c_d", "test/head_f1", "x"}
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e300, 1e-300, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	for range 5000 {
		e := entry{Kind: "metric", Values: map[string]jsonvalue.Exact{}}
		if r.IntN(4) > 0 {
			e.Time, e.Step = r.Int64(), r.Int64()-math.MaxInt64/2
		}
		for range 1 + r.IntN(5) {
			v := math.Float64frombits(r.Uint64())
			if r.IntN(2) == 0 {
				v = numbers[r.IntN(len(numbers))]
			}
			e.Values[keys[r.IntN(len(keys))]] = jsonvalue.Exact(v)
		}
		text := appendMetrics(nil, e, e.Values)
		if got, err := decodeMetrics(text); err != nil || !sameEntry(got, e) {
			t.Fatalf("%s is read as %+v (%v), not %+v", text, got, err, e)
		}
		text, err := json.Marshal(e) // as programs before version 5
		expect.NoError(t, err)
		if got, ok := decodeJSONMetrics(text); !ok || !sameEntry(got, e) {
			t.Fatalf("%s is read as %+v (%v), not %+v", text, got, ok, e)
		}
	}
}

func TestDamagedMetrics(t *testing.T) {
	t.Parallel()
	whole := appendMetrics(nil, entry{Time: 5, Step: -7}, map[string]float64{"loss": 1})
	for _, text := range []string{"", "m", "x" + string(whole[1:]), string(whole[:20]), string(whole[:len(whole)-5]),
		string(whole[:33]) + ";" + string(whole[34:]), strings.ToUpper(string(whole))} {
		if e, err := decodeMetrics([]byte(text)); err == nil {
			t.Errorf("%q is read as %+v", text, e)
		}
	}
	if _, err := decodeMetrics(whole); err != nil {
		t.Error(err)
	}
}

// Package json reads the same.
func FuzzDecodeJSONMetrics(f *testing.F) {
	for _, text := range []string{`{"t":"metric","ms":1,"step":2,"values":{"a":1,"b":"NaN"}}`, `{"t":"metric","values":{"a":-0}}`,
		`{"t":"metric","values":{"a\"":1}}`, `{"t":"metric","values":{"a":1}`, `{"t":"metric","values":{}}`,
		`{"t":"metric","ms":1,"values":{"a":1},"status":"FINISHED"}`, `{"t":"param","texts":{"a":"b"}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := decodeJSONMetrics([]byte(text))
		var want entry
		if err := json.Unmarshal([]byte(text), &want); ok && err == nil && !sameEntry(got, want) {
			t.Errorf("%q is read as %+v, not %+v", text, got, want)
		}
	})
}

// TestBatchOfDamagedLines: a line counts as a whole or not at all, also one whose sum is right.
func TestBatchOfDamagedLines(t *testing.T) {
	t.Parallel()
	good := func(step int64) []byte {
		line, err := encode(nil, entry{Kind: "metric", Time: 9, Step: step,
			logged: map[string]float64{"loss": 1, "mrr": math.NaN()}})
		expect.NoError(t, err)
		return line
	}
	record := string(appendMetrics(nil, entry{Time: 50, Step: 2}, map[string]float64{"loss": 1})) + ",3ff0"
	torn := good(3)[:30]
	lines := slices.Concat(good(1), fmt.Appendf(nil, "%08x %s\n", crc32.Checksum([]byte(record), castagnoli), record),
		torn, []byte("\n\n"), make([]byte, 5), good(4), good(5))
	b, damaged := makeBatch(lines)
	if damaged != 4 || len(b.Metrics) != 4 || b.last != 9 {
		t.Fatalf("%d lines are damaged, the points are %+v until %d", damaged, b.Metrics, b.last)
	}
	for i, want := range []MetricRow{{"loss", 1, false, 9, 1}, {"loss", 1, false, 9, 5}, {"mrr", 0, true, 9, 1},
		{"mrr", 0, true, 9, 5}} {
		if b.Metrics[i] != want {
			t.Errorf("point %d is %+v, not %+v", i, b.Metrics[i], want)
		}
	}
}
