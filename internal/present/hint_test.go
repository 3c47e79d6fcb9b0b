package present

import (
	"errors"
	"testing"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/hint/hinttest"
)

func TestEveryHintHasWords(t *testing.T) {
	t.Parallel()
	hinttest.EveryActionHasWords(t, "../hint/hint.go", hintWords)
}

func TestHintText(t *testing.T) {
	t.Parallel()
	err := hint.With(errors.New("run x is interrupted"), hint.Hint{Action: hint.ResumeRun, Subject: "0123456789abcdef"},
		hint.Hint{Action: hint.TrainConfig})
	want := "run x is interrupted; `go run . train --resume 01234567` resumes it; `go run . train` makes one"
	if got := Error(err, "go run ."); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
