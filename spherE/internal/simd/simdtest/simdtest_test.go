package simdtest

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// ended is a test that records how it ended.
type ended struct {
	testing.TB
	how string
}

func (e *ended) Helper() {}

func (e *ended) Skipf(format string, args ...any) {
	e.how = "skipped: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (e *ended) Fatalf(format string, args ...any) {
	e.how = "failed: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// end returns how f ends the test, "" if it returns.
func end(f func(tb testing.TB)) string {
	e, done := &ended{}, make(chan struct{})
	go func() {
		defer close(done)
		f(e)
	}()
	<-done
	return e.how
}

// having chooses among these paths; the kernels of a path are its name.
func having(paths ...string) func(string) (string, error) {
	return func(path string) (string, error) {
		if slices.Contains(paths, path) {
			return path, nil
		}
		return "", errors.New("no " + path)
	}
}

func TestWithoutKernels(t *testing.T) {
	failed := "failed"
	if runtime.GOARCH != "amd64" {
		failed = "skipped"
	}
	for _, c := range []struct {
		ci, path string
		paths    []string
		want     string
	}{
		{"", "avx2/instruction", []string{"go", "avx2/instruction"}, ""},
		{"true", "avx2/instruction", []string{"go", "avx2/instruction"}, ""},
		{"", "avx512/mixed", []string{"go", "avx2/instruction"}, "skipped: nothing to compare: no avx512/mixed"},
		{"true", "avx512/mixed", []string{"go", "avx2/instruction"}, "skipped: nothing to compare: no avx512/mixed"},
		{"", "avx2/instruction", []string{"go"}, "skipped: nothing to compare: no avx2/instruction"},
		{"true", "avx2/instruction", []string{"go"}, failed + ": nothing to compare: no avx2/instruction"},
	} {
		t.Setenv("CI", c.ci)
		if got := end(func(tb testing.TB) { one(tb, c.path, having(c.paths...)) }); got != c.want {
			t.Errorf("CI=%s, %s among %q: %q, want %q", c.ci, c.path, c.paths, got, c.want)
		}
		if got := end(func(tb testing.TB) { Vector(tb, having(c.paths...)) }); c.path == vector[0] && got != c.want {
			t.Errorf("CI=%s, vectors among %q: %q, want %q", c.ci, c.paths, got, c.want)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	want := []string{"avx2/sequence", "avx512/mixed"}
	if got := Vector(t, having("go", "avx512/mixed", "avx2/sequence")); !slices.Equal(got, want) {
		t.Errorf("vector paths %q, want %q", got, want)
	}
	for _, plain := range []bool{false, true} {
		var got []string
		Each(t, plain, having(append([]string{"go"}, vector...)...), func(_ *testing.T, path string) { got = append(got, path) })
		want := vector
		if plain {
			want = append([]string{"go"}, vector...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("plain %v: ran %q, want %q", plain, got, want)
		}
	}
}
