package hint

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestOfFindsHintsAnywhere(t *testing.T) {
	resume, list := Hint{ResumeRun, "abc"}, Hint{Action: ListRuns}
	inner := With(errors.New("interrupted"), resume)
	err := fmt.Errorf("outer: %w", errors.Join(errors.New("other"), inner, With(errors.New("unknown"), list)))
	if got, want := Of(err), []Hint{resume, list}; !slices.Equal(got, want) {
		t.Errorf("hints %v, want %v", got, want)
	}
	if got := Of(With(inner, list)); !slices.Equal(got, []Hint{list, resume}) {
		t.Errorf("hints %v, want the outer one first", got)
	}
	if got := Of(errors.Join(inner, inner)); !slices.Equal(got, []Hint{resume}) {
		t.Errorf("hints %v, want the same one once", got)
	}
	if Of(nil) != nil || Of(errors.New("plain")) != nil {
		t.Error("hints where there are none")
	}
}
