package sphere

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestTensors: what is written is read again, from the file and from its content; a cut content is refused.
func TestTensors(t *testing.T) {
	t.Parallel()
	want := map[string]Tensor{"b": {[]int{2, 3}, []float32{1, -2, 3, .5, 7, 11}}, "a": {[]int{1}, []float32{-.25}}}
	path := filepath.Join(t.TempDir(), "some.safetensors")
	expect.NoError(t, WriteTensors(path, want))
	content, err := os.ReadFile(path)
	expect.NoError(t, err)
	same := func(a, b Tensor) bool { return slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Data, b.Data) }
	read, err := ReadTensors(path)
	if err != nil || !maps.EqualFunc(read, want, same) {
		t.Errorf("%v, %v", read, err)
	}
	decoded, err := DecodeTensors("some", content)
	if err != nil || !maps.EqualFunc(decoded, want, same) {
		t.Errorf("%v, %v", decoded, err)
	}
	for _, n := range []int{0, 5, 40, len(content) - 1} {
		if _, err := DecodeTensors("some", content[:n]); err == nil || !strings.Contains(err.Error(), "checkpoint some") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
