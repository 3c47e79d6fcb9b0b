package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-(\d+))?\s+\d+\s+(.+)$`)

// read reads the output and skips lines that are not results.
func read(r io.Reader) (*run, error) {
	out := &run{results: map[string]*result{}}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	var system [2]string
	for scanner.Scan() {
		text := scanner.Text()
		for key, to := range map[string]*string{"goos: ": &system[0], "goarch: ": &system[1], "cpu: ": &out.cpu} {
			if rest, ok := strings.CutPrefix(text, key); ok {
				*to = rest
			}
		}
		m := line.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		res := out.results[m[1]]
		if res == nil {
			res = &result{procs: 1, values: map[string][]float64{}}
			out.results[m[1]] = res
			out.names = append(out.names, m[1])
		}
		if m[2] != "" {
			res.procs, _ = strconv.Atoi(m[2]) // digits, by the expression
		}
		fields := strings.Fields(m[3])
		if len(fields)%2 != 0 {
			return nil, fmt.Errorf("%q: a value without a unit", text)
		}
		for i := 0; i < len(fields); i += 2 {
			x, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %q is not a number", text, fields[i])
			}
			res.values[fields[i+1]] = append(res.values[fields[i+1]], x)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	out.system = system[0] + "/" + system[1]
	if len(out.names) == 0 {
		return nil, fmt.Errorf("no benchmark results in the input")
	}
	return out, nil
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
