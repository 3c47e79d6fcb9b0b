package assist

import (
	"go/token"
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/kernel/command"
)

// PathAt returns the dotted name at the cursor and where it starts; directly after an opening bracket, the name of what
// is called.
func PathAt(code []rune, cursor int) (path string, start int) {
	cursor = max(0, min(cursor, len(code)))
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	inside := cursor
	for depth := 0; ; {
		start, end := inside, inside
		for end < len(code) && part(code[end]) {
			end++
		}
		for start > 0 && (part(code[start-1]) || code[start-1] == '.') {
			start--
		}
		if path := strings.Trim(string(code[start:end]), "."); path != "" && command.IsPath(path) && !(inside != cursor && token.IsKeyword(path)) {
			if inside == cursor && start == end {
				break
			}
			return path, start
		}
		// go left to the bracket that is open here
		i := inside - 1
		for ; i >= 0; i-- {
			if code[i] == ')' {
				depth++
			}
			if code[i] == '(' {
				if depth == 0 {
					break
				}
				depth--
			}
			if code[i] == '\n' && depth == 0 {
				return "", 0
			}
		}
		if i < 0 {
			return "", 0
		}
		inside = i
	}
	return "", 0
}

// Operand returns the operand that ends at the cursor.
func Operand(head []rune) string { return string(primary(head)) }

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
