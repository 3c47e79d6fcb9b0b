package session

import (
	"testing"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/hint/hinttest"
)

func TestEveryHintHasWords(t *testing.T) {
	t.Parallel()
	hinttest.EveryActionHasWords(t, "../../../internal/hint/hint.go", hintWords)
}

func TestHintWithoutSubject(t *testing.T) {
	t.Parallel()
	want := "`spherelab runs export` in a terminal writes a run to a file"
	if got := hintText([]hint.Hint{{Action: hint.ExportRun}}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
