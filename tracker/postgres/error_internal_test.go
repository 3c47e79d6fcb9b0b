package postgres

import (
	"io"
	"strings"
	"testing"

	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker"
)

// What can be tried again is named as what it is: most of it is not a lost connection.
func TestTroublesAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{&pq.Error{Code: "40P01", Message: "deadlock detected"}, "changed the same rows at the same time: deadlock"},
		{&pq.Error{Code: "55P03", Message: "x"}, "holds a lock"},
		{&pq.Error{Code: "53100", Message: "x"}, "disk is full"},
		{&pq.Error{Code: "53300", Message: "x"}, "too much to do"},
		{&pq.Error{Code: "57P03", Message: "x"}, "cannot be reached"},
		{io.EOF, "cannot be reached"},
	} {
		err := Wrap(c.err, "writing")
		if tracker.ErrorCode(err) != tracker.CodeUnavailable || !strings.Contains(err.Error(), c.want) ||
			!Transient(c.err) {
			t.Errorf("%v: %v, want %q", c.err, err, c.want)
		}
	}
}
