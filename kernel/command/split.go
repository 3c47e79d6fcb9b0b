package command

import (
	"go/token"
	"strings"
)

// Part is a run of lines of a cell: code, or one command.
type Part struct {
	Command bool
	Text    string // for a command, the line from its % or $ or with its ?
	Body    string // the lines below a cell magic
	Line    int    // first line in the cell, from 1
}

// Split cuts a cell into code and commands. A line is a command if it begins with % or $, or begins or ends with ?, at
// a place where a statement could begin: not inside a string, a comment or brackets.
func Split(code string) []Part {
	lines := strings.Split(strings.ReplaceAll(code, "\r\n", "\n"), "\n")
	for i, line := range lines { // %%name takes the whole cell
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "//") {
			continue
		}
		if strings.HasPrefix(text, "%%") || isWritefile(text) {
			return []Part{{Command: true, Text: text, Body: strings.Join(lines[i+1:], "\n"), Line: i + 1}}
		}
		break
	}
	var parts []Part
	var s Scanner
	start := 0
	flush := func(end int) {
		if text := strings.Join(lines[start:end], "\n"); strings.TrimSpace(text) != "" {
			parts = append(parts, Part{Text: text, Line: start + 1})
		}
	}
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if s.Between() && isCommand(text) {
			flush(i)
			parts = append(parts, Part{Command: true, Text: text, Line: i + 1})
			start = i + 1
			continue
		}
		s.Scan(line)
	}
	flush(len(lines))
	return parts
}

// isWritefile: as a line command it would have nothing to write, so the rest of the cell is meant.
func isWritefile(text string) bool {
	return text == "%writefile" || strings.HasPrefix(text, "%writefile ")
}

// isCommand reports whether a line, in a place where a statement could begin, is a command.
func isCommand(text string) bool {
	if text == "" {
		return false
	}
	if text[0] == '%' || text[0] == '$' || text[0] == '?' {
		return true
	}
	return strings.HasSuffix(text, "?") && IsPath(strings.TrimRight(text, "?"))
}

// IsPath reports whether s is a name, perhaps with dots: fmt.Println.
func IsPath(s string) bool {
	if s == "" {
		return false
	}
	for _, name := range strings.Split(s, ".") {
		if !token.IsIdentifier(name) && !token.IsKeyword(name) {
			return false
		}
	}
	return true
}

// Scanner follows strings, comments and brackets over lines of Go.
type Scanner struct {
	inRaw, inComment bool // inside a raw string or a block comment
	depth            int  // of brackets
	isOpen           bool // the last line ended inside a statement
}

// Between reports whether a new statement can begin on the next line.
func (s *Scanner) Between() bool { return !s.inRaw && !s.inComment && s.depth <= 0 && !s.isOpen }

// Scan reads the next line.
func (s *Scanner) Scan(line string) {
	last := byte(0) // last byte outside spaces and comments
	for i := 0; i < len(line); i++ {
		ch := line[i]
		rest := line[i:]
		switch {
		case s.inRaw:
			if ch == '`' {
				s.inRaw, last = false, '`'
			}
		case s.inComment:
			if strings.HasPrefix(rest, "*/") {
				s.inComment = false
				i++
			}
		case strings.HasPrefix(rest, "//"):
			i = len(line)
		case strings.HasPrefix(rest, "/*"):
			s.inComment = true
			i++
		case ch == '`':
			s.inRaw = true
		case ch == '"' || ch == '\'':
			for i++; i < len(line) && line[i] != ch; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			last = ch
		case ch == '(' || ch == '[' || ch == '{':
			s.depth++
			last = ch
		case ch == ')' || ch == ']' || ch == '}':
			s.depth--
			last = ch
		case ch != ' ' && ch != '\t' && ch != '\r':
			last = ch
		}
	}
	if last == 0 {
		return
	}
	s.isOpen = strings.IndexByte("+-*/%&|^<>=!,.(:", last) >= 0
	if n := strings.TrimRight(line, " \t"); strings.HasSuffix(n, "++") || strings.HasSuffix(n, "--") {
		s.isOpen = false
	}
}
