// Command benchtable sets benchmarks side by side for docs/benchmarks.md and says which goals they reach. benchstat
// prints the others.
//
//	benchtable [-write FILE] [-csv FILE] [INPUT...]
//
// It reads output of `go test -bench`, from the inputs or standard input, and prints Markdown. With -write the tables
// replace what FILE holds between the lines <!-- benchtable --> and <!-- /benchtable -->, and links to the pictures of
// docs/growth come with them; with -csv the growth of costs is written to FILE.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/perf/benchfmt"
)

func main() {
	write := flag.String("write", "", "put the tables into this file, between its marks")
	csv := flag.String("csv", "", "write the growth of costs to this file")
	flag.Parse()
	if err := do(flag.Args(), *write, *csv); err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

func do(inputs []string, write, csv string) error {
	r, err := read(&benchfmt.Files{Paths: inputs, AllowStdin: true})
	if err != nil {
		return err
	}
	if csv != "" {
		if err := os.WriteFile(csv, []byte(r.growth()), 0o644); err != nil {
			return err
		}
	}
	tables := r.markdown(runtime.Version())
	if write == "" {
		fmt.Print(tables)
		return nil
	}
	text, err := os.ReadFile(write)
	if err != nil {
		return err
	}
	changed, err := replace(string(text), tables+r.pictures())
	if err != nil {
		return fmt.Errorf("%s: %w", write, err)
	}
	return os.WriteFile(write, []byte(changed), 0o644)
}

const beginMark, endMark = "<!-- benchtable -->\n", "<!-- /benchtable -->\n"

// replace puts the tables between the marks of text.
func replace(text, tables string) (string, error) {
	before, rest, ok := strings.Cut(text, beginMark)
	_, after, closed := strings.Cut(rest, endMark)
	if !ok || !closed {
		return "", errors.New("the lines <!-- benchtable --> and <!-- /benchtable --> are not there, in this order")
	}
	return before + beginMark + "\n" + tables + "\n" + endMark + after, nil
}
