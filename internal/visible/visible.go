// Package visible makes text from elsewhere safe to show. Names of runs and entities may hold any character, so those
// that break a line, change the writing direction or control a terminal are escaped.
package visible

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns a text as one line. A character that breaks a line, changes the writing direction or controls a terminal
// is escaped as in a Go string: \n, \x1b.
func Line(text string) string { return escape(text, isUnsafe) }

// Lines is like Line, but keeps line ends and tabs.
func Lines(text string) string {
	return escape(text, func(r rune) bool { return r != '\n' && r != '\t' && isUnsafe(r) })
}

// escape escapes the chosen characters of a text.
func escape(text string, chosen func(rune) bool) string {
	if !strings.ContainsFunc(text, chosen) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if chosen(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// JSON returns equivalent JSON in which the characters that Line escapes are escaped, too.
func JSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, isUnsafeInJSON) {
		return text
	}
	var b []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if isUnsafeInJSON(r) { // no such character has more than 16 bits
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = append(b, text[:size]...)
		}
		text = text[size:]
	}
	return b
}

// isUnsafeInJSON reports whether JSON escapes a character. It allows line ends and tabs, which can only be between
// values: in strings encoding/json has escaped them.
func isUnsafeInJSON(r rune) bool { return r != '\n' && r != '\t' && r != '\r' && isUnsafe(r) }

func isUnsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}
