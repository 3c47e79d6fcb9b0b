package notebook_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
)

// processor is the time in ns that the processors spent on this process.
func processor(b *testing.B) int64 {
	var u syscall.Rusage
	expect.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}

// rowsFolder has the cells that _tool/python/kernel_bench.py compares with Python and compiled Go.
const rowsFolder = "../../../_tool/python/rows/"

// BenchmarkLanguage runs what cells do most: one operation is one cell. The time of the processors is less disturbed by
// other work than that of the clock.
func BenchmarkLanguage(b *testing.B) {
	s := start(b, notebook.Options{})
	code, err := os.ReadFile(rowsFolder + "rows.go")
	expect.NoError(b, err)
	s.ok(strings.TrimPrefix(string(code), "package main\n"))
	rows, err := os.ReadFile(rowsFolder + "rows.txt")
	expect.NoError(b, err)
	for row := range strings.Lines(string(rows)) {
		call, _, _ := strings.Cut(row, " ")
		b.Run(call, func(b *testing.B) {
			begin := processor(b)
			for b.Loop() {
				s.ok(call)
			}
			b.ReportMetric(float64(processor(b)-begin)/float64(b.N), "cpu-ns/op")
		})
	}
}
