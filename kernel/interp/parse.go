package interp

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/cosmos72/gomacro/go/etoken"
	mp "github.com/cosmos72/gomacro/go/parser"

	"github.com/spherelab/spherelab/kernel"
)

// parse turns a piece of a cell into syntax trees: declarations, statements and expressions. It holds e.code.
func (e *Engine) parse(number int, text string, firstLine int) (nodes []ast.Node, src *source, err *kernel.CellError) {
	shown := text
	text = parenthesize(qualifyEmbedded(withoutPackage(text)))
	src, files := e.sources.add(number, text, shown, firstLine)
	c := e.ir.Comp
	c.Fileset = files
	c.Line = firstLine - 1
	defer func() {
		if r := recover(); r != nil {
			err = e.compileError(r, src)
		}
	}()
	if limit := unsupported(shown, firstLine, src); limit != nil {
		return nil, src, limit
	}
	var parser mp.Parser
	parser.Configure(c.ParserMode, c.MacroChar)
	parser.Init(files, fileName, c.Line, []byte(text))
	nodes, failure := parser.Parse()
	if failure != nil {
		return nil, src, e.compileError(failure, src)
	}
	src.noteFunctions(nodes)
	return nodes, src, nil
}

// withoutPackage blanks the package clause of a file that is run, or was pasted into a cell.
func withoutPackage(text string) string {
	list := tokens(text)
	if len(list) < 3 || list[0].tok != token.PACKAGE || list[1].tok != token.IDENT || list[2].tok != token.SEMICOLON {
		return text
	}
	end := list[1].offset + len(list[1].lit)
	return text[:list[0].offset] + strings.Repeat(" ", end-list[0].offset) + text[end:]
}

// token1 is a token with its place in the text.
type token1 struct {
	tok    token.Token
	lit    string
	line   int
	offset int
}

// tokens scans text; what is not Go is token.ILLEGAL.
func tokens(text string) []token1 {
	files := token.NewFileSet()
	file := files.AddFile("", 1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var list []token1
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return list
		}
		list = append(list, token1{tok, lit, file.Line(pos), file.Offset(pos)})
	}
}

// unsupported finds declarations of generic functions and types, of which gomacro's parser would only say that a bracket surprises it.
func unsupported(text string, firstLine int, src *source) *kernel.CellError {
	list := tokens(text)
	at := func(i int) token.Token {
		if i < len(list) {
			return list[i].tok
		}
		return token.EOF
	}
	for i, t := range list {
		what := ""
		switch {
		case t.tok == token.FUNC && at(i+1) == token.IDENT && at(i+2) == token.LBRACK:
			what = "function " + list[i+1].lit
		case t.tok == token.TYPE && at(i+1) == token.IDENT && at(i+2) == token.LBRACK && at(i+3) == token.IDENT && startsConstraint(at(i+4)):
			what = "type " + list[i+1].lit
		}
		if what != "" {
			return cellError(kernel.NameCompile, fmt.Sprintf("the interpreter has no generics: %s has type parameters; write it for the type you need, or use interface{}", what),
				src, t.line+firstLine-1)
		}
	}
	return nil
}

// startsConstraint reports whether the token after "type T[P" begins a constraint; otherwise P is an array's length.
func startsConstraint(t token.Token) bool {
	switch t {
	case token.IDENT, token.INTERFACE, token.TILDE, token.COMMA, token.LBRACK, token.MAP, token.CHAN, token.FUNC:
		return true
	}
	return false
}

// parses reports whether gomacro's parser takes the text. It leaves no trace.
func (e *Engine) parses(text string) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			ok = false
		}
	}()
	var parser mp.Parser
	parser.Configure(0, '~')
	parser.Init(etoken.NewFileSet(), fileName, 0, []byte(parenthesize(qualifyEmbedded(text))))
	_, err := parser.Parse()
	return err == nil
}

// embeddedMark is put before embedded interfaces, see qualifyEmbedded.
const embeddedMark = "spherelabEmbedded"

// qualifyEmbedded writes embedded interfaces like "interface { Reader }" with a package, "interface { mark.Reader }": gomacro's parser fails on the plain form.
// The rewriting of the syntax tree takes the mark away. Lines stay where they are.
func qualifyEmbedded(text string) string {
	if !strings.Contains(text, "interface") {
		return text
	}
	list := tokens(text)
	var b strings.Builder
	done := 0
	var inside []bool // for each open brace: is it an interface's?
	for i, t := range list {
		switch t.tok {
		case token.LBRACE:
			inside = append(inside, i > 0 && list[i-1].tok == token.INTERFACE)
		case token.RBRACE:
			if len(inside) > 0 {
				inside = inside[:len(inside)-1]
			}
		case token.IDENT:
			if len(inside) == 0 || !inside[len(inside)-1] || i+1 >= len(list) {
				continue
			}
			before, after := list[i-1].tok, list[i+1].tok
			if (before == token.LBRACE || before == token.SEMICOLON) && (after == token.SEMICOLON || after == token.RBRACE) {
				b.WriteString(text[done:t.offset] + embeddedMark + ".")
				done = t.offset
			}
		}
	}
	return b.String() + text[done:]
}

// parenthesize writes a call of a function literal at the start of a top-level statement, func() { ... }(), as (func() { ... })(): gomacro's parser expects a
// declaration there. Lines stay where they are.
func parenthesize(text string) string {
	if !strings.Contains(text, "func") {
		return text
	}
	list := tokens(text)
	type insertion struct {
		offset int
		text   string
	}
	var insertions []insertion
	depth := 0
	for i, t := range list {
		if depth == 0 && t.tok == token.FUNC && (i == 0 || list[i-1].tok == token.SEMICOLON) && i+1 < len(list) && list[i+1].tok == token.LPAREN {
			if end := literalEnd(list, i); end > 0 && end+1 < len(list) && list[end+1].tok == token.LPAREN {
				insertions = append(insertions, insertion{t.offset, "("}, insertion{list[end].offset + 1, ")"})
			}
		}
		switch t.tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		}
	}
	var b strings.Builder
	done := 0
	for _, in := range insertions {
		b.WriteString(text[done:in.offset] + in.text)
		done = in.offset
	}
	return b.String() + text[done:]
}

// literalEnd returns the index of the brace that ends the body of the function literal at list[i]; 0 if a method is declared there.
func literalEnd(list []token1, i int) int {
	j := closing(list, i+1)
	if j+1 >= len(list) || list[j+1].tok == token.IDENT && j+2 < len(list) && list[j+2].tok == token.LPAREN {
		return 0
	}
	for j++; j < len(list); j++ {
		switch list[j].tok {
		case token.LPAREN, token.LBRACK:
			j = closing(list, j)
		case token.LBRACE:
			end := closing(list, j)
			if before := list[j-1].tok; before != token.INTERFACE && before != token.STRUCT {
				return end
			}
			j = end
		case token.SEMICOLON:
			return 0
		}
	}
	return 0
}

// closing returns the index of the bracket that closes the one at list[i], len(list) if none does.
func closing(list []token1, i int) int {
	depth := 0
	for ; i < len(list); i++ {
		switch list[i].tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(list)
}
