package tracker_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
)

func TestTableKeysAreUnique(t *testing.T) {
	t.Parallel()
	for _, columns := range [][]string{{"a", "b"}, {"a", "a", "a"}, {"a", "a", "a_2", "a_2"}} {
		keys := (&tracker.Table{Columns: columns}).Keys()
		sorted := slices.Sorted(slices.Values(keys))
		if len(keys) != len(columns) || len(slices.Compact(sorted)) != len(keys) || keys[0] != "a" {
			t.Errorf("%q gives %q", columns, keys)
		}
	}
}

func TestTableAsTextAndJSON(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 1, 2, 3, 4, 5, 60_000_000, time.FixedZone("", 3600))
	table := &tracker.Table{Columns: []string{"z", "a", "a", "t", "n", "j"}, Rows: [][]any{
		{1e21, int64(7), "x", at, json.Number("2.50"), json.RawMessage(`{"b": 1}`)},
		{math.NaN(), nil, true, at.AddDate(9000, 0, 0), json.Number("NaN"), nil},
	}}
	for column, want := range []bool{true, true, false, false, true, false} {
		if got := table.Numeric(column); got != want {
			t.Errorf("column %d numeric: %v", column, got)
		}
	}
	want := [][]string{{"1e+21", "7", "x", "2025-01-02 02:04:05", "2.50", `{"b": 1}`},
		{"NaN", "", "true", "11025-01-02 02:04:05", "NaN", ""}}
	if got := table.Texts(time.DateTime); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("texts %q, want %q", got, want)
	}
	const object = `[{"z":1e+21,"a":7,"a_2":"x","t":"2025-01-02T03:04:05.06+01:00","n":2.50,"j":{"b":1}},` +
		`{"z":null,"a":null,"a_2":true,"t":null,"n":null,"j":null}]`
	if got, err := json.Marshal(table.Records()); err != nil || string(got) != object {
		t.Errorf("%s, %v; want %s", got, err, object)
	}
	if (&tracker.Table{Columns: []string{"a"}}).Numeric(0) {
		t.Error("a column without rows is numeric")
	}
}
