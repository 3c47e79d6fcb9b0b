// Package cell runs cells of Go one after the other. A cell may hold declarations and statements in any order. What it
// declares stays for later cells, and a later declaration of the same name replaces an earlier one.
//
// Each cell is a package of its own for go/types. All of them have one path, so unexported fields and methods are
// theirs in common. Names of earlier cells are put into its scope.
package cell

import (
	"go/scanner"
	"go/token"
)

// item is a declaration or statement of a cell: bytes from begin to end of its text.
type item struct {
	begin, end  int
	isStatement bool
	isImport    bool
}

// split finds the items of a cell. A variable counts as a statement, since it gets its value when its turn comes. What
// cannot be scanned is left to the parser, which reports the error.
func split(code []byte) []item {
	file := token.NewFileSet().AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, code, func(token.Position, string) {}, 0)
	var items []item
	var tokens []token.Token // the first ones of the item, for the choice
	depth, begin, end := 0, -1, 0
	finish := func() {
		if begin >= 0 {
			items = append(items, item{begin, end, !isDeclaration(tokens), tokens[0] == token.IMPORT})
		}
		begin, tokens = -1, nil
	}
	for {
		pos, tok, text := s.Scan()
		offset := file.Offset(pos)
		if tok == token.EOF {
			finish()
			return items
		}
		if tok == token.SEMICOLON && depth == 0 {
			switch {
			case text == ";" && begin >= 0:
				end = offset + 1
			case text == ";" && len(items) > 0 && items[len(items)-1].isStatement: // for ;;
				items[len(items)-1].end = offset + 1
			}
			finish()
			continue
		}
		if begin < 0 {
			begin = offset
		}
		switch tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth = max(depth-1, 0)
		}
		end = offset + len(text)
		if !tok.IsLiteral() && tok != token.SEMICOLON && tok != token.ILLEGAL {
			end = offset + len(tok.String())
		}
		if tok == token.SEMICOLON {
			end = offset
		}
		if depth <= 1 && len(tokens) < 1000 {
			tokens = append(tokens, tok)
		}
	}
}

// isDeclaration reports whether an item is a declaration other than of variables. A function literal is not one.
func isDeclaration(tokens []token.Token) bool {
	switch tokens[0] {
	case token.IMPORT, token.TYPE, token.CONST, token.PACKAGE:
		return true
	case token.FUNC:
	default:
		return false
	}
	if len(tokens) > 1 && tokens[1] == token.IDENT {
		return true
	}
	for i, tok := range tokens { // a method has a name after its receiver, and another parenthesis after that
		if tok == token.RPAREN {
			return i+2 < len(tokens) && tokens[i+1] == token.IDENT && tokens[i+2] == token.LPAREN
		}
	}
	return false
}
