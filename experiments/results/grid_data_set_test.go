package results

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestWriteCheckNamesRelations: every relation has a row, the largest first, and names that look the same are named.
func TestWriteCheckNamesRelations(t *testing.T) {
	t.Parallel()
	g, err := kg.New("g", [][3]string{{"a", "likes", "B"}, {"a", "owns", "a"}, {"b", "owns", "c"}, {"c", "owns", "d"}},
		[][3]string{{"B", "likes", "a"}}, [][3]string{{"a", "owns", "d"}})
	expect.NoError(t, err)
	var b strings.Builder
	expect.NoError(t, WriteCheck(&b, kg.Check(g), Page{}))
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	text := strings.Join(lines, "\n")
	// likes: the reverse of its fact of valid is in train, so all that it holds out leaks.
	want := "relation facts heads tails held out leak loops\n" + lines[headed(lines, "relation facts")+1] +
		"\nowns 4 3 3 25 % 0 % 1\nlikes 2 2 2 50 % 100 % 0\n"
	if !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	if !strings.Contains(text, "names that look the same to a reader (1)\nentity \"B\" and \"b\" (case)\n") ||
		strings.Contains(text, "no warnings") {
		t.Errorf("similar names are not named:\n%s", text)
	}
}

func headed(lines []string, start string) int {
	for i, line := range lines {
		if strings.HasPrefix(line, start) {
			return i
		}
	}
	return 0
}
