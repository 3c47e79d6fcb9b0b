package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// paths are the kernels in the order of columns, the specification first.
var paths = []string{"go", "avx2", "avx512"}

// markdown writes all tables. Where a part of the benchmarks did not run, its table is left out.
func (r *run) markdown(goVersion string) string {
	var b strings.Builder
	least, most := r.repetitions()
	times := fmt.Sprint(most)
	if least != most {
		times = fmt.Sprintf("%d to %d", least, most)
	}
	procs := 0
	for _, res := range r.results {
		procs = max(procs, res.procs)
	}
	fmt.Fprintf(&b, "%s, %d processors used, %s, %s. Medians of %s.\n", r.cpu, procs, r.system, goVersion, times)
	r.ceilings(&b)
	r.steps(&b)
	r.beside(&b)
	r.kernels(&b)
	r.queries(&b)
	r.goals(&b)
	return b.String()
}

// grid writes a table unless it has no rows.
func grid(b *strings.Builder, title string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n| %s |\n|%s\n", title, strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

func (r *run) ceilings(b *strings.Builder) {
	names := map[string]string{
		"sqrt": "square roots, one core", "fma": "fused multiply-adds, one core",
		"read": "memory, reading", "update": "memory, three streams read and written",
	}
	var rows [][]string
	for _, name := range r.under("Ceiling/") {
		kind, threads, _ := strings.Cut(name, "/threads=")
		for _, unit := range []string{"elements/s", "B/s"} {
			if x, ok := r.median("Ceiling/"+name, unit); ok {
				rows = append(rows, []string{names[kind], threads, giga(x) + " * 10^9 " + unit})
			}
		}
	}
	grid(b, "What the machine can do", []string{"ceiling", "threads", "measured"}, rows)
}

// steps puts the yardstick next to every path.
func (r *run) steps(b *strings.Builder) {
	type key struct{ shape, model, threads string }
	var order []key
	for _, name := range append(r.under("Yardstick/"), r.under("Step/")...) {
		p := strings.Split(name, "/") // shape, model, path, threads=N
		if len(p) != 4 {
			continue
		}
		k := key{p[0], p[1], strings.TrimPrefix(p[3], "threads=")}
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	var rows [][]string
	for _, k := range order {
		row := []string{k.shape, k.model, k.threads}
		for _, path := range append([]string{"c"}, paths...) {
			kind := "Step"
			if path == "c" {
				kind = "Yardstick"
			}
			x, ok := r.median(fmt.Sprintf("%s/%s/%s/%s/threads=%s", kind, k.shape, k.model, path, k.threads), "ns/op")
			row = append(row, cell(x, ok, milli))
		}
		rows = append(rows, row)
	}
	grid(b, "A training step, in milliseconds", []string{"graph and D", "model", "threads", "plain C", "go", "avx2",
		"avx512"}, rows)
}

// beside shows what was measured in turn with a base. Its ratio is not that of the two medians, but the median of
// ratios.
func (r *run) beside(b *strings.Builder) {
	bases := map[string]string{"plain-C": "plain C, 2 threads", "one-thread": "own path, 1 thread",
		"roots-chosen": "roots by instruction; own path has the chosen ways", "roots-sequence": "the same; own path has `sequence`",
		"roots-mixed": "the same; own path has `mixed`"}
	var rows [][]string
	for _, name := range r.under("Beside/") {
		at := strings.LastIndex(name, "/")
		base, known := bases[name[at+1:]]
		if !known {
			base = name[at+1:]
		}
		row := []string{strings.ReplaceAll(name[:max(at, 0)], "/", ", "), base}
		for _, unit := range []string{"base-ns/op", "ns/op"} {
			x, ok := r.median("Beside/"+name, unit)
			row = append(row, cell(x, ok, milli))
		}
		x, ok := r.median("Beside/"+name, "x-base")
		rows = append(rows, append(row, cell(x, ok,
			func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) })))
	}
	grid(b, "Steps in turn, in milliseconds",
		[]string{"graph and D, model", "base", "base", "own path, 2 threads", "base / own path, median of the turns"},
		rows)
}

// innerLoop takes the path off "LOOP/D=N/PATH"; other kernels, of notebooks, have benchmarks of the same name.
func innerLoop(name string) (kernel string, ok bool) {
	at := strings.LastIndex(name, "/")
	if at < 0 || !slices.Contains(paths, name[at+1:]) {
		return "", false
	}
	return name[:at], true
}

func (r *run) kernels(b *strings.Builder) {
	var order []string
	for _, name := range r.under("Kernel/") {
		if kernel, ok := innerLoop(name); ok && !slices.Contains(order, kernel) {
			order = append(order, kernel)
		}
	}
	var rows [][]string
	for _, kernel := range order {
		row := []string{strings.ReplaceAll(kernel, "/", ", ")}
		best, bestPath := 0.0, ""
		for _, path := range paths {
			x, ok := r.median("Kernel/"+kernel+"/"+path, "elements/s")
			row = append(row, cell(x, ok, giga))
			if ok && x > best {
				best, bestPath = x, path
			}
		}
		for _, of := range []struct{ unit, ceiling, ceilingUnit string }{
			{"roots/s", "sqrt", "elements/s"}, {"operations/s", "fma", "elements/s"}, {"B/s", "update", "B/s"},
		} {
			x, ok := r.median("Kernel/"+kernel+"/"+bestPath, of.unit)
			most, measured := r.median("Ceiling/"+of.ceiling+"/threads=1", of.ceilingUnit)
			row = append(row, cell(x/most, ok && measured,
				func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }))
		}
		rows = append(rows, row)
	}
	grid(b, "Kernels on one core, in 10^9 elements per second, and the best path's share of the ceilings",
		[]string{"kernel", "go", "avx2", "avx512", "of roots", "of multiply-adds", "of memory"}, rows)
}

// queries compares answers of an inductive network with what the machine's ceilings allow on one core.
func (r *run) queries(b *strings.Builder) {
	const under = "Cost/answer/"
	var rows [][]string
	for _, name := range r.under(under) {
		ms, ok := r.median(under+name, "ms/query")
		edge, hasEdge := r.median(under+name, "ns/edge")
		operations, hasOperations := r.median(under+name, "operations/query")
		bytes, hasBytes := r.median(under+name, "B/query")
		fma, hasFMA := r.median("Ceiling/fma/threads=1", "elements/s")
		read, hasRead := r.median("Ceiling/read/threads=1", "B/s")
		if !ok || !hasEdge || !hasOperations || !hasBytes {
			continue
		}
		part := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
		perEdge := edge / (ms * 1e6) // of what a query costs
		ofFMA, ofRead := operations/fma*1e9, bytes/read*1e9
		rows = append(rows, []string{strings.ReplaceAll(name, "/", ", "), part(operations / 1e6), part(bytes / 1e6),
			part(ms), part(edge), cell(ofFMA*perEdge, hasFMA, part), cell(ofRead*perEdge, hasRead, part),
			cell(ofFMA/(ms*1e6), hasFMA, func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) })})
	}
	grid(b, "Answers of an inductive network on one core, and the least time by the ceilings",
		[]string{"random graph", "10^6 multiply-adds", "10^6 bytes", "ms", "ns per edge and layer", "least by multiply-adds",
			"by memory, without caches", "of multiply-adds"}, rows)
}

// growth writes the results of BenchmarkGrowth/AXIS=VALUE as lines "axis,value,milliseconds".
func (r *run) growth() string {
	var b strings.Builder
	b.WriteString("axis,value,milliseconds\n")
	for _, name := range r.under("Growth/") {
		axis, value, _ := strings.Cut(name, "=")
		if ns, ok := r.median("Growth/"+name, "ns/op"); ok {
			fmt.Fprintf(&b, "%s,%s,%s\n", axis, value, milli(ns))
		}
	}
	return b.String()
}

// pictures are links to what docs/growth draws of growth.
func (r *run) pictures() string {
	var b strings.Builder
	var seen []string
	for _, name := range r.under("Growth/") {
		axis, _, _ := strings.Cut(name, "=")
		if slices.Contains(seen, axis) {
			continue
		}
		if len(seen) == 0 {
			b.WriteString("\n### How cost grows\n")
		}
		seen = append(seen, axis)
		what, of := "a step", axis
		if query, ok := strings.CutPrefix(axis, "query-"); ok {
			what, of = "a query of an inductive network", query
		}
		fmt.Fprintf(&b, "\n![time of %s by %s](growth-%s.svg)\n", what, of, axis)
	}
	return b.String()
}

func cell(x float64, ok bool, format func(float64) string) string {
	if !ok {
		return ""
	}
	return format(x)
}

func milli(ns float64) string { return strconv.FormatFloat(ns/1e6, 'g', 4, 64) }

func giga(x float64) string { return strconv.FormatFloat(x/1e9, 'f', 2, 64) }
