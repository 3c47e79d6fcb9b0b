// Command benchtable makes the tables of docs/benchmarks.md from the output of `go test -bench`.
//
//	benchtable [-write FILE] [-csv FILE] [INPUT...]
//
// It reads the inputs, or standard input, and prints Markdown. With -write the tables replace what FILE holds between
// the lines <!-- benchtable --> and <!-- /benchtable -->, and links to the pictures of docs/growth come with them; with
// -csv the growth of costs is written to FILE.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
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
	var in io.Reader = os.Stdin
	if len(inputs) > 0 {
		var all []io.Reader
		for _, name := range inputs {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close() // opened for reading: nothing to lose
			all = append(all, f)
		}
		in = io.MultiReader(all...)
	}
	r, err := read(in)
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
