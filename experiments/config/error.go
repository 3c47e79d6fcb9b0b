package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spherelab/spherelab/internal/spelling"
)

// Origin is where a config value was set: a line of a file, or Text for an environment variable, a --set item or a
// flag.
type Origin struct {
	File string
	Line int
	Text string
}

// embeddedPrefix begins the File of an embedded config: "embedded config bundled/rotate".
const embeddedPrefix = "embedded config "

// String is the origin in an error: "file.yaml:12", "environment variable SPHERELAB_SEED".
func (o Origin) String() string {
	switch {
	case o.Text != "":
		return o.Text
	case o.Line == 0:
		return o.File
	case strings.HasPrefix(o.File, embeddedPrefix):
		return fmt.Sprintf("%s, line %d", o.File, o.Line)
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Error is a mistake in a config: where it is, what is wrong and the nearest valid key or value, if any.
type Error struct {
	Origin  Origin
	Key     string
	Message string
	Nearest string
	Other   string // the key that the value does not fit; "" if it is wrong whatever the others are
}

func (e *Error) Error() string {
	text := e.Message
	if where := e.Origin.String(); where != "" {
		text = where + ": " + text
	}
	text = printable(text)
	if e.Nearest != "" { // also after a long list of what there is
		text += "; did you mean " + printable(e.Nearest) + "?"
	}
	return text
}

// longestMessage is more than any message needs, unless it repeats a damaged file.
const longestMessage = 1000

// printable returns a text that is safe for a terminal: control characters are escaped, and a long text is cut.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if b.Len() > longestMessage {
			b.WriteString("...")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// secret reports whether a text may hold a password; no message repeats such a text.
func secret(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(strings.ToLower(text), "password")
}

// quoted returns a value in the form of messages.
func quoted(value string) string {
	if secret(value) {
		return "an address"
	}
	return strconv.Quote(value)
}

// setOrigin is the origin of a --set item, without the value where that may be an address.
func setOrigin(item string) Origin {
	key, value, _ := strings.Cut(item, "=")
	switch {
	case secret(key):
		return Origin{Text: "--set"}
	case strings.HasPrefix(strings.TrimSpace(key), "tracker.") || secret(value):
		return Origin{Text: "--set " + key}
	}
	return Origin{Text: "--set " + item}
}

// Origin is where the value of a key was set; it is empty for a default.
func (c *Config) Origin(key string) Origin { return c.origin[key] }

// IsGiven reports whether the user set a key, and not the default or an embedded config.
func (c *Config) IsGiven(key string) bool {
	o := c.origin[key]
	return o.Text != "" || o.File != "" && !strings.HasPrefix(o.File, embeddedPrefix)
}

// nearestKey is the config key that a misspelt one may have meant, "" if none is near. The right name in the wrong
// section is likelier than a similar name.
func nearestKey(key string) string {
	keys := Keys()
	return cmp.Or(KeyNamed(key), KeyNamed(leaf(key)), nearest(key, keys), nearest(leaf(key), keys))
}

// KeyNamed is the config key of that name, else the first one whose last part is name; "" if there is none. An exact
// name comes first because it is another setting than one that ends in it: seed is the run's, split.seed the graph's.
func KeyNamed(name string) string {
	keys := Keys()
	if slices.Contains(keys, name) {
		return name
	}
	if i := slices.IndexFunc(keys, func(key string) bool { return leaf(key) == name }); i >= 0 {
		return keys[i]
	}
	return ""
}

// leaf returns the last part of a dotted key.
func leaf(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

func nearest(word string, candidates []string) string {
	return strings.Join(spelling.Nearest(candidates, word, 1), "")
}
