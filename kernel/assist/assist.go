// Package assist completes and documents code that is being typed, for any engine of the kernel. It finds out what the
// cursor is in, such as an import path or a string literal, and asks the language for names.
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

// Language knows the names of a session. Its methods may be called while a cell runs. Code that is being typed is
// rarely valid: for code that a method does not understand, it returns no names.
type Language interface {
	// Packages returns the paths that cells can import.
	Packages() []string
	// Package returns the path of the package that a name refers to in cells.
	Package(name string) (path string, ok bool)
	// Scope returns the names that can begin an expression, with their kinds. before is the code before it.
	Scope(before string) map[string]string
	// Members returns the names that can follow a dot after an operand, with their kinds. before is the code up to the
	// cursor, which may declare names that the session does not know yet.
	Members(operand, before string) map[string]string
	// TypeOf returns the type of an expression, with the path of its package, such as "example.com/lab.Run". For a
	// pointer it returns the type that the pointer points to.
	TypeOf(expr string) (string, bool)
	// Value returns the value that a variable had at the end of the last cell, if the variable is a pointer to a
	// compiled type. For all other names it returns nil.
	Value(name string) any
}

// Assistant completes code.
type Assistant struct {
	language Language
	magics   []string // cell magics, with their %%
	words    Words
	asking   chan struct{} // full while words is called
}

// New returns an assistant. Without words, which may be nil, string literals have no completions.
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
		if completion, ok := a.completeLiteral(head, cursor); ok {
			return completion
		}
	}
	prefix, found := a.candidates(head)
	for name := range found {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, "·") { // a dot marks the engine's own names
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

// candidates returns the text that is already typed, and names that may complete it, with their kinds. Complete drops
// those that do not begin with the text.
func (a *Assistant) candidates(head []rune) (prefix string, found map[string]string) {
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

// scope returns the names that can begin an expression: the names of the session, the keywords, and the names that the
// code before the expression declares.
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

// FindDeclaration finds the last declaration of a name by := in the code before a cursor. It returns the expression on
// the right and the index of the value that the name gets. rest is the code without the declaration.
func FindDeclaration(name, before string) (right string, index int, rest string, ok bool) {
	match := regexp.MustCompile(`(?m)((?:[\pL_][\w\pL]*\s*,\s*)*)\b` + regexp.QuoteMeta(name) +
		`\b(?:\s*,\s*[\pL_][\w\pL]*)*\s*:=\s*(.+)$`)
	all := match.FindAllStringSubmatch(before, -1)
	if len(all) == 0 {
		return "", 0, "", false
	}
	m := all[len(all)-1]
	return strings.TrimSpace(m[2]), strings.Count(m[1], ","), strings.Replace(before, m[0], "", 1), true
}

// Root returns the name that an operand begins with. It returns "" if the operand begins with something else.
func Root(operand string) string {
	if root := word.FindString(operand); strings.HasPrefix(operand, root) {
		return root
	}
	return ""
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// importPath returns the index at which the import path that is being typed begins, or -1 if none is being typed.
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
