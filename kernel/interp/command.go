package interp

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

	"github.com/cosmos72/gomacro/fast"

	"github.com/spherelab/spherelab/kernel"
)

const help = `commands, each on a line of its own:
%cd [PATH]            change the working directory, without PATH to the home directory
%env [NAME[=VALUE]]   show or set environment variables
%go111module {on|off} accepted for old notebooks, without effect: packages are linked in, never downloaded
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

// command runs one command line or cell magic.
func (e *Engine) command(x *execution, p part) (value, *kernel.CellError) {
	v, err := e.runCommand(x, p)
	if err == nil {
		return v, nil
	}
	failure := asCellError(err)
	if failure.Name == nameCommand {
		src := &source{number: x.number, shown: p.text, firstLine: p.line}
		failure = cellError(nameCommand, failure.Value, src, p.line)
	}
	return value{}, failure
}

func (e *Engine) runCommand(x *execution, p part) (value, error) {
	switch {
	case strings.HasPrefix(p.text, "%%"):
		return e.cellMagic(x, p)
	case p.text[0] == '$':
		return value{}, e.shell(x, p.text[1:])
	case p.text[0] == '?' || strings.HasSuffix(p.text, "?") && p.text[0] != '%':
		return e.describe(strings.Trim(p.text, "? "))
	}
	name, args, _ := strings.Cut(p.text, " ")
	args = strings.TrimSpace(args)
	switch name {
	case "%cd":
		return value{}, changeDirectory(args)
	case "%env":
		return value{}, e.environment(args)
	case "%go111module":
		if args != "on" && args != "off" {
			return value{}, fmt.Errorf("%%go111module: expecting on or off, found %q", args)
		}
		return value{}, nil
	case "%help":
		_, _ = e.stdout.File.WriteString(help + e.magicHelp())
		return value{}, nil
	case "%load":
		return e.loadFile(args)
	case "%run":
		return e.runFile(x, args)
	case "%reset":
		e.reset()
		return value{}, nil
	case "%time":
		return e.time(x, args, p.line)
	case "%timeit":
		return value{}, e.timeit(x, args, p.line)
	case "%vars":
		e.listNames()
		return value{}, nil
	case "%writefile":
		return value{}, e.writeFile(args, p.body)
	}
	return value{}, fmt.Errorf("unknown command %s%s; %%help lists all", name, didYouMean(name, commands))
}

// cellMagic runs a command that takes the rest of the cell.
func (e *Engine) cellMagic(x *execution, p part) (value, error) {
	name, args, _ := strings.Cut(p.text[2:], " ")
	args = strings.TrimSpace(args)
	if magic, ok := e.options.Magics[name]; ok {
		d, has, err := magic(x.ctx, args, p.body)
		if x.interrupted.Load() && err != nil {
			text := "the cell was interrupted"
			if !errors.Is(err, context.Canceled) { // which says no more
				text += ": " + err.Error()
			}
			return value{}, &kernel.CellError{Name: nameInterrupted, Value: text}
		}
		if err != nil || !has {
			return value{}, err
		}
		return value{data: &d}, nil
	}
	code := strings.TrimSpace(args + "\n" + p.body)
	switch name {
	case "time":
		return e.time(x, code, p.line)
	case "timeit":
		return value{}, e.timeit(x, code, p.line)
	case "writefile":
		return value{}, e.writeFile(args, p.body)
	}
	known := []string{"%%time", "%%timeit", "%%writefile"}
	for magic := range e.options.Magics {
		known = append(known, "%%"+magic)
	}
	sort.Strings(known)
	return value{}, fmt.Errorf("unknown cell command %%%%%s%s; known are %s", name, didYouMean("%%"+name, known), strings.Join(known, ", "))
}

func (e *Engine) magicNames() string {
	var list []string
	for name := range e.options.Magics {
		list = append(list, ", %%"+name)
	}
	sort.Strings(list)
	return strings.Join(list, "")
}

func (e *Engine) magicHelp() string {
	if len(e.options.Magics) == 0 {
		return ""
	}
	return "first line of a cell: " + strings.TrimPrefix(e.magicNames(), ", ") + "\n"
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

func (e *Engine) environment(args string) error {
	name, text, set := strings.Cut(args, "=")
	if !set {
		if fields := strings.Fields(args); len(fields) > 1 { // as IPython: %env NAME VALUE
			name, text, set = fields[0], strings.TrimSpace(args[len(fields[0]):]), true
		}
	}
	name = strings.TrimSpace(name)
	switch {
	case set:
		if err := os.Setenv(name, strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("%%env: %w", err)
		}
	case name != "":
		text, ok := os.LookupEnv(name)
		if !ok {
			return fmt.Errorf("%%env: %s is not set", name)
		}
		fmt.Fprintln(e.stdout.File, text)
	default:
		list := os.Environ()
		sort.Strings(list)
		for _, line := range list {
			if n, _, _ := strings.Cut(line, "="); secret.MatchString(n) {
				line = n + "=<hidden>"
			}
			fmt.Fprintln(e.stdout.File, line)
		}
	}
	return nil
}

// loadFile asks the front end to put a file into the cell. Front ends that only run notebooks, like nbconvert, do nothing.
func (e *Engine) loadFile(path string) (value, error) {
	path = strings.Trim(path, `"'`)
	if path == "" {
		return value{}, fmt.Errorf("%%load: which file?")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return value{}, fmt.Errorf("%%load: %w", err)
	}
	return value{payload: []map[string]any{{"source": "set_next_input", "text": "// %load " + path + "\n" + string(text), "replace": true}}}, nil
}

// runFile runs a Go file: its package clause is ignored, so that a file of a program can be tried.
func (e *Engine) runFile(x *execution, path string) (value, error) {
	path = strings.Trim(path, `"'`)
	if path == "" {
		return value{}, fmt.Errorf("%%run: which file?")
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return value{}, fmt.Errorf("%%run: %w", err)
	}
	v, failure := e.evaluateCode(x, string(code), 1)
	if failure != nil {
		failure.Traceback = append(failure.Traceback, "lines are those of "+path)
		return value{}, failure
	}
	return v, nil
}

func (e *Engine) writeFile(args, body string) error {
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
	fmt.Fprintf(e.stdout.File, "wrote %d bytes to %s\n", len(body), path)
	return nil
}

// reset forgets everything the session declared. Goroutines that still run lose their variables; their panics are reported as any other's.
func (e *Engine) reset() {
	e.code.Lock()
	defer e.code.Unlock()
	c := e.ir.Comp
	env := e.ir.PrepareEnv()
	keep := make(map[int]bool)
	for name, b := range c.Binds {
		if e.predeclared[name] != b {
			delete(c.Binds, name)
		} else if b.Desc.Class() != fast.IntBind {
			keep[b.Desc.Index()] = true
		}
	}
	for name, b := range e.predeclared {
		c.Binds[name] = b
		keep[b.Desc.Index()] = true
	}
	for name := range c.Types {
		delete(c.Types, name)
	}
	clear(e.typeTexts)
	clear(e.docs)
	for i := range env.Vals {
		if !keep[i] {
			env.Vals[i] = fast.None
		}
	}
}

// listNames prints what the session declared.
func (e *Engine) listNames() {
	w := tabwriter.NewWriter(e.stdout.File, 0, 0, 2, ' ', 0)
	for _, entry := range e.names() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", entry.name, entry.kind, entry.text)
	}
	_ = w.Flush() // a pipe
}

// entry is one declared name.
type entry struct{ name, kind, text string }

// names lists the user's names, sorted.
func (e *Engine) names() []entry {
	e.code.Lock()
	c := e.ir.Comp
	type item struct {
		name string
		bind *fast.Bind
	}
	var items []item
	var list []entry
	for name, b := range c.Binds {
		if e.predeclared[name] != b && !strings.HasPrefix(name, "·") {
			items = append(items, item{name, b})
		}
	}
	for name, t := range c.Types {
		list = append(list, entry{name, "type", underlying(t)})
	}
	env := e.ir.PrepareEnv()
	e.code.Unlock()
	for _, it := range items {
		switch b := it.bind; {
		case asImport(b) != nil:
			list = append(list, entry{it.name, "package", asImport(b).Path})
		case b.Desc.Class() == fast.FuncBind:
			list = append(list, entry{it.name, "func", typeName(b.Type)})
		case b.Desc.Class() == fast.ConstBind:
			list = append(list, entry{it.name, "const", shorten(fmt.Sprint(constant(b)))})
		default:
			text := "?"
			func() {
				defer func() { _ = recover() }() // a String method of the user's may panic
				text = e.text(b.RuntimeValue(e.ir.Comp.CompGlobals, env), b.Type)
			}()
			list = append(list, entry{it.name, typeName(b.Type), shorten(text)})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	return list
}

// shorten makes a value fit on a line.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		s = string(r[:77]) + "..."
	}
	return s
}
