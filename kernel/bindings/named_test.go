package bindings

import (
	"bytes"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestNamedLinked: packages of modules whose types linked packages name are linked, so that a cell that imports one
// does not get other types.
func TestNamedLinked(t *testing.T) {
	l, err := New(All()...).Linked()
	expect.NoError(t, err)
	known, linked := map[string]*types.Package{}, 0
	for _, path := range l.Paths() {
		if data, err := l.Export(path); err == nil {
			linked++
			_, err = gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), known, path)
			expect.NoError(t, err)
		}
	}
	if linked < 100 || len(known) <= linked {
		t.Fatalf("%d packages, which name %d", linked, len(known))
	}
	for path := range known {
		first, _, _ := strings.Cut(path, "/")
		_, err := l.Export(path)
		if strings.Contains(first, ".") && !strings.Contains(path, "/internal/") && err != nil {
			t.Errorf("a linked package names types of %s", path)
		}
	}
}
