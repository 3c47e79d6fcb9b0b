package e2e

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestKernelKeepsOrder: a Jupyter client gets both streams of a cell in the order of writing, and the text of a
// goroutine as output of the cell that started it.
func TestKernelKeepsOrder(t *testing.T) {
	t.Parallel()
	j := newJupyter(t)
	j.ok("kernel", "install")
	cells := []string{
		"import (\"fmt\"; \"os\"; \"os/exec\"; \"time\")\nturn := make(chan bool)",
		"for i := range 50 {\n\tfmt.Println(\"out\", i)\n\tfmt.Fprintln(os.Stderr, \"err\", i)\n}",
		"for range 5 {\n\tc := exec.Command(\"sh\", \"-c\", \"echo child\")\n\tc.Stdout, c.Stderr = os.Stdout, os.Stderr\n" +
			"\tc.Run()\n\tprintln(\"ended\")\n}",
		"go func() { for range turn { fmt.Println(\"goroutine\"); fmt.Fprintln(os.Stderr, \"of cell 4\") } }()",
		"fmt.Println(\"before\")\nturn <- true\ntime.Sleep(100 * time.Millisecond)\nfmt.Println(\"after\")",
	}
	var want [][3]any
	for i := range 50 {
		want = append(want, [3]any{2., "stdout", fmt.Sprintln("out", i)}, [3]any{2., "stderr", fmt.Sprintln("err", i)})
	}
	for range 5 {
		want = append(want, [3]any{3., "stdout", "child\n"}, [3]any{3., "stderr", "ended\n"})
	}
	want = append(want, [3]any{5., "stdout", "before\n"}, [3]any{4., "stdout", "goroutine\n"},
		[3]any{4., "stderr", "of cell 4\n"}, [3]any{5., "stdout", "after\n"})
	cmd := j.python(abs(t, root, "_tool/python/kernel_order.py"), "spherelab")
	source, err := json.Marshal(cells)
	expect.NoError(t, err)
	cmd.Stdin = strings.NewReader(string(source))
	var got [][3]any
	expect.NoError(t, json.Unmarshal(output(t, cmd), &got))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}
