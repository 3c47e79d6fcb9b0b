// Package present has words and layout for people: texts fitted into a terminal, hints on what to type, and what the
// pages in the browser show about runs and answers, with the models that they keep. The pages themselves are in package
// tracker/web.
package present

import (
	"os"
	"path/filepath"
	"strings"
)

// Program returns how the user calls this program. `go run` is recognised by its build folder.
func Program() string {
	path, err := os.Executable()
	if err == nil && strings.Contains(filepath.ToSlash(path), "/go-build") {
		return "go run ."
	}
	return "spherelab"
}

// QuoteShell returns a word quoted for a shell.
func QuoteShell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
