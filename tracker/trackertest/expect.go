package trackertest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// WantHints checks which actions an error proposes.
func WantHints(t testing.TB, err error, actions ...hint.Action) {
	t.Helper()
	var got []hint.Action
	for _, h := range hint.Of(err) {
		got = append(got, h.Action)
	}
	if !slices.Equal(got, actions) {
		t.Errorf("%v: hints %q, want %q", err, got, actions)
	}
}

// WantCode checks the code of an error and what its message contains.
func WantCode(t testing.TB, err error, code tracker.Code, texts ...string) {
	t.Helper()
	if tracker.ErrorCode(err) != code {
		t.Fatalf("got code %q (%v), want %q", tracker.ErrorCode(err), err, code)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the message %q does not contain %q", err, text)
		}
	}
}

// Connect opens a database without the tracker. It is closed at the end of the test.
func Connect(t testing.TB, uri string) *sqlx.DB {
	t.Helper()
	db, err := sqlx.Open("postgres", uri)
	expect.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// Heard records the notices of a tracker.
type Heard struct {
	mu    sync.Mutex
	lines []string
}

// Say is a value for Options.Say.
func (h *Heard) Say(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, line)
}

// Lines returns the notices so far.
func (h *Heard) Lines() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.lines)
}

// Has reports whether a notice has all of the parts.
func (h *Heard) Has(parts ...string) bool {
	return slices.ContainsFunc(h.Lines(), func(line string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) })
	})
}
