package interp

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/cosmos72/gomacro/fast"

	"github.com/spherelab/spherelab/internal/spelling"
)

// clarify replaces messages of gomacro that only its authors understand.
func clarify(message string) string {
	message = reasonBelow.ReplaceAllString(strings.TrimSpace(message), ": ")
	for _, c := range clarifications {
		if c.match.MatchString(message) {
			message = c.match.ReplaceAllString(message, c.text)
		}
	}
	return builtinCall.ReplaceAllString(message, "(")
}

var (
	// reasonBelow is how gomacro puts the reason of an error below it.
	reasonBelow = regexp.MustCompile(`\n\s*(?:` + fileName + `:\d+:\d+: )?(?:reason: )?`)
	// builtinCall is a call that the rewriting put around something.
	builtinCall = regexp.MustCompile(`·\w+\(`)
)

const noGenerics = "the interpreter has no generics"

var clarifications = []struct {
	match *regexp.Regexp
	text  string
}{
	{regexp.MustCompile(`(?s)^undefined identifier: ·.*`), "internal error of the kernel's rewriting"},
	{regexp.MustCompile(`(?s)^package (\S+) "([^"]*)" has no symbol (\S+).*`), `package $2 has no $3 here: it does not exist, is generic (the interpreter has no generics), or is newer than the bindings`},
	{regexp.MustCompile(`(?s)^not a type: (\S+)\.(\w+) <\*ast\.SelectorExpr>.*`), `$1 has no $2 here: it does not exist, is generic (the interpreter has no generics), or is newer than the bindings`},
	{regexp.MustCompile(`(?s)^undefined "(\w+)" in (\S+) <\*ast\.SelectorExpr>.*`), `undefined: $1 in $2; is its package imported?`},
	{regexp.MustCompile(`(?s)^not a package: "(\w+)" in \w+\.(\w+) <\*ast\.SelectorExpr>.*`), `$1 has no field or method $2`},
	{regexp.MustCompile(`(?s)^invalid qualified type, expecting packagename\.identifier, found: (.*)\.(\w+) <\*ast\.SelectorExpr>.*`), `$1 has no field or method $2`},
	{regexp.MustCompile(`(?s)^type (?:main\.)?(\S+) has no field or method "(\w+)": (.*)$`), `$3 undefined: type $1 has no field or method $2`},
	{regexp.MustCompile(`(?s)^unimplemented type: (.*) <\*ast\.CallExpr>.*`), `what follows $1 is not a field or method of it`},
	{regexp.MustCompile(`(?s)untyped constant \{\w+ (.*)\} to <(.*)>$`), `$1 to $2`},
	{regexp.MustCompile(`(?s)^error importing packages .*: (.*)$`), `$1`},
	{regexp.MustCompile(`(?s)^error compiling assignment: .*?: (cannot convert.*|cannot use.*|cannot assign.*)$`), `$1`},
	{regexp.MustCompile(`(?s)^goto label not found: (\w+).*`), `the interpreter cannot jump to label $1: goto works only within a block; use a loop with break and continue`},
	{regexp.MustCompile(`(?s)^expecting macro-related keyword after '~'.*`), noGenerics + `: ~T in an interface is a constraint of type parameters`},
	{regexp.MustCompile(`(?s)^cannot range over .* <interface\{\}>$`), `cannot range over a value of type interface{}: assert its type first, like x.([]int)`},
}

var (
	undefined   = regexp.MustCompile(`^undefined(?: identifier)?: (\w+)(?: in \S+; is its package imported\?)?$`)
	noMember    = regexp.MustCompile(`^(.*) has no field or method (\w+)$|^what follows (.*) is not a field or method of it$`)
	instance    = regexp.MustCompile(`^unimplemented type: (.*) <\*ast\.IndexExpr>`)
	typeList    = regexp.MustCompile(`\w\[\s*[\w.\[\]*]+\s*,[^\]:]*\]`)
	constraints = regexp.MustCompile(`interface\s*\{[^}]*\|`)
)

// hint looks at the session to say more than a message does.
func (e *Engine) hint(message string, src *source, line int) string {
	text := ""
	if src != nil {
		if text = src.shown; line > 0 {
			text = lineOf(src.shown, line-src.firstLine)
		}
	}
	if m := undefined.FindStringSubmatch(message); m != nil {
		return e.hintUndefined(message, m[1])
	}
	if m := noMember.FindStringSubmatch(message); m != nil {
		return e.hintMember(message, m[1]+m[3], m[2], src)
	}
	if m := instance.FindStringSubmatch(message); m != nil {
		if cause := e.causeOf(m[1], src); cause != "" && !strings.Contains(cause, "is a type") {
			return cause
		}
		return noGenerics + ": " + m[1]
	}
	if strings.HasPrefix(message, "expected ']', found ','") && typeList.MatchString(text) {
		return noGenerics + ": " + strings.TrimSpace(text)
	}
	if constraints.MatchString(text) && (strings.HasPrefix(message, "expected") || strings.Contains(message, "internal error")) {
		return noGenerics + ": a union in an interface is a constraint of type parameters"
	}
	return message
}

func (e *Engine) hintUndefined(message, name string) string {
	if e.ir.Comp.TryResolveType(name) != nil {
		return name + " is a type, not a value"
	}
	if path, _, ok := e.linkedAs(name); ok {
		return fmt.Sprintf("undefined: %s; the package of that name is not imported: import %q", name, path)
	}
	if many := e.similar(name); many != "" {
		return fmt.Sprintf("undefined: %s; is its package imported? there are several%s", name, strings.Replace(many, "; did you mean", ":", 1))
	}
	var known []string
	for c := e.ir.Comp; c != nil; c = c.Outer {
		for name := range c.Binds {
			known = append(known, name)
		}
	}
	sort.Strings(known)
	return fmt.Sprintf("undefined: %s%s", name, spelling.DidYouMean(name, known))
}

// hintMember says why a selector does not compile: what is before the dot may be wrong itself, which gomacro does not tell.
func (e *Engine) hintMember(message, x, member string, src *source) string {
	if cause := e.causeOf(x, src); cause != "" {
		return cause
	}
	if member == "" {
		return message
	}
	types := e.typesOf(x)
	if len(types) != 1 || types[0] == nil {
		return message
	}
	found := make(map[string]string)
	addMembers(found, types[0], 0)
	var known []string
	for name := range found {
		known = append(known, name)
	}
	sort.Strings(known)
	return fmt.Sprintf("%s.%s undefined: type %s has no field or method %s%s", x, member, typeName(types[0]), member, spelling.DidYouMean(member, known))
}

// causeOf is what is wrong with an expression by itself, "" if nothing is or if it has names of its own surroundings.
func (e *Engine) causeOf(x string, src *source) (cause string) {
	message := e.whyNot(x)
	if message == "" {
		return ""
	}
	message = clarify(position.ReplaceAllString(message, ""))
	if m := undefined.FindStringSubmatch(message); m != nil {
		if src != nil && regexp.MustCompile(`\b`+regexp.QuoteMeta(m[1])+`\b[\w\s,]*(:?=|\bint|\bstring|[\w.*\[\]]+[,)])`).MatchString(src.shown) {
			return "" // declared in the cell, around the expression
		}
		return e.hintUndefined(message, m[1])
	}
	if instance.MatchString(message) || strings.HasPrefix(message, "unimplemented type") || strings.HasPrefix(message, "what follows") {
		return ""
	}
	return message
}

// whyNot gives the message with which an expression does not compile.
func (e *Engine) whyNot(x string) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	e.compileExpr(x, func(compiled *fast.Expr) {})
	return ""
}
