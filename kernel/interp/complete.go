package interp

import (
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"unicode"

	"github.com/cosmos72/gomacro/fast"
	"github.com/cosmos72/gomacro/go/etoken"
	mp "github.com/cosmos72/gomacro/go/parser"
	"github.com/cosmos72/gomacro/xreflect"

	"github.com/spherelab/spherelab/kernel"
)

// Kinds of completions.
const (
	kindFunction = "function"
	kindModule   = "module"
	kindVariable = "variable"
	kindType     = "class"
	kindKeyword  = "keyword"
	kindCommand  = "magic"
)

// commands are completed at the start of a line.
var commands = []string{"%cd", "%env", "%go111module", "%help", "%load", "%reset", "%run", "%time", "%timeit", "%vars", "%writefile", "%%time", "%%timeit", "%%writefile"}

// Complete offers names at the cursor: commands, import paths, members of packages and values, names of the session and of the language.
func (e *Engine) Complete(code string, cursor int) (answer kernel.Completion) {
	text := []rune(code)
	cursor = max(0, min(cursor, len(text)))
	answer = kernel.Completion{Matches: []string{}, Start: cursor, End: cursor, Types: []string{}}
	if head := text[:cursor]; importPath(head) < 0 && !strings.HasPrefix(strings.TrimLeft(string(head), " \t\n"), "%") {
		if words, in := e.completeLiteral(head, cursor); in {
			return words
		}
	}
	e.code.Lock()
	defer e.code.Unlock()
	defer func() {
		if r := recover(); r != nil { // code that is being typed is rarely valid
			answer.Matches, answer.Types = []string{}, []string{}
		}
	}()
	head := text[:cursor]
	line := head
	for i := len(head) - 1; i >= 0; i-- {
		if head[i] == '\n' {
			line = head[i+1:]
			break
		}
	}
	var found map[string]string
	prefix := ""
	switch trimmed := strings.TrimLeft(string(line), " \t"); {
	case strings.HasPrefix(trimmed, "%") && !strings.Contains(trimmed, " "):
		prefix, found = trimmed, e.commandNames()
	case importPath(head) >= 0:
		prefix, found = string(head[importPath(head):]), make(map[string]string)
		for _, path := range e.packages() {
			found[path] = kindModule
		}
	default:
		start := cursor
		for start > 0 && isNameRune(head[start-1]) {
			start--
		}
		prefix = string(head[start:])
		if start > 0 && head[start-1] == '.' {
			found = e.membersOf(string(primary(head[:start-1])), string(head), 0)
		} else if prefix != "" {
			found = e.scope(string(head[:start]))
		}
	}
	for name := range found {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, "·") {
			answer.Matches = append(answer.Matches, name)
		}
	}
	sort.Strings(answer.Matches)
	for _, name := range answer.Matches {
		answer.Types = append(answer.Types, found[name])
	}
	answer.Start = cursor - len([]rune(prefix))
	return answer
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (e *Engine) commandNames() map[string]string {
	found := make(map[string]string)
	for _, name := range commands {
		found[name] = kindCommand
	}
	for name := range e.options.Magics {
		found["%%"+name] = kindCommand
	}
	return found
}

// importPath returns where the import path that is being typed begins, -1 if none is.
func importPath(head []rune) int {
	s := string(head)
	quote := strings.LastIndexByte(s, '"')
	if quote < 0 || strings.ContainsAny(s[quote:], "\n ") {
		return -1
	}
	before := s[:quote]
	if inImport.MatchString(before) {
		return len([]rune(s[:quote+1]))
	}
	return -1
}

var inImport = regexp.MustCompile(`(?s)(^|\n)[ \t]*import[ \t]*(\([^)]*|[\w.]*[ \t]*)$`)

// scope lists the names that can begin an expression: those of the session, of the language, and those that the code before declares.
func (e *Engine) scope(before string) map[string]string {
	found := make(map[string]string)
	for tok := token.BREAK; tok <= token.VAR; tok++ {
		found[tok.String()] = kindKeyword
	}
	for _, m := range declared.FindAllStringSubmatch(before, -1) {
		for _, name := range names1.FindAllString(m[1]+m[2], -1) {
			found[name] = kindVariable
		}
	}
	for c := e.ir.Comp; c != nil; c = c.Outer {
		for name, b := range c.Binds {
			if _, ok := found[name]; !ok {
				found[name] = kindOf(b)
			}
		}
		for name := range c.Types {
			if _, ok := found[name]; !ok {
				found[name] = kindType
			}
		}
	}
	return found
}

var (
	declared = regexp.MustCompile(`(?:\bvar\s+(\w+)|([\pL_][\w\pL]*(?:\s*,\s*[\pL_][\w\pL]*)*)\s*:=)`)
	names1   = regexp.MustCompile(`[\pL_][\w\pL]*`)
)

func kindOf(b *fast.Bind) string {
	switch {
	case asImport(b) != nil:
		return kindModule
	case b.Desc.Class() == fast.FuncBind, b.Type != nil && b.Type.Kind() == reflect.Func:
		return kindFunction
	}
	if _, ok := b.Value.(fast.Builtin); ok {
		return kindFunction
	}
	return kindVariable
}

// primary returns the end of head that is one operand: names, dots, and balanced brackets.
func primary(head []rune) []rune {
	i := len(head)
	for i > 0 {
		r := head[i-1]
		switch {
		case isNameRune(r) || r == '.':
			i--
			continue
		case r == ')' || r == ']' || r == '}':
			depth, j := 0, i
			for j > 0 {
				j--
				if strings.ContainsRune(")]}", head[j]) {
					depth++
				}
				if strings.ContainsRune("([{", head[j]) {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if depth != 0 {
				return head[i:]
			}
			i = j
			continue
		}
		break
	}
	return head[i:]
}

// membersOf lists what can follow a dot after an expression. The expression is compiled, never run.
func (e *Engine) membersOf(expr, before string, depth int) map[string]string {
	expr = strings.TrimSpace(expr)
	if imp := e.imported(expr); imp != nil {
		found := make(map[string]string)
		for name, b := range imp.Binds {
			found[name] = kindOf(b)
		}
		for name := range imp.Types {
			found[name] = kindType
		}
		return found
	}
	found := make(map[string]string)
	if t := e.typeOf(expr, before, depth); t != nil {
		addMembers(found, t, 0)
		return found
	}
	// A package that is not imported: the documentation of its names, and the error of the cell, say which import is missing.
	if _, pkg, ok := e.linkedAs(expr); ok && e.ir.Comp.TryResolve(expr) == nil {
		for name, v := range pkg.Binds {
			found[name] = kindVariable
			if v.Kind() == reflect.Func {
				found[name] = kindFunction
			}
		}
		for name := range pkg.Types {
			found[name] = kindType
		}
	}
	return found
}

// typeOf finds the type of an expression, nil if it has none. Names that only the code before declares are traced to what they are declared with.
func (e *Engine) typeOf(expr, before string, depth int) xreflect.Type {
	if expr == "" || depth > 4 {
		return nil
	}
	if t := e.ir.Comp.TryResolveType(expr); t != nil {
		return t
	}
	if types := e.typesOf(expr); len(types) > 0 {
		return types[0]
	}
	root := names1.FindString(expr)
	if root == "" || !strings.HasPrefix(expr, root) || e.ir.Comp.TryResolve(root) != nil {
		return nil
	}
	match := regexp.MustCompile(`(?m)((?:[\pL_][\w\pL]*\s*,\s*)*)\b` + regexp.QuoteMeta(root) + `\b(?:\s*,\s*[\pL_][\w\pL]*)*\s*:=\s*(.+)$`)
	all := match.FindAllStringSubmatch(before, -1)
	if len(all) == 0 {
		return nil
	}
	m := all[len(all)-1]
	right := strings.TrimSpace(m[2])
	types := e.typesOf(right)
	if n := strings.Count(m[1], ","); n < len(types) {
		if expr == root {
			return types[n]
		}
		return memberType(e.ir.Comp, types[n], strings.Split(strings.TrimPrefix(expr, root+"."), "."))
	}
	if len(types) == 0 && expr == root {
		return e.typeOf(right, strings.Replace(before, m[0], "", 1), depth+1)
	}
	return nil
}

// memberType follows fields.
func memberType(c *fast.Comp, t xreflect.Type, path []string) xreflect.Type {
	for _, name := range path {
		field, ok, _, _, err := c.TryLookupFieldOrMethod(t, name)
		if err != nil || !ok {
			return nil
		}
		t = field.Type
	}
	return t
}

// typesOf compiles an expression and returns its types.
func (e *Engine) typesOf(expr string) (types []xreflect.Type) {
	defer func() {
		if r := recover(); r != nil {
			types = nil
		}
	}()
	e.compileExpr(expr, func(compiled *fast.Expr) {
		for i := 0; i < compiled.NumOut(); i++ {
			t := compiled.Out(i)
			if compiled.Untyped() {
				t = compiled.DefaultType()
			}
			types = append(types, t)
		}
	})
	return types
}

// compileExpr compiles an expression that is never run, and leaves no trace of it. It panics as gomacro's compiler does.
func (e *Engine) compileExpr(expr string, then func(compiled *fast.Expr)) {
	c := fast.NewComp(e.ir.Comp, nil)
	g := e.ir.Comp
	files, line, pos, code := g.Fileset, g.Line, g.Pos, g.Code
	defer func() { g.Fileset, g.Line, g.Pos, g.Code = files, line, pos, code }()
	g.Fileset = etoken.NewFileSet()
	var parser mp.Parser
	parser.Configure(g.ParserMode, g.MacroChar)
	parser.Init(g.Fileset, fileName, 0, []byte(expr))
	nodes, err := parser.Parse()
	if err != nil || len(nodes) != 1 {
		return
	}
	x, ok := expression(nodes[0])
	if !ok {
		return
	}
	if lit, isLit := x.(*ast.CompositeLit); isLit && lit.Type == nil {
		return
	}
	then(c.Expr(x, nil))
}

// addMembers lists fields and methods of t, also those of embedded fields. What is not exported is listed for types of cells only.
func addMembers(found map[string]string, t xreflect.Type, depth int) {
	if t == nil || depth > 4 {
		return
	}
	if t.Kind() == reflect.Ptr && t.Name() == "" {
		t = t.Elem()
	}
	own := t.PkgPath() == "" || t.PkgPath() == "main"
	add := func(name, kind string) {
		if _, ok := found[name]; !ok && (own || ast.IsExported(name)) {
			found[name] = kind
		}
	}
	for i := 0; i < t.NumMethod(); i++ {
		add(t.Method(i).Name, kindFunction)
	}
	if rt := t.ReflectType(); rt != nil && t.Name() != "" && rt.Name() == t.Name() {
		if rt.Kind() != reflect.Interface && rt.Kind() != reflect.Ptr {
			rt = reflect.PointerTo(rt)
		}
		for i := 0; i < rt.NumMethod(); i++ {
			add(rt.Method(i).Name, kindFunction)
		}
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		add(f.Name, kindVariable)
		if f.Anonymous {
			addMembers(found, f.Type, depth+1)
		}
	}
}
