package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestKernelSaysWhyItDied: compiled code that uses a map at once ends the process. The kernel that Jupyter starts in
// its place says so, with the function, the cell and the names that are lost.
func TestKernelSaysWhyItDied(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	j.ok("kernel", "install")
	source, err := json.Marshal([]string{
		"import \"flag\"\nmodel := 1",
		"type T struct{}\nfunc double(x int) int { return 2 * x }",
		"set := flag.NewFlagSet(\"\", flag.ContinueOnError)\nset.Int(\"n\", 0, \"\")",
		"for range 4 { go func() { for { set.Set(\"n\", \"1\") } }() }\nselect {}",
		"model := 2",
	})
	expect.NoError(t, err)
	cmd := j.python(abs(t, root, "_tool/python/kernel_died.py"), "spherelab")
	cmd.Stdin = strings.NewReader(string(source))
	var got string
	expect.NoError(t, json.Unmarshal(output(t, cmd), &got))
	const want = "the kernel died and was started again: fatal error: concurrent use of a map, in flag.(*FlagSet)."
	const lost = "; cell [4] was running.\nLost: T, double, model, set. Run the cells that declare them again.\n"
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, lost) {
		t.Errorf("%q, want %q ... %q", got, want, lost)
	}
}
