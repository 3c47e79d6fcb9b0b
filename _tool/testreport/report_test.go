package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReportCountsAndNames(t *testing.T) {
	const stream = `{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestGood"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"hidden\n"}
{"Action":"pass","Package":"a","Test":"TestGood"}
{"Action":"run","Package":"a","Test":"TestSkipped"}
{"Action":"output","Package":"a","Test":"TestSkipped","Output":"=== RUN   TestSkipped\n"}
{"Action":"output","Package":"a","Test":"TestSkipped","Output":"    a_test.go:3: no Python here\n"}
{"Action":"output","Package":"a","Test":"TestSkipped","Output":"--- SKIP: TestSkipped (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestSkipped"}
{"Action":"pass","Package":"a","Elapsed":1.5}
{"Action":"run","Package":"b","Test":"TestBad"}
{"Action":"run","Package":"b","Test":"TestBad/sub"}
{"Action":"output","Package":"b","Test":"TestBad/sub","Output":"    b_test.go:9: wrong sum\n"}
{"Action":"fail","Package":"b","Test":"TestBad/sub"}
{"Action":"fail","Package":"b","Test":"TestBad"}
{"Action":"output","Package":"b","Test":"TestCut","Output":"panic: cut off\n"}
{"Action":"fail","Package":"b"}
{"Action":"build-output","ImportPath":"c [c.test]","Output":"c.go:1: undefined: x\n"}
{"Action":"fail","Package":"c"}
{"Action":"run","Package":"never-ended","Test":"TestHang"}
`
	var out bytes.Buffer
	r := newReport(&out)
	if err := r.read(strings.NewReader(stream)); err != nil {
		t.Fatal(err)
	}
	r.finish()
	got := out.String()

	for _, want := range []string{
		"SKIP a TestSkipped: a_test.go:3: no Python here\n",
		"b_test.go:9: wrong sum",
		"panic: cut off",
		"c.go:1: undefined: x",
		"tests: 1 passed, 3 failed, 1 skipped, 1 subtests, in 3 packages; 3 packages FAILED\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "hidden") {
		t.Errorf("output of a passed test is printed:\n%s", got)
	}
}

// A real go test must decide the exit status, for good and bad packages.
func TestRunReturnsExitStatus(t *testing.T) {
	for name, want := range map[string]int{"t.Log": 0, "t.Fatal": 1} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
		write(t, filepath.Join(dir, "m_test.go"),
			"package m\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) { "+name+"(\"x\") }\n")
		if got := run([]string{"-C", dir, "./..."}); got != want {
			t.Errorf("exit status with %s = %d, want %d", name, got, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
