package retrieve

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestUnscored: a known answer without a score is listed without numbers, in every format.
func TestUnscored(t *testing.T) {
	t.Parallel()
	g, m, q := acquaintances(t)
	m.(*scripted).dist[1] = float32(math.NaN()) // b
	r, err := New(m, g, Options{})
	expect.NoError(t, err)
	a, err := r.Answer(t.Context(), q)
	expect.NoError(t, err)
	raw, err := json.Marshal(a)
	expect.NoError(t, err)
	want := `"label":"b","mark":"known","known":true,"splits":["train"],"distance":null,"value":null,"score":null,"slack":null}`
	if !strings.Contains(string(raw), want) || strings.Count(string(raw), "null") != 4 {
		t.Errorf("JSON is %s", raw)
	}
	var table, text bytes.Buffer
	expect.NoError(t, a.WriteCSV(&table))
	expect.NoError(t, a.WriteText(&text, Text{}))
	if !strings.Contains(table.String(), "\nb,b,false,true,train,,,,false,known,,,\n") ||
		!strings.Contains(text.String(), "\n  b  known (train), no score\n") || strings.Contains(text.String(), "NaN") {
		t.Errorf("CSV is\n%stext is\n%s", &table, &text)
	}
	x, err := r.Explain(t.Context(), kg.Triple{Head: q.Known, Relation: q.Relation, Tail: 1})
	expect.NoError(t, err)
	raw, err = json.Marshal(x)
	expect.NoError(t, err)
	text.Reset()
	expect.NoError(t, x.WriteText(&text, Text{}))
	if !strings.Contains(string(raw), `"distance":null`) || strings.Contains(text.String(), "NaN") ||
		!strings.Contains(text.String(), "no score as tail, slack ") {
		t.Errorf("the explanation is %s\n%s", raw, &text)
	}
}
