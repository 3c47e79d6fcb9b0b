package tracker

import (
	"slices"
	"testing"
)

// TestNearestRuns: offers are by name and by the beginning of an id; a run that is near by both is offered once, and of
// several runs with one name the newest.
func TestNearestRuns(t *testing.T) {
	t.Parallel()
	id := func(start string) string { return start + "0123456789abcdef0123456789abcdef"[len(start):] }
	names := []RunName{ // newest first
		{id("11111111"), "sphere-2d"}, {id("22222222"), "sphere-2d"}, {id("deadbe00"), "deadbee1"},
		{id("deadbeea"), "rotate"}, {id("33333333"), "night"},
	}
	for ref, want := range map[string][]string{
		"sphere2d":                 {"sphere-2d (11111111)"},
		"nihgt":                    {"night (33333333)"},
		"deadbeef":                 {"deadbee1 (deadbe00)", "rotate (deadbeea)"}, // by name, by id, and by id again
		"2222222f":                 {"sphere-2d (22222222)"},
		"nothing like any of them": nil,
	} {
		if got := nearestRuns(names, ref); !slices.Equal(got, want) {
			t.Errorf("%q offers %q, want %q", ref, got, want)
		}
	}
}
