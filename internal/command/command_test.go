package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestHelpIsThatOfThisProgram: what a message tells to type works for `go run .`, too.
func TestHelpIsThatOfThisProgram(t *testing.T) {
	t.Parallel()
	command, _, err := (&app{}).command().Find([]string{"runs", "ls"})
	expect.NoError(t, err)
	for program, want := range map[string]string{"spherelab": "`spherelab runs ls --help`",
		"go run .": "`go run . runs ls --help`"} {
		if got := help(command, program); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}

// TestMeantFlag: a config key of the flag's name is offered before one that ends in it, and before a similar flag; else
// the nearest of keys and flags is.
func TestMeantFlag(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{"--seed": "--set seed=VALUE", "--epochs": "--set train.epochs=VALUE",
		"--learning-rate": "--set train.learning_rate=VALUE", "--thread": "--threads", "--gama": "--set gamma=VALUE",
		"--epoch": "--set train.epochs=VALUE", "--zzzzzzzz": ""} {
		command, _, err := (&app{}).command().Find([]string{"train"})
		expect.NoError(t, err)
		got := meantFlag(command, command.ParseFlags([]string{flag, "7"}))
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", flag, got, want)
		}
	}
}

// TestNextFitsTheWidth: a comment stands next to its command where all fit, else above it.
func TestNextFitsTheWidth(t *testing.T) {
	t.Parallel()
	lines := [][2]string{{"runs show last", "all"}, {"predict last", "its best"}}
	beside := "\nNext:\n  runs show last  # all\n  predict last    # its best\n"
	above := "\nNext:\n  # all\n  runs show last\n  # its best\n  predict last\n"
	for width, want := range map[int]string{0: beside, 28: beside, 27: above} {
		var b strings.Builder
		if writeNext(&b, lines, width); b.String() != want {
			t.Errorf("width %d: %q, want %q", width, b.String(), want)
		}
	}
}

func TestPasswordOnTheCommandLine(t *testing.T) {
	t.Parallel()
	const plain, open = "postgres://u@127.0.0.1:1/d", "postgres://u:secret@127.0.0.1:1/d"
	for _, c := range []struct {
		args []string
		uri  string
		want bool
	}{{nil, plain, false}, {nil, open, false}, {[]string{"runs", "ls", "--tracker", plain}, plain, false},
		{[]string{"runs", "ls", "--tracker", open}, open, true}, {[]string{"--tracker=" + open, "runs", "ls"}, open, true},
		{[]string{"train", "--set", "tracker.uri=" + open}, open, true}} {
		var stderr bytes.Buffer
		a := &app{stderr: &stderr, home: t.TempDir(), args: c.args}
		_, err := a.openTracker(t.Context(), address{uri: c.uri}, time.Millisecond)
		said := stderr.String()
		if err == nil || (strings.Contains(said, "can read the password") && strings.Contains(said, "PGPASSFILE")) != c.want ||
			strings.Contains(said, "secret") {
			t.Errorf("%q: %v, said %q", c.args, err, said)
		}
	}
}
