package bindings_test

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/kernel/bindings"
)

// TestEveryPackageHasDocs: each source documents its package and all that its table adds.
func TestEveryPackageHasDocs(t *testing.T) {
	t.Parallel()
	for _, source := range bindings.All() {
		docs := source.Docs()
		if !strings.HasPrefix(docs[""], "package "+source.Name+" // import \""+source.Path+"\"") {
			t.Errorf("%s: the package's documentation is %q", source.Path, docs[""])
		}
		table := source.Table()
		for name := range table.Values {
			if docs[name] == "" {
				t.Errorf("%s.%s has no documentation", source.Path, name)
			}
		}
		for name := range table.Types {
			if docs[name] == "" {
				t.Errorf("%s.%s has no documentation", source.Path, name)
			}
		}
	}
}

// BenchmarkFirstDoc times the first request for documentation, which decompresses it.
func BenchmarkFirstDoc(b *testing.B) {
	for range b.N {
		if _, ok := bindings.New(bindings.All()...).Doc("strings", "Builder"); !ok {
			b.Fatal("strings.Builder has no documentation")
		}
	}
}
