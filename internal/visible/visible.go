// Package visible writes text from elsewhere for people: nothing in it can break a line, turn its direction or steer a
// terminal. Names of runs and entities may hold any character.
package visible

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns a text as one line. A character that breaks a line, turns its direction or steers a terminal is escaped
// as in a Go string: \n, \x1b.
func Line(text string) string { return replace(text, steers) }

// Lines is Line for a text of several lines: line ends and tabs are kept.
func Lines(text string) string {
	return replace(text, func(r rune) bool { return r != '\n' && r != '\t' && steers(r) })
}

func replace(text string, steers func(rune) bool) string {
	if !strings.ContainsFunc(text, steers) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if steers(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// JSON returns equivalent JSON in which characters that steer a terminal are escaped.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, steersInJSON) {
		return text
	}
	var b []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if steersInJSON(r) { // all of them have at most 16 bits
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = append(b, text[:size]...)
		}
		text = text[size:]
	}
	return b
}

// steersInJSON ignores the white space between values. Within a string encoding/json escapes it.
func steersInJSON(r rune) bool { return r != '\n' && r != '\t' && r != '\r' && steers(r) }

func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}
