package main

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

const sample = `goos: linux
goarch: amd64
pkg: example.org/a
cpu: A CPU @ 3 GHz
BenchmarkCeiling/sqrt/threads=1-2  1  5 ns/op  5.5e+09 elements/s
BenchmarkStep/g-D8/m/avx512/threads=1-2   10  18000000 ns/op  0 B/op  0 allocs/op
BenchmarkStep/g-D8/m/avx512/threads=2-2   10  10000000 ns/op  0 B/op  0 allocs/op
BenchmarkStep/g-D8/m/avx512/threads=2-2   10  30000000 ns/op  0 B/op  0 allocs/op
BenchmarkStep/g-D8/m/avx512/threads=2-2   10  11000000 ns/op  0 B/op  0 allocs/op
BenchmarkStep/g-D8/m/avx2/threads=2-2     10  14000000 ns/op
BenchmarkYardstick/g-D8/m/c/threads=2-2    1  22000000 ns/op
BenchmarkBeside/g-D8/m/plain-C-2           1  11000000 ns/op  23000000 base-ns/op  2.07 x-base
BenchmarkBeside/g-D8/m/one-thread-2        1  11500000 ns/op  20000000 base-ns/op  1.7961 x-base
BenchmarkBeside/g-D8/m/another-2           1  11500000 ns/op  20000000 base-ns/op  1.7 x-base
BenchmarkKernel/rows-2D/D=8/avx512-2      10  50 ns/op  4.4e+09 roots/s  4.4e+09 elements/s
BenchmarkKernel/rows-2D/D=8/go-2          10  50 ns/op  4.4e+08 roots/s  4.4e+08 elements/s
BenchmarkCeiling/fma/threads=1-2   1  5 ns/op  5e+10 elements/s
BenchmarkCeiling/read/threads=1-2  1  5 ns/op  2e+10 B/s
BenchmarkCost/answer/entities=5/facts=9-2  10  4000000 ns/op  6e+07 operations/query  1e+06 B/query  4 ms/query  2.5 ns/edge
BenchmarkCost/tune/entities=5/facts=9-2    10  4000000 ns/op  9 ms/query  7.5 ns/edge
BenchmarkGrowth/entities=1000-2           10  1500000 ns/op
PASS
ok  	example.org/a	1.0s
BenchmarkKernel/start/python-2  1  7000000 ns/op
BenchmarkLoad-2  20  89000000 ns/op  32 B/op  7 allocs/op
`

func text(s string) source { return benchfmt.NewReader(strings.NewReader(s), "sample") }

func TestTables(t *testing.T) {
	r, err := read(text(sample))
	if err != nil {
		t.Fatal(err)
	}
	got := r.markdown("go1.99")
	for _, want := range []string{
		"A CPU @ 3 GHz, 2 processors used, linux/amd64, go1.99. Medians of 1 to 3.",
		"| square roots, one core | 1 | 5.50 * 10^9 elements/s |",
		"| g-D8 | m | 2 | 22 |  | 14 | 11 |",
		"| g-D8, m | plain C, 2 threads | 23 | 11 | 2.070 |",
		"| g-D8, m | own path, 1 thread | 20 | 11.5 | 1.796 |",
		"| g-D8, m | another | 20 | 11.5 | 1.700 |",
		"| rows-2D, D=8 | 0.44 |  | 4.40 | 80 % |  |  |",
		"| entities=5, facts=9 | 60.00 | 1.00 | 4.00 | 2.50 | 0.75 | 0.03 | 30 % |",
		"- of the square roots that one core can do, rows against queries (D=200) reach: not measured.",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no line %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "start, python") {
		t.Errorf("another kernel is among the inner loops:\n%s", got)
	}
	if got := r.growth(); got != "axis,value,milliseconds\nentities,1000,1.5\n" {
		t.Errorf("growth:\n%s", got)
	}
}

func TestGoals(t *testing.T) {
	lines := []string{
		"BenchmarkBeside/fb15k-237-D200/sphere-2d/plain-C-2 1 10000000 ns/op 22000000 base-ns/op 2.10 x-base",
		"BenchmarkBeside/fb15k-237-D200/sphere-2d/one-thread-2 1 10000000 ns/op 18000000 base-ns/op 1.7961 x-base",
		"BenchmarkStep/fb15k-237-D200/sphere-2d/avx2/threads=2-2 1 9000000 ns/op 0 allocs/op",
		"BenchmarkStep/fb15k-237-D200/sphere-2d/avx512/threads=2-2 1 10000000 ns/op 1 allocs/op",
		"BenchmarkCeiling/sqrt/threads=1-2 1 5 ns/op 5e+09 elements/s",
		"BenchmarkKernel/rows-2D/D=200/avx2-2 1 5 ns/op 4e+09 roots/s",
		"BenchmarkKernel/rows-2D/D=200/go-2 1 5 ns/op 1e+09 roots/s",
		"BenchmarkMemory/fb15k-237-D200/sphere-2d-2 1 5 ns/op 1.41 x-least",
	}
	r, err := read(text(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r.goals(&b)
	for _, want := range []string{
		"plain C by the factor 2.1; the goal is at least 2: reached.",
		"- wn18rr-D1024/sphere-2d: a step on 2 threads is faster than plain C by the factor: not measured.",
		"takes 10 ms; the goal is at most 10 ms: reached.",
		"2 threads are faster than 1 by the factor 1.796; the goal is at least 1.8: missed.",
		"reach 80 %; the goal is at least 75 %: reached.",
		"index 1.41; the goal is at most 1.3: missed.",
		"paths 1; the goal is at most 0: missed.",
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

func TestPictures(t *testing.T) {
	r, err := read(text("BenchmarkGrowth/threads=1-2 1 5 ns/op\nBenchmarkGrowth/threads=2-2 1 3 ns/op\n" +
		"BenchmarkGrowth/query-edges=20-2 1 3 ns/op\n"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "\n### How cost grows\n\n![time of a step by threads](growth-threads.svg)\n" +
		"\n![time of a query of an inductive network by edges](growth-query-edges.svg)\n"
	if got := r.pictures(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReplace(t *testing.T) {
	got, err := replace("a\n"+beginMark+"old\n"+endMark+"b\n", "new\n")
	if err != nil || got != "a\n"+beginMark+"\nnew\n\n"+endMark+"b\n" {
		t.Errorf("%q, %v", got, err)
	}
	again, err := replace(got, "new\n")
	if err != nil || again != got {
		t.Errorf("a second time: %q, %v", again, err)
	}
	for _, bad := range []string{"", beginMark, endMark + beginMark} {
		if _, err := replace(bad, "new\n"); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, bad := range []string{"", "PASS\n", "BenchmarkX-2 1 5 ns/op 7\n", "BenchmarkX-2 1 five ns/op\n"} {
		if _, err := read(text(bad)); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
