// Package command runs the commands of cells: lines that begin with % or $, names with ?, and commands that take the
// rest of a cell. It does not know the language.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/display"
)

// Magic evaluates a cell that starts with %%name: args is the rest of that line, body the lines below. ctx ends when
// the cell is interrupted. It returns false if there is no value to show.
type Magic func(ctx context.Context, args, body string) (display.Data, bool, error)

// Session is what commands need from the language.
type Session interface {
	// Evaluate runs code and returns its value. line is the number of its first line in the cell, or in a file.
	Evaluate(file, code string, line int) (any, error)
	// Prepare compiles code once; run runs it, done frees it.
	Prepare(code string, line int) (run func() error, done func(), err error)
	// Describe documents a name and lists what it has.
	Describe(path string) (string, bool)
	// Names lists what cells have declared.
	Names() []Name
	// Reset forgets what cells have declared.
	Reset()
	// Get makes modules known, by their paths with versions, and says what has changed. Without modules it lists them.
	Get(modules []string) ([]string, error)
	// Interrupted reports whether the running cell was interrupted.
	Interrupted() bool
}

// Name is one declared name.
type Name struct{ Name, Kind, Text string }

// Cell runs the commands of one cell.
type Cell struct {
	Context        context.Context
	Stdout, Stderr *os.File
	Magics         map[string]Magic
	Session        Session
}

// Outcome is the result of a command: that of Evaluate, or data, or a request to the front end.
type Outcome struct {
	Value   any
	Data    *display.Data
	Payload []map[string]any
}

// Names are the commands, for completion.
var Names = []string{
	"%cd", "%env", "%get", "%go111module", "%help", "%load", "%reset", "%run", "%time", "%timeit", "%vars", "%writefile",
	"%%time", "%%timeit", "%%writefile",
}

const help = `commands, each on a line of its own:
%cd [PATH]            change the working directory, without PATH to the home directory
%env [NAME[=VALUE]]   show or set environment variables
%get MODULE[@VERSION] make the packages of a module importable (%get ./FOLDER: of one of yours); alone, list modules
%go111module {on|off} accepted for old notebooks, without effect
%help                 this text
%load FILE            put a file into this cell, to look at, change and run (in JupyterLab, Notebook and consoles)
%run FILE             run a Go file in this session
%reset                forget all variables, functions, types and imports of this session
%time CODE            run CODE and print how long it took (%%time: the whole cell)
%timeit CODE          run CODE many times and print how long one run takes (%%timeit: the whole cell)
%vars                 list the variables, functions, types and imports of this session
%writefile [-a] FILE  write (-a: append) the rest of the cell to FILE
$COMMAND              run a shell command
?NAME or NAME?        documentation of a name, like ?fmt.Println, and what it has
`

// Run runs one command line or cell magic.
func (c *Cell) Run(p Part) (Outcome, error) {
	switch {
	case strings.HasPrefix(p.Text, "%%"):
		return c.cellMagic(p)
	case p.Text[0] == '$':
		return Outcome{}, c.shell(p.Text[1:])
	case p.Text[0] == '?' || strings.HasSuffix(p.Text, "?") && p.Text[0] != '%':
		return c.describe(strings.Trim(p.Text, "? "))
	}
	name, args, _ := strings.Cut(p.Text, " ")
	args = strings.TrimSpace(args)
	switch name {
	case "%cd":
		return Outcome{}, changeDirectory(args)
	case "%env":
		return Outcome{}, c.environment(args)
	case "%get":
		return Outcome{}, c.get(strings.Fields(args))
	case "%go111module":
		if args != "on" && args != "off" {
			return Outcome{}, fmt.Errorf("%%go111module: expected on or off, found %q", args)
		}
		return Outcome{}, nil
	case "%help":
		_, _ = c.Stdout.WriteString(help + c.magicHelp())
		return Outcome{}, nil
	case "%load":
		return c.loadFile(args)
	case "%run":
		return c.runFile(args)
	case "%reset":
		if args != "" && args != "-f" { // as in IPython
			return Outcome{}, fmt.Errorf("%%reset forgets everything; it takes no %q", args)
		}
		c.Session.Reset()
		return Outcome{}, nil
	case "%time":
		return c.time(args, p.Line)
	case "%timeit":
		return Outcome{}, c.timeit(args, p.Line)
	case "%vars":
		c.listNames()
		return Outcome{}, nil
	case "%writefile":
		return Outcome{}, c.writeFile(args, p.Body)
	}
	return Outcome{}, fmt.Errorf("unknown command %s%s; %%help lists all", name, spelling.DidYouMean(name, Names))
}

// cellMagic runs a command that takes the rest of the cell.
func (c *Cell) cellMagic(p Part) (Outcome, error) {
	name, args, _ := strings.Cut(p.Text[2:], " ")
	args = strings.TrimSpace(args)
	if magic, ok := c.Magics[name]; ok {
		d, has, err := magic(c.Context, args, p.Body)
		if c.Session.Interrupted() && err != nil {
			text := "the cell was interrupted"
			if !errors.Is(err, context.Canceled) { // whose error says nothing more
				text += ": " + err.Error()
			}
			return Outcome{}, &kernel.CellError{Name: kernel.NameInterrupted, Value: text}
		}
		if err != nil || !has {
			return Outcome{}, err
		}
		return Outcome{Data: &d}, nil
	}
	code := strings.TrimSpace(args + "\n" + p.Body)
	switch name {
	case "time":
		return c.time(code, p.Line)
	case "timeit":
		return Outcome{}, c.timeit(code, p.Line)
	case "writefile":
		return Outcome{}, c.writeFile(args, p.Body)
	}
	known := []string{"%%time", "%%timeit", "%%writefile"}
	for magic := range c.Magics {
		known = append(known, "%%"+magic)
	}
	sort.Strings(known)
	return Outcome{}, fmt.Errorf("unknown cell command %%%%%s%s; known are %s", name, spelling.DidYouMean("%%"+name, known), strings.Join(known, ", "))
}

func (c *Cell) magicNames() string {
	var list []string
	for name := range c.Magics {
		list = append(list, ", %%"+name)
	}
	sort.Strings(list)
	return strings.Join(list, "")
}

func (c *Cell) magicHelp() string {
	if len(c.Magics) == 0 {
		return ""
	}
	return "first line of a cell: " + strings.TrimPrefix(c.magicNames(), ", ") + "\n"
}

func changeDirectory(path string) error {
	home, err := os.UserHomeDir()
	switch {
	case path == "" || path == "~":
		path = home
	case strings.HasPrefix(path, "~/"):
		path = filepath.Join(home, path[2:])
	default:
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%%cd: home directory: %w", err)
	}
	if err := os.Chdir(strings.Trim(path, `"'`)); err != nil {
		return fmt.Errorf("%%cd: %w", err)
	}
	return nil
}

// secret recognises names of environment variables that should not end up in a notebook.
var secret = regexp.MustCompile(`(?i)pass|secret|token|key|credential|database_url`)

func (c *Cell) environment(args string) error {
	name, text, isSet := strings.Cut(args, "=")
	if !isSet {
		if fields := strings.Fields(args); len(fields) > 1 { // as IPython: %env NAME VALUE
			name, text, isSet = fields[0], strings.TrimSpace(args[len(fields[0]):]), true
		}
	}
	name = strings.TrimSpace(name)
	switch {
	case isSet:
		if err := os.Setenv(name, strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("%%env: %w", err)
		}
	case name != "":
		text, ok := os.LookupEnv(name)
		if !ok {
			return fmt.Errorf("%%env: %s is not set", name)
		}
		fmt.Fprintln(c.Stdout, text)
	default:
		list := os.Environ()
		sort.Strings(list)
		for _, line := range list {
			if n, _, _ := strings.Cut(line, "="); secret.MatchString(n) {
				line = n + "=<hidden>"
			}
			fmt.Fprintln(c.Stdout, line)
		}
	}
	return nil
}

// loadFile asks the front end to put a file into the cell. Front ends that only run notebooks, like nbconvert, do
// nothing.
func (c *Cell) loadFile(path string) (Outcome, error) {
	path = strings.Trim(path, `"'`)
	if path == "" {
		return Outcome{}, fmt.Errorf("%%load: which file?")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Outcome{}, fmt.Errorf("%%load: %w", err)
	}
	return Outcome{Payload: []map[string]any{{"source": "set_next_input", "text": "// %load " + path + "\n" + string(text), "replace": true}}}, nil
}

// runFile runs a Go file: its package clause is ignored, so that a file of a program can be tried.
func (c *Cell) runFile(path string) (Outcome, error) {
	path = strings.Trim(path, `"'`)
	if path == "" {
		return Outcome{}, fmt.Errorf("%%run: which file?")
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return Outcome{}, fmt.Errorf("%%run: %w", err)
	}
	v, err := c.Session.Evaluate(path, string(code), 1)
	if err != nil {
		var failure *kernel.CellError
		if errors.As(err, &failure) {
			failure.Traceback = append(failure.Traceback, "lines are those of "+path)
		}
		return Outcome{}, err
	}
	return Outcome{Value: v}, nil
}

func (c *Cell) writeFile(args, body string) error {
	path := args
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if rest, ok := strings.CutPrefix(args, "-a "); ok {
		path, flags = strings.TrimSpace(rest), os.O_WRONLY|os.O_CREATE|os.O_APPEND
	}
	path = strings.Trim(path, `"'`)
	if path == "" {
		return fmt.Errorf("%%writefile: which file?")
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	f, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return fmt.Errorf("%%writefile: %w", err)
	}
	_, err = f.WriteString(body)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("%%writefile: %w", err)
	}
	fmt.Fprintf(c.Stdout, "wrote %d bytes to %s\n", len(body), path)
	return nil
}

// listNames prints what the session declared.
func (c *Cell) listNames() {
	w := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
	for _, entry := range c.Session.Names() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", entry.Name, entry.Kind, shorten(entry.Text))
	}
	_ = w.Flush() // a pipe
}

// shorten makes a value fit on a line.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		s = string(r[:77]) + "..."
	}
	return s
}

// describe returns the documentation of ?name as the cell's value.
func (c *Cell) describe(path string) (Outcome, error) {
	if !IsPath(path) {
		return Outcome{}, fmt.Errorf("?: expected a name like fmt.Println, found %q", path)
	}
	text, ok := c.Session.Describe(path)
	if !ok {
		return Outcome{}, fmt.Errorf("nothing is known about %s", path)
	}
	d := display.MakeData(display.MIMETypeText, text)
	return Outcome{Data: &d}, nil
}
