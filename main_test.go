package main

import "testing"

// TestHelpIsThatOfThisProgram: what a message tells to type works for `go run .`, too.
func TestHelpIsThatOfThisProgram(t *testing.T) {
	t.Parallel()
	command, _, err := (&app{}).command().Find([]string{"runs", "ls"})
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{"spherelab": "`spherelab runs ls --help`",
		"go run .": "`go run . runs ls --help`"} {
		if got := help(command, program); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}
