package module

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// Selected returns the versions of all modules that are selected without the go command.
func (f *Folder) Selected(t *testing.T, ctx context.Context) map[string]string {
	t.Helper()
	r, err := f.require()
	expect.NoError(t, err)
	s, err := r.selection(context.Background())
	expect.NoError(t, err)
	expect.NoError(t, s.choose(ctx))
	return s.versions
}

// SetLinkedVersion takes the place of the versions that the program was built with, which a test's does not have.
func (f *Folder) SetLinkedVersion(version func(path string) string) { f.version = version }
