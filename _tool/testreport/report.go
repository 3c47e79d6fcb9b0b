package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of `go test -json`; see `go doc cmd/test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output events
	Test       string
	Elapsed    float64 // seconds
	Output     string
}

// outcome collects what is known of one test while its package runs.
type outcome struct {
	action string // "", "pass", "fail" or "skip"
	output []string
}

// pack is one package under test.
type pack struct {
	order  []string // test names by first appearance
	tests  map[string]*outcome
	output []string // lines that belong to no test
}

type report struct {
	out      io.Writer
	packs    map[string]*pack
	skips    []string
	passed   int
	failed   int
	skipped  int
	subtests int
	packages int // with at least one test
	broken   int // packages that failed
}

func newReport(out io.Writer) *report {
	return &report{out: out, packs: map[string]*pack{}}
}

// read takes events until the stream ends. A line that is not an event is printed as it is.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
				r.take(e)
			} else {
				fmt.Fprint(r.out, line)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := r.packs[e.Package]
	if p == nil {
		p = &pack{tests: map[string]*outcome{}}
		r.packs[e.Package] = p
	}
	if e.Test == "" {
		switch e.Action {
		case "output":
			p.output = append(p.output, e.Output)
		case "pass", "fail", "skip":
			r.close(e, p)
		}
		return
	}
	t := p.tests[e.Test]
	if t == nil {
		t = &outcome{}
		p.tests[e.Test] = t
		p.order = append(p.order, e.Test)
	}
	switch e.Action {
	case "output":
		t.output = append(t.output, e.Output)
	case "pass":
		t.action, t.output = e.Action, nil
	case "fail", "skip":
		t.action = e.Action
	}
}

// close counts and prints a finished package and forgets it.
func (r *report) close(e event, p *pack) {
	delete(r.packs, e.Package)
	count := 0
	for _, name := range p.order {
		t := p.tests[name]
		top := !strings.Contains(name, "/")
		if top {
			count++
		} else {
			r.subtests++
		}
		switch t.action {
		case "pass":
			if top {
				r.passed++
			}
		case "skip":
			if top {
				r.skipped++
			}
			r.skips = append(r.skips, fmt.Sprintf("%s %s: %s", e.Package, name, reason(t.output)))
		default: // failed, or cut off by a panic or the time limit
			if top {
				r.failed++
			}
			fmt.Fprint(r.out, strings.Join(t.output, ""))
		}
	}
	if count > 0 {
		r.packages++
	}
	switch {
	case e.Action == "fail":
		r.broken++
		fmt.Fprint(r.out, strings.Join(p.output, ""))
		fmt.Fprintf(r.out, "FAIL %-60s %8.1fs %5d tests\n", e.Package, e.Elapsed, count)
	case count == 0:
		fmt.Fprintf(r.out, "-    %-60s no tests\n", e.Package)
	default:
		fmt.Fprintf(r.out, "ok   %-60s %8.1fs %5d tests\n", e.Package, e.Elapsed, count)
	}
}

// finish prints packages that never ended, the skips and the totals.
func (r *report) finish() {
	for name, p := range r.packs {
		r.close(event{Package: name, Action: "fail"}, p)
	}
	for _, s := range r.skips {
		fmt.Fprintln(r.out, "SKIP", s)
	}
	fmt.Fprintf(r.out, "tests: %d passed, %d failed, %d skipped, %d subtests, in %d packages",
		r.passed, r.failed, r.skipped, r.subtests, r.packages)
	if r.broken > 0 {
		fmt.Fprintf(r.out, "; %d packages FAILED", r.broken)
	}
	fmt.Fprintln(r.out)
}

// reason is what a skipped test said, on one line.
func reason(output []string) string {
	var kept []string
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return "no reason given"
	}
	return strings.Join(kept, " ")
}
