package expect_test

import (
	"errors"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// recorder is a test that notes how it ended.
type recorder struct {
	testing.TB
	ended []any
}

func (r *recorder) Helper()           {}
func (r *recorder) Fatal(args ...any) { r.ended = append(r.ended, args...) }

func TestExpect(t *testing.T) {
	t.Parallel()
	var r recorder
	expect.NoError(&r, nil)
	if v := expect.Must[int](&r)(7, nil); v != 7 || r.ended != nil {
		t.Errorf("returned %d, ended with %v", v, r.ended)
	}
	one, two := errors.New("one"), errors.New("two")
	expect.NoError(&r, one)
	expect.Must[int](&r)(7, two)
	if len(r.ended) != 2 || r.ended[0] != one || r.ended[1] != two {
		t.Errorf("ended with %v, want both errors", r.ended)
	}
}
