// Package program writes a notebook as a Go program that prints what its cells print and show.
//
// Each cell is a function. What cells declare is declared by the package, so that later cells have it; a name that is
// declared again gets a number. The type checker of the interpreter says what every identifier means, so no name is
// guessed.
package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"go/types"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/golang/cell"
)

// Checker checks cells in their order, as a session does without running them.
type Checker interface {
	Check(name, code string) (*cell.Facts, error)
}

// Lab is the package that has the functions of cells for programs.
type Lab struct {
	// Path is its import path, Cells that of its functions in cells, Types that of its types.
	Path, Cells, Types string
	// Functions are the names of its functions.
	Functions map[string]bool
	// Display is the path of the package display of cells.
	Display string
	// SQL are further functions of cells that run a query, as "path.Name".
	SQL string
}

// Error says what in a notebook a program cannot have.
type Error struct {
	Cell, Line int // from 1
	Message    string
}

func (e *Error) Error() string { return fmt.Sprintf("cell %d, line %d: %s", e.Cell, e.Line, e.Message) }

// part is a piece of a cell: code, or one command.
type part struct {
	command.Part
	facts *cell.Facts
}

// page is one cell of a notebook.
type page struct {
	number int // among the cells of code, from 1
	text   string
	parts  []part
}

// writer makes the program.
type writer struct {
	lab   Lab
	names names
	usesContext,
	usesTracker bool
	declarations []string
	methods      map[string]int // the cells that declare them, by "Type.Method"
}

// head begins every program.
const head = "// The notebook "

// IsWritten reports whether a file is what Write returned.
func IsWritten(file []byte) bool { return strings.HasPrefix(string(file), head) }

// Write returns the program of a notebook, which is the content of an .ipynb file. title is its name.
func Write(title string, notebook []byte, checker Checker, lab Lab) ([]byte, error) {
	var file struct {
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(notebook, &file); err != nil {
		return nil, fmt.Errorf("%s is not a notebook: %w", title, err)
	}
	if file.Cells == nil {
		return nil, fmt.Errorf("%s is not a notebook of nbformat 4: it has no cells", title)
	}
	var pages []page
	number := 0
	for _, c := range file.Cells {
		text, err := source(c.Source)
		if err != nil {
			return nil, fmt.Errorf("%s is not a notebook: a cell's source: %w", title, err)
		}
		p := page{text: text}
		switch c.Type {
		case "markdown":
		case "code":
			number++
			p.number = number
			if p.parts, err = checkParts(checker, number, text); err != nil {
				return nil, err
			}
		default:
			continue
		}
		pages = append(pages, p)
	}
	w := &writer{lab: lab, methods: map[string]int{}, names: newNames(pages, map[string]string{
		lab.Cells: lab.Types, "display": lab.Display, cell.InputPath: "os"})}
	return w.write(title, pages)
}

// source returns the text of a cell, which is a string or a list of lines.
func source(raw json.RawMessage) (string, error) {
	var lines []string
	if json.Unmarshal(raw, &lines) == nil {
		return strings.Join(lines, ""), nil
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err
}

func checkParts(checker Checker, number int, text string) (parts []part, err error) {
	for _, p := range command.Split(text) {
		one := part{Part: p}
		if !p.Command {
			one.facts, err = checker.Check(fmt.Sprintf("cell [%d]", number), p.Text)
			if fault, ok := errors.AsType[*cell.Error](err); ok {
				return nil, &Error{number, p.Line + fault.Line - 1, fault.Message}
			}
			if err != nil {
				return nil, fmt.Errorf("cell %d: %w", number, err)
			}
			if one.facts.HasInit {
				return nil, &Error{number, p.Line, "func init runs when its cell does, and in a program before all of it; " +
					"write its statements into the cell"}
			}
		}
		parts = append(parts, one)
	}
	return parts, nil
}

func (w *writer) write(title string, pages []page) ([]byte, error) {
	var cells strings.Builder
	var calls []string
	comment := ""
	for _, p := range pages {
		if p.number == 0 {
			if comment != "" {
				comment += "//\n"
			}
			comment += commented(p.text)
			continue
		}
		body, err := w.body(p)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(body) == "" {
			continue
		}
		if comment == "" {
			comment = fmt.Sprintf("// Cell %d.\n", p.number)
		}
		fmt.Fprintf(&cells, "\n%sfunc cell%d() {\n%s\n}\n", comment, p.number, strings.TrimSpace(body))
		calls = append(calls, fmt.Sprintf("cell%d()", p.number))
		comment = ""
	}
	variables, err := w.variables(pages)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s%s as a program. Each cell is a function.\npackage main\n\n", head, title)
	main := w.main(calls)
	out.WriteString(w.names.importList())
	out.WriteString(variables)
	out.WriteString(main)
	for _, text := range w.declarations {
		out.WriteString("\n" + strings.TrimSpace(text) + "\n")
	}
	out.WriteString(cells.String())
	if comment != "" {
		out.WriteString("\n" + comment)
	}
	code, err := format.Source([]byte(out.String()))
	if err != nil {
		return nil, fmt.Errorf("%s became a program with a fault of syntax, which is a fault of this command: %w", title, err)
	}
	return code, nil
}

// main returns the function main. Only a program that needs the tracker opens it.
func (w *writer) main(calls []string) string {
	body := strings.Join(calls, "\n")
	if !w.usesTracker {
		if w.usesContext {
			body = "ctx = " + w.names.imported("context", "context") + ".Background()\n" + body
		}
		return "\nfunc main() {\n" + body + "\n}\n"
	}
	contextName, argument := w.names.imported("context", "context"), ""
	if w.usesContext {
		argument = "c "
		body = "ctx = c\n" + body
	}
	return fmt.Sprintf("\nfunc main() {\n%s.Main(func(%s%s.Context) {\n%s\n})\n}\n", w.labName(), argument, contextName, body)
}

func (w *writer) labName() string { return w.names.imported(w.lab.Path, "lab") }

// variables returns the declaration of what cells keep in variables.
func (w *writer) variables(pages []page) (string, error) {
	var lines []string
	if w.usesContext {
		lines = append(lines, "ctx "+w.names.imported("context", "context")+".Context")
	}
	for _, p := range pages {
		for _, part := range p.parts {
			if part.facts == nil {
				continue
			}
			for _, obj := range part.facts.Declared {
				v, ok := obj.(*types.Var)
				if !ok {
					continue
				}
				text, err := w.names.typeText(v.Type())
				if err != nil {
					return "", &Error{p.number, part.Line, fmt.Sprintf("variable %s has type %s, which a program cannot name",
						v.Name(), v.Type())}
				}
				lines = append(lines, w.names.of(v)+" "+text)
			}
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return "\n// Variables of cells.\nvar (\n" + strings.Join(lines, "\n") + "\n)\n", nil
}

// commented returns a Markdown cell as a comment.
func commented(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fmt.Fprintln(&b, strings.TrimRight("// "+line, " "))
	}
	return b.String()
}

// offsets of edits are those of the text of a part.
type edit struct {
	begin, end int
	text       string
}

// apply returns text with edits. An insertion comes before what replaces the text behind it.
func apply(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.begin != b.begin {
			return a.begin - b.begin
		}
		return a.end - b.end
	})
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.begin < at { // inside what was replaced
			continue
		}
		b.WriteString(text[at:e.begin])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return b.String()
}
