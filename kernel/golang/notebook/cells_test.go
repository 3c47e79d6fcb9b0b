package notebook_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// TestCells runs the sessions of testdata. A session begins with a line "== name". Below a cell, lines that begin with
// "->" say all that it does: what it prints, its value, its error and where that happened; text that ends with "..."
// may be longer. An empty line ends them.
func TestCells(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		expect.NoError(t, err)
		for _, text := range strings.Split("\n"+string(content), "\n== ")[1:] {
			name, cells, _ := strings.Cut(text, "\n\n")
			topic := strings.TrimSuffix(filepath.Base(file), ".txt")
			t.Run(topic+"/"+name, func(t *testing.T) { compareCells(t, cells) })
		}
	}
}

func compareCells(t *testing.T, text string) {
	s := start(t, lab())
	cells := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for len(cells) > 0 {
		var code, want []string
		for len(cells) > 0 && !strings.HasPrefix(cells[0], "->") {
			code, cells = append(code, cells[0]), cells[1:]
		}
		for len(cells) > 0 && strings.HasPrefix(cells[0], "->") {
			want, cells = append(want, cells[0]), cells[1:]
		}
		if len(want) == 0 {
			t.Fatalf("a cell without an outcome: %q", code)
		}
		if len(cells) > 0 {
			cells = cells[1:]
		}
		got := s.run(strings.Join(code, "\n")).lines()
		if !fits(got, want) {
			t.Errorf("%s\ngives\n%s\nwant\n%s", strings.Join(code, "\n"), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// lines are what a cell did as testdata writes it.
func (o outcome) lines() (lines []string) {
	add := func(what, text string) {
		if strings.Contains(text, "\n") || strings.TrimSpace(text) != text || strings.HasPrefix(text, `"`) {
			text = strconv.Quote(text)
		}
		if text != "" {
			lines = append(lines, "-> "+what+" "+text)
		}
	}
	add("prints", o.out)
	add("stderr", o.err)
	add("value", o.value)
	if o.failure == nil && len(lines) == 0 {
		return []string{"->"}
	}
	if o.failure == nil {
		return lines
	}
	add(o.failure.Name+":", o.failure.Value)
	for _, line := range o.failure.Traceback[1:] {
		if !strings.HasPrefix(line, "    ") { // the text of the cell's line
			add("at", line)
		}
	}
	return lines
}

func fits(got, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, w := range want {
		beginning, open := strings.CutSuffix(w, "...")
		if got[i] != w && !(open && strings.HasPrefix(got[i], beginning)) {
			return false
		}
	}
	return true
}

// TestCellsCompares: a cell that does something else is found.
func TestCellsCompares(t *testing.T) {
	o := outcome{value: "3", out: "a\n"}
	for want, ok := range map[string]bool{
		"-> prints \"a\\n\"|-> value 3":     true,
		"-> prints \"a\\n\"|-> value 4":     false,
		"-> value 3":                        false,
		"-> prints \"a...|-> value 3":       true,
		"-> prints \"b...|-> value 3":       false,
		"-> prints \"a\\n\"|-> value 3|-> ": false,
	} {
		if got := fits(o.lines(), strings.Split(want, "|")); got != ok {
			t.Errorf("%s: %v", want, got)
		}
	}
}
