package filter

import (
	"strings"
)

// tokenKind is what a token of a filter is.
type tokenKind int

const (
	tokenEnd      tokenKind = iota
	tokenWord               // a name, a keyword or a number, with its dots
	tokenText               // in ' or ", without the quotes
	tokenKey                // a name that ends in a quoted part: tags.`a b`
	tokenOperator           // = != <> < <= > >=
	tokenMark               // ( ) ,
)

// token is a word of a filter and where it begins.
type token struct {
	kind   tokenKind
	text   string // of a key: what is before the quoted part, with its dot
	quoted string // of a key: the quoted part
	at     int    // in bytes
}

// scan divides a filter into tokens. The last one is tokenEnd.
func scan(text string) ([]token, error) {
	var tokens []token
	for i := 0; ; {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
		if i == len(text) {
			return append(tokens, token{kind: tokenEnd, at: i}), nil
		}
		t, next, err := scanOne(text, i)
		if err != nil {
			return nil, err
		}
		tokens, i = append(tokens, t), next
	}
}

func scanOne(text string, at int) (t token, next int, err error) {
	t.at = at
	switch c := text[at]; c {
	case '\'', '"':
		t.kind = tokenText
		t.text, next, err = scanQuoted(text, at)
		return t, next, err
	case '`':
		return scanKey(text, at)
	case '(', ')', ',':
		t.kind, t.text = tokenMark, text[at:at+1]
		return t, at + 1, nil
	case '=', '<', '>', '!':
		t.kind = tokenOperator
		next = at + 1
		if next < len(text) && (text[next] == '=' && c != '=' || text[next] == '>' && c == '<') {
			next++
		}
		t.text = text[at:next]
		if t.text == "!" {
			return t, at, invalid("a filter has no operator ! at position %d; not equal is !=", at+1)
		}
		if t.text == "<>" {
			t.text = "!="
		}
		return t, next, nil
	}
	next = at
	for next < len(text) && !strings.ContainsRune(" \t\r\n'\"`(),=<>!", rune(text[next])) {
		next++
	}
	t.kind, t.text = tokenWord, text[at:next]
	if next < len(text) && strings.HasSuffix(t.text, ".") && strings.IndexByte("\"`'", text[next]) >= 0 {
		t.kind = tokenKey
		t.quoted, next, err = scanQuoted(text, next)
	}
	return t, next, err
}

// scanKey reads a name that begins with a back quote: `Run name`, or `tags`.x.
func scanKey(text string, at int) (t token, next int, err error) {
	value, next, err := scanQuoted(text, at)
	if err != nil || next+1 >= len(text) || text[next] != '.' {
		return token{kind: tokenKey, quoted: value, at: at}, next, err
	}
	key, next, err := scanOne(text, next+1)
	if err == nil && key.kind != tokenWord && key.kind != tokenText && (key.kind != tokenKey || key.text != "") {
		err = invalid("a name is expected behind the dot at position %d", next)
	}
	return token{kind: tokenKey, text: value + ".", quoted: key.text + key.quoted, at: at}, next, err
}

// scanQuoted reads a quoted text. A doubled quote stands for one.
func scanQuoted(text string, at int) (value string, next int, err error) {
	quote := text[at]
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		if text[i] != quote {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			b.WriteByte(quote)
			i++
			continue
		}
		return b.String(), i + 1, nil
	}
	return "", at, invalid("the quote %c at position %d does not end", quote, at+1)
}
