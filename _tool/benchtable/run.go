package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// run is what `go test -bench` printed, of any number of packages and repetitions.
type run struct {
	system, cpu string
	names       []string // of benchmarks, in order of appearance
	results     map[string]*result
}

// result holds the values of one benchmark by unit, one per repetition.
type result struct {
	procs  int
	values map[string][]float64
}

// source is benchmark output: benchfmt.Files, or a reader of it.
type source interface {
	Scan() bool
	Result() benchfmt.Record
	Err() error
}

// read reads benchmark output. A line that looks like a result and is none is named.
func read(in source) (*run, error) {
	out := &run{results: map[string]*result{}}
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.SyntaxError:
			fmt.Fprintln(os.Stderr, "benchtable:", record)
		case *benchfmt.Result:
			out.add(record)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(out.names) == 0 {
		return nil, errors.New("no benchmark results in the input")
	}
	return out, nil
}

// add takes one repetition, with the units that the benchmark wrote.
func (r *run) add(line *benchfmt.Result) {
	r.system, r.cpu = line.GetConfig("goos")+"/"+line.GetConfig("goarch"), line.GetConfig("cpu")
	name, procs := line.Name.String(), 1
	if _, parts := line.Name.Parts(); len(parts) > 0 {
		if n, ok := strings.CutPrefix(string(parts[len(parts)-1]), "-"); ok {
			name = strings.TrimSuffix(name, "-"+n)
			procs, _ = strconv.Atoi(n) // digits, by benchfmt
		}
	}
	res := r.results[name]
	if res == nil {
		res = &result{procs: procs, values: map[string][]float64{}}
		r.results[name] = res
		r.names = append(r.names, name)
	}
	for _, v := range line.Values {
		if v.OrigUnit != "" {
			v.Unit, v.Value = v.OrigUnit, v.OrigValue
		}
		res.values[v.Unit] = append(res.values[v.Unit], v.Value)
	}
}

// median returns the median of a benchmark's values of a unit; ok is false if there are none.
func (r *run) median(name, unit string) (x float64, ok bool) {
	res := r.results[name]
	if res == nil || len(res.values[unit]) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(res.values[unit]))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, true
}

// repetitions is the smallest and largest number of values that a median is of.
func (r *run) repetitions() (least, most int) {
	for _, res := range r.results {
		n := len(res.values["ns/op"])
		if least == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return least, most
}

// under lists the names that begin with prefix, without it.
func (r *run) under(prefix string) []string {
	var list []string
	for _, name := range r.names {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			list = append(list, rest)
		}
	}
	return list
}
