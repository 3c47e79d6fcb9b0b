package bridge

import (
	"encoding/json"
	"unicode/utf8"
	"unsafe"
)

// text is JSON that is read from the beginning.
type text struct {
	data   []byte
	at     int
	strict bool // names of unknown fields are errors
}

func (t *text) space() {
	for t.at < len(t.data) {
		switch t.data[t.at] {
		case ' ', '\t', '\n', '\r':
			t.at++
		default:
			return
		}
	}
}

// atEnd reports whether only space follows.
func (t *text) atEnd() bool {
	t.space()
	return t.at == len(t.data)
}

// next takes a sign, if it comes next.
func (t *text) next(sign byte) bool {
	t.space()
	if t.at < len(t.data) && t.data[t.at] == sign {
		t.at++
		return true
	}
	return false
}

// word takes a literal, if it comes next.
func (t *text) word(word string) bool {
	t.space()
	if end := t.at + len(word); end <= len(t.data) && string(t.data[t.at:end]) == word {
		t.at = end
		return true
	}
	return false
}

// string takes a text in quotes.
func (t *text) string() (string, bool) {
	t.space()
	if t.at >= len(t.data) || t.data[t.at] != '"' {
		return "", false
	}
	const ascii = 0x80
	begin, isASCII := t.at+1, true
	for i := begin; i < len(t.data); i++ {
		switch c := t.data[i]; {
		case c == '"':
			t.at = i + 1
			inner := t.data[begin:i]
			if !isASCII && !utf8.Valid(inner) {
				return "", false
			}
			return string(inner), true
		case c == '\\':
			return t.escaped(i)
		case c < ' ':
			return "", false
		case c >= ascii:
			isASCII = false
		}
	}
	return "", false
}

// escaped takes a text in quotes that has its first escape at i.
func (t *text) escaped(i int) (s string, ok bool) {
	for ; i < len(t.data); i++ {
		switch t.data[i] {
		case '\\':
			i++
		case '"':
			ok = json.Unmarshal(t.data[t.at:i+1], &s) == nil
			t.at = i + 1
			return s, ok
		}
	}
	return "", false
}

// number takes a number. The result is valid until the text changes.
func (t *text) number() (string, bool) {
	t.space()
	i := t.at
	if t.is(i, '-', '-') {
		i++
	}
	whole := i
	if i = t.digits(i); i == whole || i > whole+1 && t.data[whole] == '0' {
		return "", false
	}
	if t.is(i, '.', '.') {
		part := i + 1
		if i = t.digits(part); i == part {
			return "", false
		}
	}
	if t.is(i, 'e', 'E') {
		if i++; t.is(i, '+', '-') {
			i++
		}
		power := i
		if i = t.digits(power); i == power {
			return "", false
		}
	}
	part := t.data[t.at:i]
	t.at = i
	return unsafe.String(unsafe.SliceData(part), len(part)), true
}

// is reports whether one of two signs stands at i.
func (t *text) is(i int, a, b byte) bool {
	return i < len(t.data) && (t.data[i] == a || t.data[i] == b)
}

// digits returns the end of the digits that begin at i.
func (t *text) digits(i int) int {
	for i < len(t.data) && t.data[i]-'0' <= 9 {
		i++
	}
	return i
}

// maxSkipped is how deep what is skipped may be.
const maxSkipped = 100

// skip takes a value that is not needed.
func (t *text) skip(depth int) bool {
	if depth > maxSkipped {
		return false
	}
	if t.word("null") || t.word("true") || t.word("false") {
		return true
	}
	if t.next('[') {
		return t.list(']', func() bool { return t.skip(depth + 1) })
	}
	if t.next('{') {
		return t.list('}', func() bool {
			_, ok := t.string()
			return ok && t.next(':') && t.skip(depth+1)
		})
	}
	if _, ok := t.string(); ok {
		return true
	}
	_, ok := t.number()
	return ok
}

// list takes what stands between commas, and the sign at the end.
func (t *text) list(end byte, item func() bool) bool {
	for first := true; !first || !t.next(end); first = false {
		if !item() {
			return false
		}
		if t.next(end) {
			return true
		}
		if !t.next(',') {
			return false
		}
	}
	return true
}
