// Testreport runs `go test -json` and prints what a reader of a long log wants: one line per package with its number of
// tests, the full output of what failed, every skipped test with its reason, and the totals. Its exit status is go
// test's own.
//
//	testreport [-C DIR] [arguments of go test]
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	dir := "."
	if len(args) >= 2 && args[0] == "-C" {
		dir, args = args[1], args[2:]
	}
	// Ctrl-C goes to the whole process group: go test ends by itself and its last events must still be read. Caught,
	// not ignored: an ignored signal stays ignored in the programs that the tests start.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)

	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		return 2
	}

	r := newReport(os.Stdout)
	readErr := r.read(events)
	waitErr := cmd.Wait()
	r.finish()

	if readErr != nil {
		fmt.Fprintln(os.Stderr, "testreport:", readErr)
		return 2
	}
	var exit *exec.ExitError
	switch {
	case errors.As(waitErr, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	case waitErr != nil:
		fmt.Fprintln(os.Stderr, "testreport:", waitErr)
		return 2
	}
	return 0
}
