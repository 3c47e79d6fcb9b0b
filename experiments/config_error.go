package experiments

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Origin says where a config value came from: a line of a file, or Text for an environment variable, a --set item or a flag.
type Origin struct {
	File string
	Line int
	Text string
}

// embeddedPrefix begins the File of an origin that is no file on disk: "embedded config bundled/rotate".
const embeddedPrefix = "embedded config "

// String is how the origin is named in an error: "file.yaml:12", "environment variable SPHERELAB_SEED".
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

// ConfigError is one mistake in a config: where it stands, what is wrong and, for an unknown key, the nearest valid one.
type ConfigError struct {
	Origin  Origin
	Key     string
	Message string
	Nearest string
}

func (e *ConfigError) Error() string {
	text := e.Message
	if where := e.Origin.String(); where != "" {
		text = where + ": " + text
	}
	if e.Nearest != "" {
		text += "; did you mean " + e.Nearest + "?"
	}
	return printable(text)
}

// longestMessage is more than any message needs that does not repeat a damaged file.
const longestMessage = 1000

// printable makes a text safe for a terminal: what cannot be printed is written as an escape, what is endless is cut.
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

// secret reports whether a text that a user gave may hold a password, so that no message repeats it.
func secret(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(strings.ToLower(text), "password")
}

// quoted is a value as a message shows it.
func quoted(value string) string {
	if secret(value) {
		return "an address"
	}
	return strconv.Quote(value)
}

// setOrigin is the origin of a --set item; where it may hold an address, the key stands alone.
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

// Origin says where the value of a key was set; it is empty for a default.
func (c *Config) Origin(key string) Origin { return c.origin[key] }

// blame makes an error about the value of key, naming where it was set.
func (c *Config) blame(key, format string, args ...any) error {
	return &ConfigError{Origin: c.origin[key], Key: key, Message: key + " " + fmt.Sprintf(format, args...)}
}

// nearest finds the candidate with the smallest edit distance to word. A word that names the last part of a dotted
// candidate counts as near: "epochs" means "train.epochs".
func nearest(word string, candidates []string) string {
	best, bestCost := "", 1<<30
	for _, candidate := range candidates {
		cost := editDistance(word, candidate)
		if tail := candidate[strings.LastIndexByte(candidate, '.')+1:]; tail != candidate {
			wordTail := word[strings.LastIndexByte(word, '.')+1:]
			// The right name in the wrong section is likelier than a similar name.
			cost = min(cost, 1+2*editDistance(wordTail, tail))
		}
		if cost < bestCost {
			best, bestCost = candidate, cost
		}
	}
	if bestCost > max(3, len(word)/2) {
		return ""
	}
	return best
}

// editDistance is the Levenshtein distance of two short ASCII words; case and the sign between parts of a word do not count.
func editDistance(a, b string) int {
	fold := strings.NewReplacer("-", "_")
	a, b = fold.Replace(strings.ToLower(a)), fold.Replace(strings.ToLower(b))
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
