package interp

import (
	"go/scanner"
	"go/token"
	"strings"
)

// declaredDoc is how a cell declares a function or type: the first lines as they are written, and the comment above.
type declaredDoc struct{ head, comment string }

func (d declaredDoc) String() string { return join(d.head, d.comment) }

// noteDocs remembers declarations and comments of the functions ("Name"), methods ("Type.Method") and types that a cell declares.
func (e *Engine) noteDocs(text string) {
	for name, doc := range declaredDocs(text) {
		e.docs[name] = doc
	}
}

// declaredDocs finds declarations at the top level of text.
func declaredDocs(text string) map[string]declaredDoc {
	docs := make(map[string]declaredDoc)
	list, comments := tokensAndComments(text)
	depth := 0
	for i, t := range list {
		switch t.tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.FUNC:
			if depth != 0 || i > 0 && list[i-1].tok != token.SEMICOLON {
				continue
			}
			if name, end := functionHead(list, i); name != "" {
				docs[name] = declaredDoc{strings.TrimSpace(text[t.offset:end]), comments[t.line]}
			}
		case token.TYPE:
			if depth == 0 && i+1 < len(list) && list[i+1].tok == token.IDENT {
				docs[list[i+1].lit] = declaredDoc{comment: comments[t.line]}
			}
		}
	}
	return docs
}

// functionHead names the function or method declared at list[i] and says where its head ends, "" if none is.
func functionHead(list []token1, i int) (name string, end int) {
	i++
	owner := ""
	if i < len(list) && list[i].tok == token.LPAREN {
		close := closing(list, i)
		for _, t := range list[i:min(close, len(list))] {
			if t.tok == token.IDENT {
				owner = t.lit + "." // the last name is the type's
			}
		}
		i = close + 1
	}
	if i+1 >= len(list) || list[i].tok != token.IDENT || list[i+1].tok != token.LPAREN {
		return "", 0
	}
	name = owner + list[i].lit
	for j := i + 1; j < len(list); j++ {
		switch list[j].tok {
		case token.LPAREN, token.LBRACK:
			j = closing(list, j)
		case token.LBRACE:
			if before := list[j-1].tok; before != token.INTERFACE && before != token.STRUCT {
				return name, list[j].offset
			}
			j = closing(list, j)
		case token.SEMICOLON:
			return name, list[j].offset
		}
	}
	return "", 0
}

// tokensAndComments scans text. The comments are those that end on the line above, by the line that they are for.
func tokensAndComments(text string) (list []token1, comments map[int]string) {
	files := token.NewFileSet()
	file := files.AddFile("", 1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	comments = make(map[int]string)
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return list, comments
		case token.COMMENT:
			line, end := file.Line(pos), file.Line(pos)+strings.Count(lit, "\n")
			if above := comments[line]; above != "" {
				lit = above + "\n" + commentText(lit)
				delete(comments, line)
			} else {
				lit = commentText(lit)
			}
			comments[end+1] = lit
		default:
			list = append(list, token1{tok, lit, file.Line(pos), file.Offset(pos)})
		}
	}
}

// commentText takes the marks of a comment away.
func commentText(s string) string {
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		return strings.TrimSuffix(strings.TrimPrefix(rest, " "), "\r")
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, "/*"), "*/"))
}
