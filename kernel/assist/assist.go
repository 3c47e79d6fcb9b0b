// Package assist completes and documents code that is being typed, for any engine of the kernel: it finds what the
// cursor is in, and asks the language about names.
package assist

import (
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/command"
)

// Kinds of completions.
const (
	Function = "function"
	Module   = "module"
	Variable = "variable"
	Type     = "class"
	keyword  = "keyword"
	magic    = "magic"
	kindText = "text"
)

// Language knows the names of a session. Its methods are called while a cell runs too. Code that is being typed is
// rarely valid: what a method does not understand has no names.
type Language interface {
	// Packages returns the paths that cells can import.
	Packages() []string
	// Package returns the path of the package that cells call by a name.
	Package(name string) (path string, ok bool)
	// Scope returns the names that can begin an expression after the code before it, with their kinds.
	Scope(before string) map[string]string
	// Members returns the names that can follow a dot after an operand, with their kinds. before is the code above,
	// which may declare what the session does not know yet.
	Members(operand, before string) map[string]string
	// TypeOf returns the type of an expression, with the path of its package, such as "example.com/lab.Run"; for a
	// pointer, the type that it points to.
	TypeOf(expr string) (string, bool)
	// Value returns what the last cell left in a variable of a compiled pointer type, nil for all other variables.
	Value(name string) any
}

// Assistant completes code.
type Assistant struct {
	language Language
	magics   []string // commands that take a cell, with their %%
	words    Words
	asking   chan struct{} // holds one while words is called
}

// New returns an assistant. words may be nil.
func New(l Language, magics []string, words Words) *Assistant {
	return &Assistant{language: l, magics: magics, words: words, asking: make(chan struct{}, 1)}
}

// Complete returns completions at the cursor: commands, import paths, members of packages and values, names of the
// session and of the language, and contents of strings.
func (a *Assistant) Complete(code string, cursor int) (answer kernel.Completion) {
	text := []rune(code)
	cursor = max(0, min(cursor, len(text)))
	answer = kernel.Completion{Matches: []string{}, Start: cursor, End: cursor, Types: []string{}}
	head := text[:cursor]
	if importPath(head) < 0 && !strings.HasPrefix(strings.TrimLeft(string(head), " \t\n"), "%") {
		if words, in := a.completeLiteral(head, cursor); in {
			return words
		}
	}
	prefix, found := a.found(head)
	for name := range found {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, "·") {
			answer.Matches = append(answer.Matches, name)
		}
	}
	slices.Sort(answer.Matches)
	for _, name := range answer.Matches {
		answer.Types = append(answer.Types, found[name])
	}
	answer.Start = cursor - len([]rune(prefix))
	return answer
}

// found returns what is already typed, and the names that may complete it.
func (a *Assistant) found(head []rune) (prefix string, found map[string]string) {
	line := string(head)
	line = strings.TrimLeft(line[strings.LastIndexByte(line, '\n')+1:], " \t")
	if strings.HasPrefix(line, "%") && !strings.Contains(line, " ") {
		found = map[string]string{}
		for _, name := range slices.Concat(command.Names, a.magics) {
			found[name] = magic
		}
		return line, found
	}
	if begin := importPath(head); begin >= 0 {
		found = map[string]string{}
		for _, path := range a.language.Packages() {
			found[path] = Module
		}
		return string(head[begin:]), found
	}
	start := len(head)
	for start > 0 && isNameRune(head[start-1]) {
		start--
	}
	prefix = string(head[start:])
	switch {
	case start > 0 && head[start-1] == '.':
		found = a.language.Members(strings.TrimSpace(string(primary(head[:start-1]))), string(head))
	case prefix != "":
		found = a.scope(string(head[:start]))
	}
	return prefix, found
}

// scope returns the names that can begin an expression: those of the session, of the language, and those that the code
// before declares.
func (a *Assistant) scope(before string) map[string]string {
	found := a.language.Scope(before)
	for _, m := range declared.FindAllStringSubmatch(before, -1) {
		for _, name := range word.FindAllString(m[1]+m[2], -1) {
			found[name] = Variable
		}
	}
	for tok := token.BREAK; tok <= token.VAR; tok++ {
		found[tok.String()] = keyword
	}
	return found
}

var (
	declared = regexp.MustCompile(`(?:\bvar\s+(\w+)|([\pL_][\w\pL]*(?:\s*,\s*[\pL_][\w\pL]*)*)\s*:=)`)
	word     = regexp.MustCompile(`[\pL_][\w\pL]*`)
)

// DeclaredWith finds the declaration of a name by := in the code before a cursor. It returns the expression on the
// right, and which of its values the name gets. rest is the code without that declaration.
func DeclaredWith(name, before string) (right string, index int, rest string, ok bool) {
	match := regexp.MustCompile(`(?m)((?:[\pL_][\w\pL]*\s*,\s*)*)\b` + regexp.QuoteMeta(name) +
		`\b(?:\s*,\s*[\pL_][\w\pL]*)*\s*:=\s*(.+)$`)
	all := match.FindAllStringSubmatch(before, -1)
	if len(all) == 0 {
		return "", 0, "", false
	}
	m := all[len(all)-1]
	return strings.TrimSpace(m[2]), strings.Count(m[1], ","), strings.Replace(before, m[0], "", 1), true
}

// Root returns the name that an operand begins with, "" if it begins with something else.
func Root(operand string) string {
	if root := word.FindString(operand); strings.HasPrefix(operand, root) {
		return root
	}
	return ""
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

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
